#include "heed/data/text_filter.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "heed/core/error.h"
#include "heed/core/hash.h"
#include "heed/core/rng.h"
#include "heed/core/unicode.h"
#include "heed/data/comparison_form.h"
#include "heed/text/words.h"

namespace heed {

TextFilter::TextFilter(const FilterOptions& options, const ParallelText& text)
    : options_(options),
      has_source_(text.has_source()),
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

FilterDecision TextFilter::decide(int64_t line, std::string_view source,
                                  std::string_view target) const {
  if ((has_source_ && is_blank(source)) || is_blank(target)) return &FilterReport::empty;
  const bool is_tree = options_.target == TargetKind::tree;
  if (options_.target != TargetKind::text && !is_tree) {
    const bool of_words = options_.target == TargetKind::labels_of_words;
    if (detail::count_words(target) != (of_words ? detail::count_words(source) : 1))
      return &FilterReport::unequal_labels;
  }
  const int64_t max_words = options_.limits_of(line).max_words;
  if (max_words > 0 &&
      std::max(detail::count_words(source), is_tree ? 0 : detail::count_words(target)) > max_words)
    return &FilterReport::too_many_words;
  if (options_.min_word_count > 1 && (source_words_.has_rare(source, options_.min_word_count) ||
                                      target_words_.has_rare(target, options_.min_word_count)))
    return &FilterReport::rare_words;
  if (!options_.held_out.empty() &&
      std::binary_search(options_.held_out.begin(), options_.held_out.end(),
                         detail::line_fingerprint(key(source, target))))
    return &FilterReport::held_out;
  return &FilterReport::kept;
}

void TextFilter::WordCounts::add(std::string_view line) {
  for (const std::string_view word : detail::words_of(line)) ++counts_[fingerprint(word)];
}

bool TextFilter::WordCounts::has_rare(std::string_view line, int64_t least) const {
  return std::ranges::any_of(detail::words_of(line), [&](std::string_view word) {
    const auto count = counts_.find(fingerprint(word));
    return count == counts_.end() || count->second < least;
  });
}

uint64_t TextFilter::WordCounts::fingerprint(std::string_view word) const {
  return fold_case_ ? hash_of(lowercase(word)) : hash_of(word);
}

std::vector<bool> lines_for_tokenizer(const FilterOptions& options, const ParallelText& text) {
  const bool limited = std::ranges::any_of(
      options.parts, [](const CorpusPart& part) { return part.limits.max_words > 0; });
  const bool filtered = options.max_words > 0 || limited || options.min_word_count > 1 ||
                        !options.held_out.empty() || options.target != TargetKind::text;
  if (!filtered && text.faults().count() == 0) return {};
  const TextFilter filter(options, text);
  std::vector<bool> kept(size_t(text.pairs()));
  PairReader reader(text);
  std::string source, target;
  while (reader.next(source, target))
    kept[size_t(reader.line())] =
        !filtered || filter.decide(reader.line(), source, target) == &FilterReport::kept;
  return kept;
}

HeldOut hold_out(const ParallelText& text, const FilterOptions& filters, int64_t count,
                 uint64_t seed) {
  const TextFilter filter(filters, text);
  std::string source, target;
  std::unordered_set<uint64_t> seen;
  const auto fingerprint = [&] { return detail::line_fingerprint(filter.key(source, target)); };
  // Whether the last pair can be drawn: it passes the filters and is the first with its source.
  const int64_t end = filters.parts.empty() ? text.pairs() : filters.parts.front().end;
  const auto eligible = [&](int64_t line) {
    return line < end && filter.decide(line, source, target) == &FilterReport::kept &&
           seen.insert(fingerprint()).second;
  };
  int64_t left = 0;
  for (PairReader reader(text); reader.next(source, target);)
    left += eligible(reader.line()) ? 1 : 0;
  if (left <= count)
    fail("--hold-out {} leaves nothing to learn from: the filters keep {} different {}", count,
         left, text.has_source() ? "sources" : "lines");
  seen.clear();
  HeldOut held;
  Random random(seed);
  int64_t wanted = count;
  for (PairReader reader(text); wanted > 0 && reader.next(source, target);) {
    if (!eligible(reader.line()) || random.below(uint64_t(left--)) >= uint64_t(wanted)) continue;
    --wanted;
    held.sources.push_back(fingerprint());
    held.source += source + "\n";
    held.target += target + "\n";
  }
  std::sort(held.sources.begin(), held.sources.end());
  return held;
}

}  // namespace heed
