#include "heed/backend/cuda/loss.h"
#include "heed/backend/cuda/parts-inl.h"
#include "heed/backend/cuda/row_scan-inl.h"

namespace heed::cuda {
namespace {

struct LossOptions {
  double smoothing, gradient_scale;
};

// The sums over the logits of a row that its loss and gradient are computed from.
struct LogitSums {
  float top;
  double exponentials;  // sum of e^(logit - top)
  double total;         // sum of logits
};

template <bool kAligned>
__device__ LogitSums sum_logits(const Thread& thread, const float* row, int classes) {
  SharedMemory shared(thread);
  auto* const partial = shared.take<double>(thread.warps());
  auto* const partial_tops = shared.take<float>(thread.warps());
  Exponentials own;
  float total = 0;
  for_each_four<kAligned>(thread, row, classes, [&](const Four& x, int, int n) {
    own.raise(highest_of(x));
    own.add(x);
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += x.values[i];
    total += sum;
  });
  LogitSums sums;
  sums.top = block_max(thread, own.top, partial_tops);
  sums.exponentials = block_sum(thread, own.sum_below(sums.top), partial);
  sums.total = block_sum(thread, double(total), partial);
  return sums;
}

// From the last column to the first: what was read last is the most likely to be in the cache.
template <bool kAligned>
__device__ void write_gradient(const Thread& thread, const LogitSums& sums, int label,
                               const LossOptions& options, float* row, int classes) {
  const auto factor = float(options.gradient_scale / sums.exponentials);
  const auto everywhere = float(-options.gradient_scale * (options.smoothing / double(classes)));
  const auto wanted = float(options.gradient_scale * (1 - options.smoothing));
  const int stride = 4 * thread.threads();
  for (int begin = (classes - 1) / stride * stride; begin >= 0; begin -= stride) {
    const int c = begin + 4 * thread.index();
    const int n = classes - c < 4 ? classes - c : 4;
    if (n <= 0) continue;
    Four x = load_four<kAligned>(row + c, n);
    for (int i = 0; i < 4; ++i) {
      x.values[i] = fmaf(expf(x.values[i] - sums.top), factor, everywhere);
      if (c + i == label) x.values[i] -= wanted;
    }
    if (kAligned && n == 4)
      *reinterpret_cast<Four*>(row + c) = x;
    else
      for (int i = 0; i < n; ++i) row[c + i] = x.values[i];
  }
}

template <bool kAligned>
__device__ void row_cross_entropy(const Thread& thread, const CrossEntropyOperands& operands,
                                  const LossOptions& options) {
  const auto classes = int(operands.classes);
  float* const row = operands.logits + thread.block() * operands.classes;
  const int label = operands.labels[thread.block()];
  const double wanted = row[label];  // read before the sums, whose barriers precede the gradient
  const LogitSums sums = sum_logits<kAligned>(thread, row, classes);
  if (thread.index() == 0) {
    const double normalizer = double(sums.top) + log(sums.exponentials);
    const double nll = normalizer - wanted;
    const double even = normalizer - sums.total / double(classes);
    const double epsilon = options.smoothing;
    float* const losses = operands.losses + 2 * thread.block();
    // Without smoothing `even` is left out: it is infinite if a class has no probability, and
    // 0 * infinity is not a number.
    losses[0] = float(epsilon == 0 ? nll : (1 - epsilon) * nll + epsilon * even);
    losses[1] = float(nll);
  }
  if (options.gradient_scale != 0)
    write_gradient<kAligned>(thread, sums, label, options, row, classes);
}

// A block for each row.
template <int kThreads>
void launch_cross_entropy(const CrossEntropyOperands& operands, const LossOptions& options) {
  constexpr int64_t kShared = kThreads / kWarp * int64_t(sizeof(double) + sizeof(float)) + 16;
  launch<kThreads>(operands.rows, kShared, [=] __device__(const Thread& thread) {
    if (is_aligned(operands.logits + thread.block() * operands.classes))
      row_cross_entropy<true>(thread, operands, options);
    else
      row_cross_entropy<false>(thread, operands, options);
  });
}

}  // namespace

void cross_entropy(const CrossEntropyOperands& operands, double smoothing, double gradient_scale) {
  const LossOptions options = {smoothing, gradient_scale};
  if (operands.classes <= kShortRow)
    launch_cross_entropy<kFewThreads>(operands, options);
  else
    launch_cross_entropy<kManyThreads>(operands, options);
}

}  // namespace heed::cuda
