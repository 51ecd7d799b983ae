#include "heed/text/text_filter.h"

#include <algorithm>
#include <string>

#include "heed/core/hash.h"
#include "heed/core/unicode.h"
#include "heed/text/words.h"

namespace heed {

TextFilter::TextFilter(const FilterOptions& options, const ParallelText& text) : options_(options) {
  if (options.min_word_count <= 1) return;
  PairReader reader(text);
  std::string source, target;
  while (reader.next(source, target)) {
    count(source, source_words_);
    count(target, target_words_);
  }
}

FilterDecision TextFilter::decide(std::string_view source, std::string_view target) const {
  const int64_t source_words = detail::count_words(source),
                target_words = detail::count_words(target);
  if (source_words == 0 || target_words == 0) return FilterDecision::empty;
  if (options_.max_words > 0 && std::max(source_words, target_words) > options_.max_words)
    return FilterDecision::too_many_words;
  if (options_.min_word_count > 1 &&
      (has_rare(source, source_words_) || has_rare(target, target_words_)))
    return FilterDecision::rare_words;
  if (std::binary_search(options_.held_out.begin(), options_.held_out.end(), hash_of(source)))
    return FilterDecision::held_out;
  return FilterDecision::kept;
}

void TextFilter::count(std::string_view line, WordCounts& counts) const {
  detail::for_each_word(line,
                        [&](std::string_view word) { return ++counts[fingerprint(word)] > 0; });
}

bool TextFilter::has_rare(std::string_view line, const WordCounts& counts) const {
  bool found = false;
  detail::for_each_word(line, [&](std::string_view word) {
    const auto count = counts.find(fingerprint(word));
    found = count == counts.end() || count->second < options_.min_word_count;
    return !found;
  });
  return found;
}

uint64_t TextFilter::fingerprint(std::string_view word) const {
  return options_.fold_case ? hash_of(lowercase(word)) : hash_of(word);
}

std::vector<bool> lines_for_tokenizer(const FilterOptions& options, const ParallelText& text) {
  const bool filtered =
      options.max_words > 0 || options.min_word_count > 1 || !options.held_out.empty();
  if (!filtered && text.faults().count() == 0) return {};
  const TextFilter filter(options, text);
  std::vector<bool> kept(size_t(text.pairs()));
  PairReader reader(text);
  std::string source, target;
  while (reader.next(source, target))
    kept[size_t(reader.line())] =
        !filtered || filter.decide(source, target) == FilterDecision::kept;
  return kept;
}

}  // namespace heed
