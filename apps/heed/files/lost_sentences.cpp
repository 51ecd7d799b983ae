#include "files/lost_sentences.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/core/counted.h"

namespace heed {
namespace {

// Enough to tell, however long the line is.
constexpr size_t kCountedBytes = size_t{16} << 10;

size_t count_sentences(std::string_view text) {
  return split_document(text.substr(0, std::min(text.size(), kCountedBytes)), TextUnit::sentences)
      .sentences.size();
}

}  // namespace

void LostSentences::add_source(std::string_view line) {
  if (counts_) sources_.push_back(count_sentences(line));
}

void LostSentences::add_translation(std::string_view text) {
  if (!counts_ || sources_.empty()) return;
  const size_t sentences = sources_.front();
  sources_.pop_front();
  if (sentences < 2) return;
  ++long_lines_;
  const size_t translated = count_sentences(text);
  if (2 * translated > sentences) return;
  ++shortened_;
  lost_ += sentences - translated;
}

std::string LostSentences::warning() const {
  if (lost_ < 2 || 2 * shortened_ < long_lines_) return "";
  return fmt::format(
      "{} of {} of several sentences: the translation has at most half as many, so text is "
      "probably lost; if the model was trained on single sentences, give --split sentences",
      shortened_, detail::counted(long_lines_, "line"));
}

}  // namespace heed
