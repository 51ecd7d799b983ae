#!/usr/bin/env python3
"""Writes src/heed/text/html_entities.cpp: the named characters of HTML, from Python's html.entities.

tools/make_html_entities.py > src/heed/text/html_entities.cpp
"""
import html.entities
import textwrap

entries = " ".join(
    name + ":" + "+".join(f"{ord(character):x}" for character in value)
    for name, value in sorted(html.entities.html5.items())
)
lines = textwrap.wrap(entries, 90)
print("""// Made by tools/make_html_entities.py: the named characters of HTML.
#include "heed/text/html_characters.h"

namespace heed::detail {

// clang-format off
constexpr std::string_view kEntities =""")
print("\n".join(f'    "{line}{" " if line is not lines[-1] else ""}"' for line in lines) + ";")
print("""// clang-format on

std::string_view html_entities() {
  return kEntities;
}

}  // namespace heed::detail""")
