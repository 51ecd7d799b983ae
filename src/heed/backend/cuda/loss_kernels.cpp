#include "heed/backend/cuda/fill.h"
#include "heed/backend/cuda/loss.h"
#include "heed/backend/cuda/memory.h"
#include "heed/backend/cuda/top_k.h"

namespace heed::cuda {
namespace {

void row_losses(Tensor& logits, const Indices& labels, int64_t first,
                const CrossEntropyOptions& options, Tensor& losses) {
  if (logits.rows() == 0) return;
  check(logits.columns() <= kMaxClasses, "[cross_entropy] too many classes");
  cross_entropy({device_data<float>(logits), labels.data_in(cuda_memory()) + first,
                 device_data<float>(losses), logits.rows(), logits.columns()},
                options.smoothing, options.gradient_scale);
}

// Sorting needs memory for all classes of the rows that are sorted at a time.
constexpr int64_t kSortBytes = 256 << 20;

void sort_for_best(TopKOperands operands) {
  const int64_t length = sorted_classes(operands.classes), all_rows = operands.rows;
  const int64_t rows =
      std::clamp<int64_t>(kSortBytes / (length * int64_t(sizeof(uint64_t))), 1, all_rows);
  Scratch<uint64_t> keys(rows * length);
  Scratch<PieceSum> sums(rows * row_pieces(operands.classes).count);
  operands.keys = keys.data();
  operands.sums = sums.data();
  for (int64_t begin = 0; begin < all_rows; begin += rows) {
    operands.rows = std::min(rows, all_rows - begin);
    many_best(operands);
    operands.logits += operands.rows * operands.classes;
    operands.best += operands.rows * operands.k;
  }
}

void find_few(TopKOperands operands) {
  const int64_t pieces = row_pieces(operands.classes).count;
  if (pieces == 1) return few_best(operands);
  Scratch<uint64_t> keys(operands.rows * pieces * operands.k);
  Scratch<PieceSum> sums(operands.rows * pieces);
  operands.keys = keys.data();
  operands.sums = sums.data();
  few_best(operands);
}

TopK top_k(const Tensor& logits, int64_t k) {
  TopK top;
  if (logits.rows() == 0) return top;
  check(logits.columns() <= kMaxClasses, "[top_k] too many classes");
  Scratch<Best> best(logits.rows() * k);
  const TopKOperands operands = {.logits = device_data<float>(logits),
                                 .rows = logits.rows(),
                                 .classes = logits.columns(),
                                 .k = k,
                                 .best = best.data(),
                                 .keys = nullptr,
                                 .sums = nullptr};
  k <= kFewBest ? find_few(operands) : sort_for_best(operands);
  top.ids.reserve(size_t(logits.rows() * k));
  top.log_probabilities.reserve(size_t(logits.rows() * k));
  for (const Best& one : best.to_host()) {
    top.ids.push_back(one.id);
    top.log_probabilities.push_back(one.log_probability);
  }
  return top;
}

}  // namespace

void fill_loss(Kernels& kernels) {
  kernels.cross_entropy = row_losses;
  kernels.top_k = top_k;
}

}  // namespace heed::cuda
