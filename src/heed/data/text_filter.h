// The filters that need text alone. They run before the vocabulary is learned, which is learned
// from the remaining pairs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/text/parallel_text.h"

namespace heed {

// Whether a pair is kept, or the first filter that rejects it: its count in a FilterReport.
using FilterDecision = int64_t FilterReport::*;

// Filters of words, empty sides and held-out sources. decide() may be called from any thread.
class TextFilter {
 public:
  // Reads the text to count its words if a filter needs that.
  TextFilter(const FilterOptions& options, const ParallelText& text);

  // Any decision of a filter that needs no tokens, on the pair of this line (from 0).
  FilterDecision decide(int64_t line, std::string_view source, std::string_view target) const;

  bool has_source() const { return has_source_; }
  // The line by which a held-out pair is recognized: its source, if the text has sources.
  std::string_view key(std::string_view source, std::string_view target) const {
    return has_source_ ? source : target;
  }

 private:
  // The words of one side.
  class WordCounts {
   public:
    explicit WordCounts(bool fold_case) : fold_case_(fold_case) {}
    void add(std::string_view line);
    // Whether the line has a word that occurs fewer than `least` times.
    bool has_rare(std::string_view line, int64_t least) const;

   private:
    uint64_t fingerprint(std::string_view word) const;
    const bool fold_case_;
    std::unordered_map<uint64_t, int64_t> counts_;  // a few bytes per word of any length
  };

  FilterOptions options_;
  bool has_source_;
  WordCounts source_words_, target_words_;
};

// The lines that TextFilter keeps, from which the tokenizers learn: false for a line whose pair the
// filter or ParallelText drops. Empty if all lines are kept.
std::vector<bool> lines_for_tokenizer(const FilterOptions& options, const ParallelText& text);

// Validation pairs that are taken out of the training text.
struct HeldOut {
  std::string source, target;  // the lines of the pairs, in the order of the text; a text without
                               // sources has empty ones
  std::vector<uint64_t> sources;  // fingerprints for FilterOptions::held_out, ascending
};

// `count` random pairs of those that pass the filters of TextFilter, with distinct sources, or
// distinct lines of a text without sources; of the first part of the text, if it has parts. Error:
// the text has fewer.
HeldOut hold_out(const ParallelText& text, const FilterOptions& filters, int64_t count,
                 uint64_t seed);

}  // namespace heed
