// Lines of several sentences of which a model translates only some.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "heed/text/sentences.h"

namespace heed {

// A model that was trained on single sentences often ends its translation of a paragraph after the
// first ones, with </s>: the status is "ok", and text is lost. Counts the lines of several
// sentences whose translation has at most half as many.
class LostSentences {
 public:
  // Counts nothing where lines are split into sentences anyway.
  explicit LostSentences(TextUnit split) : counts_(split == TextUnit::lines) {}

  // Sources and translations in the same order; a translation comes after its source.
  void add_source(std::string_view line);
  void add_translation(std::string_view text);

  // Advice if most lines of several sentences lost some; else empty. One sentence that is lost is
  // no sign: two may well become one.
  std::string warning() const;

 private:
  bool counts_;
  std::deque<size_t> sources_;  // sentences of the lines whose translation is to come
  int64_t long_lines_ = 0, shortened_ = 0;
  size_t lost_ = 0;  // sentences
};

}  // namespace heed
