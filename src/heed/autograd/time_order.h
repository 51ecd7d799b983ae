// The order in which a recurrent layer computes the rows of a batch.
#pragma once

#include <vector>

#include "heed/core/ragged.h"
#include "heed/core/tensor.h"

namespace heed {

// The order in which a layer reads a sequence.
enum class ReadingOrder { forward, backward };

// The rows of a batch step by step: those of step 0 of all sequences, then those of step 1, and so
// on. In each step longer sequences come first, so that the sequences of a step are the first ones
// of the step before: nothing is padded.
class TimeOrder {
 public:
  explicit TimeOrder(const Ragged& layout, ReadingOrder order = ReadingOrder::forward);

  int64_t steps() const { return int64_t(begins_.size()) - 1; }
  // The rows of step t, and how many there are.
  int64_t begin(int64_t t) const { return begins_[size_t(t)]; }
  int64_t count(int64_t t) const { return begins_[size_t(t) + 1] - begins_[size_t(t)]; }
  int64_t rows() const { return begins_.back(); }
  Tensor step(const Tensor& x, int64_t t) const { return x.slice(begin(t), begin(t) + count(t)); }
  // The rows of step t - 1 that step t continues.
  Tensor before_step(const Tensor& x, int64_t t) const {
    return x.slice(begin(t - 1), begin(t - 1) + count(t));
  }

  // Permutations as "tokens" of a table, by which embed() gathers its rows. The first three are of
  // rows: the row of the batch of each row of this order, and the other way round; and, for the
  // rows after step 0, the row of the step before.
  const Tokens& to_time() const { return rows_; }
  const Tokens& from_time() const { return places_; }
  const Tokens& to_before() const { return before_; }
  // The last two are of sequences: all in the order of step 0, and the place of each there.
  const Tokens& sequences() const { return sequences_; }
  const Tokens& sequence_places() const { return sequence_places_; }

 private:
  std::vector<int64_t> begins_ = {0};
  Tokens rows_, places_, before_, sequences_, sequence_places_;
};

// These rows as one sequence of "tokens".
Tokens row_tokens(std::vector<int32_t> rows);

}  // namespace heed
