// The k most probable classes of each row of logits.
#pragma once

#include <cstdint>

namespace heed::cuda {

// A row is read in pieces, by a block each. Their number depends on the classes alone, and so does
// the order in which the exponentials are summed. The classes are at most kMaxClasses (loss.h).
struct RowPieces {
  int64_t count, classes;  // how many, and how many classes each of them has but the last
};
RowPieces row_pieces(int64_t classes);

// The sum of e^(logit - top) over a piece, where top is its highest logit.
struct PieceSum {
  double sum;
  float top;
};

struct Best {
  int32_t id;
  float log_probability;
};

struct TopKOperands {
  const float* logits;  // [rows, classes]
  int64_t rows, classes;
  int64_t k;
  Best* best;      // [rows, k], best first; ties: the lower id first
  uint64_t* keys;  // memory for the time of the call: see below
  PieceSum* sums;  // the same: [rows, pieces]
};

// For k <= kFewBest. keys: [rows, pieces, k]. For rows of one piece keys and sums may be null.
constexpr int64_t kFewBest = 64;
void few_best(const TopKOperands& operands);

// For any k: sorts all classes. keys: [rows, sorted_classes(classes)].
void many_best(const TopKOperands& operands);
int64_t sorted_classes(int64_t classes);  // the next power of 2

}  // namespace heed::cuda
