// The filters that need text alone: they run before a vocabulary is learned, which then has
// the words of the remaining pairs.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/text/corpus.h"
#include "heed/text/parallel_text.h"

namespace heed {

// Why a pair is dropped; the first reason that holds.
enum class Verdict { kept, empty, too_many_words, rare_words, held_out, too_long, odd_ratio };

// Const while it decides: any thread may ask.
class WordFilter {
 public:
  // Reads the text to count its words where a filter needs that.
  WordFilter(const FilterOptions& options, const ParallelText& text);

  // Any verdict but the two that need tokens.
  Verdict judge(std::string_view source, std::string_view target) const;

 private:
  // How often each word of one side occurs, by its fingerprint: a few bytes a word, whatever its
  // length.
  using WordCounts = std::unordered_map<uint64_t, int64_t>;

  void count(std::string_view line, WordCounts& counts) const;
  bool has_rare(std::string_view line, const WordCounts& counts) const;
  uint64_t fingerprint(std::string_view word) const;

  FilterOptions options_;
  WordCounts source_words_, target_words_;
};

// Whether a tokenizer learns from each line of either side: not if these filters drop its pair
// or left out of the text. Nothing at all where every line is.
std::vector<bool> kept_by_words(const FilterOptions& options, const ParallelText& text);

}  // namespace heed
