// A parallel corpus: encoded once, then read from a memory-mapped file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/core/character_set.h"
#include "heed/core/files.h"
#include "heed/core/parallel.h"
#include "heed/core/ragged.h"
#include "heed/data/dataset.h"
#include "heed/data/filter_options.h"
#include "heed/text/character_counter.h"
#include "heed/text/parallel_text.h"
#include "heed/text/tokenizer.h"

namespace heed {

// Counts of pairs that were read, kept and dropped, or of lines where the text has no source. A
// dropped pair is counted once, under the first filter in this order that rejects it.
struct FilterReport {
  int64_t read = 0;
  int64_t kept = 0;
  int64_t invalid_utf8 = 0;     // skipped by ParallelText
  int64_t missing_column = 0;   // the same
  int64_t empty = 0;            // no token on one side or both
  int64_t unequal_labels = 0;   // FilterOptions::target
  int64_t too_many_words = 0;   // FilterOptions::max_words
  int64_t rare_words = 0;       // FilterOptions::min_word_count
  int64_t held_out = 0;         // held-out pairs: one for each of FilterOptions::held_out
  int64_t held_out_source = 0;  // other pairs with the same source as a held-out pair (or lines
                                // equal to one)
  int64_t too_long = 0;         // FilterOptions::max_sentence_tokens
  int64_t length_ratio = 0;     // FilterOptions::max_ratio
};
// "kept 28990 of 29000 pairs; dropped 7 empty, 3 longer than ...": one line for a log.
// `unit` is ParallelText::unit().
std::string to_string(const FilterReport& report, std::string_view unit);

// Facts about the text of a corpus that its ids do not tell.

// A line with text that the vocabulary lacks.
struct UnknownExample {
  int64_t line = 0;                // from 0
  std::vector<std::string> texts;  // of its tokens that are <unk>, some of them
};

// Facts about one side of the kept pairs.
struct SideFacts {
  CharacterSet characters;               // as the tokenizer normalizes them
  int64_t changed_lines = 0;             // those with a character that normalization changes
  std::vector<CharacterChange> changes;  // the most frequent ones
  int64_t unknown_lines = 0;             // those with a token that is <unk>
  std::vector<UnknownExample> unknown;   // the first ones
};

struct CorpusFacts {
  SideFacts source, target;
  // The tokens that the model can predict, and those of them that occur on neither side.
  int64_t tokens = 0, unused_tokens = 0;

  std::string json() const;
  // std::nullopt if the text is not as json() writes it.
  static std::optional<CorpusFacts> from_json(std::string_view text);
};

namespace detail {
struct CorpusRecord;
}

// The encoded pairs that passed the filters, in the order of the text. Const: any thread may read.
class Corpus : public Dataset {
 public:
  // Called from time to time during encoding, with the number of encoded pairs.
  using Progress = std::function<void(int64_t pairs)>;

  // Reuses `cache` if it was built from this text with these tokenizers and filters and is
  // undamaged; else encodes the text and replaces it. Its bytes do not depend on the number of
  // workers. Error: no pair passes the filters (with the counts).
  static Corpus open(const ParallelText& text, const TokenizerPair& tokenizers,
                     const FilterOptions& filters, const std::filesystem::path& cache,
                     Workers& workers, const Progress& progress = {});

  // Opens a cache file and checks every number in it. std::nullopt if it is missing, damaged, or
  // made with another key or vocabulary size. open() calls this first.
  static std::optional<Corpus> from_cache(const std::filesystem::path& cache, uint64_t key,
                                          int64_t vocabulary);

  int64_t size() const override { return report_.kept; }
  ExampleSize bound(int64_t index) const override;
  std::vector<Example> examples(int64_t epoch, std::span<const uint32_t> indices) const override;
  // The ids of both sides, without </s>.
  Example example(int64_t pair) const;
  // The line of the pair in the text: 0 is the first line of the first file, and later files
  // continue.
  int64_t line(int64_t pair) const;

  const FilterReport& report() const { return report_; }
  const CorpusFacts& facts() const { return facts_; }
  // Over all pairs, without </s>.
  int64_t source_tokens() const { return source_tokens_; }
  int64_t target_tokens() const { return target_tokens_; }
  // The hash of everything on which the content depends.
  uint64_t key() const { return key_; }
  // Whether open() found the cache usable.
  bool reused() const { return reused_; }

 private:
  Corpus() = default;
  const std::byte* block(int64_t pair) const;
  const detail::CorpusRecord& record(int64_t pair) const;

  MappedFile file_;
  const uint64_t* blocks_ = nullptr;  // where each block of pairs begins in the file
  int token_bytes_ = 2;
  uint64_t key_ = 0;
  FilterReport report_;
  CorpusFacts facts_;
  int64_t source_tokens_ = 0;
  int64_t target_tokens_ = 0;
  bool reused_ = false;
};

}  // namespace heed
