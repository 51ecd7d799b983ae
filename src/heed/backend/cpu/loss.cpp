// Softmax over classes: the smoothed cross entropy (section 5.4) and the best classes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/loss.cpp"
#include "hwy/foreach_target.h"
// behind foreach_target.h
#include <cmath>
#include <limits>

#include "heed/backend/cpu/dispatch.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Sums run in float over this many vectors, in double over such blocks.
constexpr int64_t kSumBlock = 32 * kLanes;

// Of the logits, over one row.
struct RowSums {
  float top;
  double total;
};

RowSums top_and_total(const float* row, int64_t classes) {
  Vector top = set(-kInfinity);
  double total = 0;
  for (int64_t begin = 0; begin < classes; begin += kSumBlock) {
    const int64_t end = std::min(begin + kSumBlock, classes);
    Vector sum = zero();
    for (int64_t c = begin; c < end; c += kLanes) {
      const Vector value = load(row + c, end - c);
      top = hn::Max(top, first(value, end - c, set(-kInfinity)));
      sum = hn::Add(sum, value);
    }
    total += double(sum_of(sum));
  }
  return {max_of(top), total};
}

enum class Keep { no, yes };

// The sum of e^(logit - top); under Keep::yes these replace the logits.
template <Keep kKeep>
double sum_of_exponentials(float* row, int64_t classes, float top) {
  double total = 0;
  for (int64_t begin = 0; begin < classes; begin += kSumBlock) {
    const int64_t end = std::min(begin + kSumBlock, classes);
    Vector sum = zero();
    for (int64_t c = begin; c < end; c += kLanes) {
      const Vector value = exp(hn::Sub(load(row + c, end - c), set(top)));
      if constexpr (kKeep == Keep::yes) store(value, row + c, end - c);
      sum = hn::Add(sum, first(value, end - c, zero()));
    }
    total += double(sum_of(sum));
  }
  return total;
}

void cross_entropy(const Tensor& logits, std::span<const TokenId> labels,
                   const CrossEntropyOptions& options, const Tensor& losses) {
  const int64_t classes = logits.columns();
  const double even = options.smoothing / double(classes);
  for (int64_t r = 0; r < logits.rows(); ++r) {
    float* row = logits.data<float>() + r * classes;
    float* loss = losses.data<float>() + 2 * r;
    const TokenId label = labels[size_t(r)];
    const double wanted = row[label];
    const auto [top, total] = top_and_total(row, classes);
    const bool gradient = options.gradient_scale != 0;
    const double sum = gradient ? sum_of_exponentials<Keep::yes>(row, classes, top)
                                : sum_of_exponentials<Keep::no>(row, classes, top);
    const double normalizer = double(top) + std::log(sum);
    const double plain = normalizer - wanted;
    loss[0] = float((1 - options.smoothing) * plain +
                    options.smoothing * (normalizer - total / double(classes)));
    loss[1] = float(plain);
    if (!gradient) continue;
    const Vector factor = set(float(options.gradient_scale / sum));
    const Vector everywhere = set(float(-options.gradient_scale * even));
    for (int64_t c = 0; c < classes; c += kLanes)
      store(hn::MulAdd(load(row + c, classes - c), factor, everywhere), row + c, classes - c);
    row[label] -= float(options.gradient_scale * (1 - options.smoothing));
  }
}

// The k best of a row, best first; ties: the lower id first.
class Best {
 public:
  explicit Best(int64_t k) : ids_(size_t(k), 0), values_(size_t(k), -kInfinity) {}

  void reset() { count_ = 0; }
  // What a later class must exceed.
  float bar() const { return count_ == values_.size() ? values_.back() : -kInfinity; }
  bool full() const { return count_ == values_.size(); }
  void offer(float value, TokenId id) {
    if (full() && !(value > values_.back())) return;
    size_t i = full() ? count_ - 1 : count_++;
    for (; i > 0 && value > values_[i - 1]; --i) {
      values_[i] = values_[i - 1];
      ids_[i] = ids_[i - 1];
    }
    values_[i] = value;
    ids_[i] = id;
  }
  const std::vector<TokenId>& ids() const { return ids_; }
  const std::vector<float>& values() const { return values_; }

 private:
  std::vector<TokenId> ids_;
  std::vector<float> values_;
  size_t count_ = 0;
};

void find_best(const float* row, int64_t classes, Best& best) {
  best.reset();
  for (int64_t c = 0; c < classes; c += kLanes) {
    const int64_t end = std::min(c + kLanes, classes);
    // Almost every vector holds nothing above the bar.
    if (best.full() && end == c + kLanes) {
      const auto above = hn::Gt(hn::LoadU(kFloats, row + c), set(best.bar()));
      if (hn::AllFalse(kFloats, above)) continue;
    }
    for (int64_t i = c; i < end; ++i) best.offer(row[i], TokenId(i));
  }
}

TopClasses top_classes(const Tensor& logits, int64_t k) {
  const int64_t classes = logits.columns(), rows = logits.rows();
  TopClasses top;
  top.ids.reserve(size_t(rows * k));
  top.log_probabilities.reserve(size_t(rows * k));
  Best best(k);
  for (int64_t r = 0; r < rows; ++r) {
    float* row = logits.data<float>() + r * classes;
    find_best(row, classes, best);
    const float highest = best.values().front();
    const double normalizer =
        double(highest) + std::log(sum_of_exponentials<Keep::no>(row, classes, highest));
    top.ids.insert(top.ids.end(), best.ids().begin(), best.ids().end());
    for (float value : best.values())
      top.log_probabilities.push_back(float(double(value) - normalizer));
  }
  return top;
}

}  // namespace

void fill_loss_kernels(Kernels& kernels) {
  kernels.cross_entropy = cross_entropy;
  kernels.top_classes = top_classes;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_loss_kernels);
void fill_loss(int64_t target, Kernels& kernels) {
  HWY_DISPATCH_TABLE(fill_loss_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
