// A parallel corpus: checked as text, encoded once, then read from a memory-mapped file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "heed/core/files.h"
#include "heed/core/parallel.h"
#include "heed/core/ragged.h"
#include "heed/text/tokenizer.h"

namespace heed {

// Pairs of text files, line by line translations of each other; file k of one side belongs to
// file k of the other. Building one reads them all once, so that every defect is told at the
// start: a file that cannot be read, sides of different length (Error with both counts), bytes
// that are not UTF-8 (Error with file, line and byte), no lines at all.
class ParallelText {
 public:
  using Paths = std::vector<std::filesystem::path>;
  ParallelText(Paths source, Paths target);

  const Paths& source() const { return source_; }
  const Paths& target() const { return target_; }
  // All lines of one side.
  int64_t pairs() const { return pairs_; }
  // Of what the lines say, compressed or not.
  uint64_t fingerprint() const { return fingerprint_; }

 private:
  Paths source_, target_;
  int64_t pairs_ = 0;
  uint64_t fingerprint_ = 0;
};

// Which pairs a corpus keeps; 0 switches a filter off, but for max_tokens. Words are what stands
// between ASCII whitespace.
struct FilterOptions {
  int64_t max_tokens = 256;    // of either side, </s> included; at most 65535
  int64_t max_words = 0;       // of either side
  double max_ratio = 0;        // of the longer side's tokens to the shorter's, </s> not included
  int64_t min_word_count = 0;  // drops pairs with a word rarer than this on its side of the corpus
};

// How many pairs were read, kept and dropped, each for the first reason that holds, in this order.
struct FilterReport {
  int64_t read = 0;
  int64_t kept = 0;
  int64_t empty = 0;           // no token on one side or both
  int64_t too_many_words = 0;  // FilterOptions::max_words
  int64_t rare_words = 0;      // FilterOptions::min_word_count
  int64_t too_long = 0;        // FilterOptions::max_tokens
  int64_t odd_ratio = 0;       // FilterOptions::max_ratio
};
// "kept 28990 of 29000 pairs; dropped 7 empty, 3 longer than ...": one line for a log.
std::string to_string(const FilterReport& report);

// The number of tokens of a pair's sides, </s> not included.
struct PairLength {
  int32_t source = 0;
  int32_t target = 0;
};

// The encoded pairs that passed the filters, in the order of the text. Const: any thread may read.
class Corpus {
 public:
  // Called now and then while encoding, with the pairs done so far.
  using Progress = std::function<void(int64_t pairs)>;

  // Takes `cache` if it holds this text under these tokenizers and filters, undamaged; else encodes
  // the text and replaces it. Its bytes do not depend on the number of workers. Error: no pair
  // passes the filters (with the counts).
  static Corpus open(const ParallelText& text, const TokenizerPair& tokenizers,
                     const FilterOptions& filters, const std::filesystem::path& cache,
                     Workers& workers, const Progress& progress = {});

  int64_t size() const { return report_.kept; }
  PairLength length(int64_t pair) const;
  // Append the ids of one side, without </s>.
  void append_source(int64_t pair, std::vector<TokenId>& ids) const;
  void append_target(int64_t pair, std::vector<TokenId>& ids) const;
  // Where the pair stood in the text: 0 is the first line of the first file, later files go on.
  int64_t line(int64_t pair) const;

  const FilterReport& report() const { return report_; }
  // Over all pairs, without </s>.
  int64_t source_tokens() const { return source_tokens_; }
  int64_t target_tokens() const { return target_tokens_; }
  // Whether open() found the cache usable.
  bool reused() const { return reused_; }

 private:
  struct Record;
  Corpus() = default;
  const Record& record(int64_t pair) const;
  void append(int64_t pair, int64_t begin, int64_t count, std::vector<TokenId>& ids) const;
  bool map(const std::filesystem::path& cache, uint64_t key);

  MappedFile file_;
  const uint64_t* blocks_ = nullptr;  // where each block of pairs begins in the file
  int token_bytes_ = 2;
  FilterReport report_;
  int64_t source_tokens_ = 0;
  int64_t target_tokens_ = 0;
  bool reused_ = false;
};

}  // namespace heed
