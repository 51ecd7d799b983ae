#include "heed/data/text_filter.h"

#include <algorithm>
#include <string>

#include "heed/core/hash.h"
#include "heed/core/unicode.h"
#include "heed/data/comparison_form.h"
#include "heed/text/words.h"

namespace heed {

TextFilter::TextFilter(const FilterOptions& options, const ParallelText& text)
    : options_(options),
      source_words_(options.fold_source_case),
      target_words_(options.fold_target_case) {
  if (options.min_word_count <= 1) return;
  PairReader reader(text);
  std::string source, target;
  while (reader.next(source, target)) {
    source_words_.add(source);
    target_words_.add(target);
  }
}

FilterDecision TextFilter::decide(std::string_view source, std::string_view target) const {
  if (is_blank(source) || is_blank(target)) return FilterDecision::empty;
  if (options_.max_words > 0 &&
      std::max(detail::count_words(source), detail::count_words(target)) > options_.max_words)
    return FilterDecision::too_many_words;
  if (options_.min_word_count > 1 && (source_words_.has_rare(source, options_.min_word_count) ||
                                      target_words_.has_rare(target, options_.min_word_count)))
    return FilterDecision::rare_words;
  if (!options_.held_out.empty() &&
      std::binary_search(options_.held_out.begin(), options_.held_out.end(),
                         detail::line_fingerprint(source)))
    return FilterDecision::held_out;
  return FilterDecision::kept;
}

void TextFilter::WordCounts::add(std::string_view line) {
  detail::for_each_word(line,
                        [&](std::string_view word) { return ++counts_[fingerprint(word)] > 0; });
}

bool TextFilter::WordCounts::has_rare(std::string_view line, int64_t least) const {
  bool found = false;
  detail::for_each_word(line, [&](std::string_view word) {
    const auto count = counts_.find(fingerprint(word));
    found = count == counts_.end() || count->second < least;
    return !found;
  });
  return found;
}

uint64_t TextFilter::WordCounts::fingerprint(std::string_view word) const {
  return fold_case_ ? hash_of(lowercase(word)) : hash_of(word);
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
