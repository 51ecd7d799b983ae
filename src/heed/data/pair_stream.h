// Pairs of lines of parallel text files, for inspection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/pair_facts.h"
#include "heed/text/lines.h"
#include "heed/text/text_file.h"

namespace heed::detail {

// Reads pairs. Lines without a partner are counted and skipped.
class PairStream {
 public:
  struct Place {
    size_t file = 0;
    int64_t line = 0;  // from 1
  };

  // Reads the first `most` lines of each side, or all if that is 0.
  // `usual_columns` are those of tab-separated text, by file.
  PairStream(const TextFiles& source, const TextFiles& target, int64_t most,
             std::vector<int64_t> usual_columns = {})
      : source_files_(source),
        target_files_(target),
        most_(most),
        usual_columns_(std::move(usual_columns)) {}

  bool next(RawPair& pair);

  // The file and line of the pair with this number (from 0).
  Place place(int64_t pair) const;

  int64_t pairs() const { return pairs_; }
  // The file of the pair that next() gave last.
  size_t file() const { return begins_.size() - 1; }
  // Whether it stopped at the maximum number of pairs.
  bool cut() const { return cut_; }
  // Lines without a partner, the first of them, and how many lines the two files have there.
  int64_t unpaired() const { return unpaired_; }
  Place first_unpaired() const { return stretches_.front().first; }
  const std::string& unequal() const { return unequal_; }
  // All of them: where each stretch begins, and its length.
  const std::vector<std::pair<Place, int64_t>>& stretches() const { return stretches_; }

 private:
  void count_rest();

  const TextFiles& source_files_;
  const TextFiles& target_files_;
  int64_t most_, pairs_ = 0, unpaired_ = 0;
  std::vector<int64_t> usual_columns_;
  bool cut_ = false;
  std::string unequal_;
  std::vector<std::pair<Place, int64_t>> stretches_;
  std::vector<int64_t> begins_;  // the first pair of each file so far
  std::optional<LineReader> source_, target_;
};

}  // namespace heed::detail
