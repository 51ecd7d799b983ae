#include "heed/serve/document.h"

#include <algorithm>

namespace heed {

Document::Document(std::vector<std::string> texts, TextUnit unit, const std::vector<bool>& kept)
    : texts_(std::move(texts)) {
  for (size_t i = 0; i < texts_.size(); ++i) {
    begins_.push_back(lines_.size());
    if (!kept.empty() && kept[i]) {
      after_.emplace_back(texts_[i]);
      continue;
    }
    const SplitDocument split = split_document(texts_[i], unit);
    for (const TextSentence& sentence : split.sentences)
      lines_.push_back({i, lines_.size() - begins_[i], sentence.before, sentence.text});
    after_.push_back(split.after);
  }
}

std::pair<size_t, size_t> Document::lines_of(size_t text) const {
  return {begins_[text], text + 1 < begins_.size() ? begins_[text + 1] : lines_.size()};
}

std::vector<std::string> Document::sources(
    const std::vector<const LanguageCodes*>& languages) const {
  std::vector<std::string> all;
  std::string_view code;
  for (const Line& line : lines_) {
    if (line.index == 0) code = {};
    const std::string_view own = languages[line.text]->of(line.source, int64_t(line.index), "text");
    if (!own.empty()) code = own;
    all.push_back(own.empty() ? std::string(code).append(line.source) : std::string(line.source));
  }
  return all;
}

std::string Document::translation(size_t text,
                                  const std::vector<std::vector<std::string>>& hypotheses,
                                  size_t rank) const {
  const auto [begin, end] = lines_of(text);
  std::vector<TextSentence> parts;
  for (size_t i = begin; i < end; ++i) {
    const std::vector<std::string>& all = hypotheses[i];
    parts.push_back({lines_[i].before, all[std::min(rank, all.size() - 1)]});
  }
  return join_sentences(parts, after_[text]);
}

}  // namespace heed
