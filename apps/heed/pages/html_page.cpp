#include "pages/html_page.h"

#include <fmt/format.h>

#include <string_view>

#include "pages/svg_charts.h"

namespace heed {
namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ground: #fff; --card: #f4f5f7; --ink: #1c2024; --soft: #5c6570;
  --edge: #d5d9de; --zero: #2f6fb3; --one: #d9822b; --two: #3c8c4e;
  --three: #a3479b; --warn: #b3361f; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --card: #1e2226; --ink: #e6e8ea;
  --soft: #9aa4ae; --edge: #363c42; --zero: #6aa9ea; --one: #f0a95c; --two: #74c486;
  --three: #d78bd0; --warn: #ff8a73; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
  gap: 1rem; }
figure { margin: 0; padding: .75rem; background: var(--card); border-radius: .5rem; }
figcaption { font-weight: 600; } .key { white-space: nowrap; font-weight: 400; font-size: .85rem; margin-left: .5rem; }
.key::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .3em;
  border-radius: 2px; background: currentColor; }
.key.series0, .key.series4 { color: var(--zero); } .key.series1 { color: var(--one); }
.key.series2 { color: var(--two); } .key.series3, .key.series5 { color: var(--three); }
.key.series4::before, .key.series5::before { background: none; border: 2px dotted currentColor; }
svg { width: 100%; height: auto; display: block; } svg text { font-size: 11px; fill: var(--soft); }
.series0, .series4 { fill: var(--zero); } .series1 { fill: var(--one); }
.series2 { fill: var(--two); } .series3, .series5 { fill: var(--three); }
polyline { fill: none; stroke-width: 2; } .line0, .line4 { stroke: var(--zero); }
.line1 { stroke: var(--one); } .line2 { stroke: var(--two); } .line3, .line5 { stroke: var(--three); }
.line4, .line5 { stroke-dasharray: 3 3; } .axis, .grid { stroke: var(--edge); }
.wide { overflow-x: auto; margin-top: 1.25rem; } table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .25rem .75rem .25rem 0; text-align: right; border-bottom: 1px solid var(--edge);
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; white-space: normal; }
details { background: var(--card); border-radius: .5rem; margin: .6rem 0; padding: .6rem .8rem; }
summary { cursor: pointer; } summary b { color: var(--warn); }
.advice { margin: .5rem 0; } .example { border-top: 1px solid var(--edge); padding: .4rem 0;
  overflow-wrap: anywhere; } .example p { margin: .1rem 0; }
.place, .none { color: var(--soft); font-size: .85rem; }
)css";

}  // namespace

std::string html_page(const std::string& title, const std::string& body) {
  const std::string name = html_text(title);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n{}</body>\n</html>\n",
      name, kStyle, name, body);
}

std::string table_row(const std::vector<std::string>& cells, const char* tag) {
  std::string html = "<tr>";
  for (const std::string& cell : cells) html += fmt::format("<{0}>{1}</{0}>", tag, html_text(cell));
  return html + "</tr>\n";
}

}  // namespace heed
