// Softmax over classes: the smoothed cross entropy (section 5.4) and the top k.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/loss.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Elements of a block (32 vectors): its sum is computed in float, that of all blocks in double.
constexpr int64_t kSumBlock = 32 * kLanes;

// The maximum and the sum of the logits of one row.
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

// The sum of e^(logit - top). These replace the logits if Float is not const.
template <class Float>
double sum_of_exponentials(Float* row, int64_t classes, float top) {
  double total = 0;
  for (int64_t begin = 0; begin < classes; begin += kSumBlock) {
    const int64_t end = std::min(begin + kSumBlock, classes);
    Vector sum = zero();
    for (int64_t c = begin; c < end; c += kLanes) {
      const Vector value = exp(hn::Sub(load(row + c, end - c), set(top)));
      if constexpr (!std::is_const_v<Float>) store(value, row + c, end - c);
      sum = hn::Add(sum, first(value, end - c, zero()));
    }
    total += double(sum_of(sum));
  }
  return total;
}

void cross_entropy(Tensor& logits, const Indices& labels, int64_t first,
                   const CrossEntropyOptions& options, Tensor& losses) {
  const int64_t classes = logits.columns();
  const double even = options.smoothing / double(classes);
  for (int64_t r = 0; r < logits.rows(); ++r) {
    float* row = logits.data<float>() + r * classes;
    float* loss = losses.data<float>() + 2 * r;
    const TokenId label = labels[size_t(first + r)];
    const double wanted = row[label];
    const auto [top, total] = top_and_total(row, classes);
    const bool gradient = options.gradient_scale != 0;
    const double sum = gradient ? sum_of_exponentials<float>(row, classes, top)
                                : sum_of_exponentials<const float>(row, classes, top);
    const double normalizer = double(top) + std::log(sum);
    const double nll = normalizer - wanted;
    loss[0] = float((1 - options.smoothing) * nll +
                    options.smoothing * (normalizer - total / double(classes)));
    loss[1] = float(nll);
    if (!gradient) continue;
    const Vector factor = set(float(options.gradient_scale / sum));
    const Vector everywhere = set(float(-options.gradient_scale * even));
    for (int64_t c = 0; c < classes; c += kLanes)
      store(hn::MulAdd(load(row + c, classes - c), factor, everywhere), row + c, classes - c);
    row[label] -= float(options.gradient_scale * (1 - options.smoothing));
  }
}

// The k best of a row, best first; ties: the lower id first. Sorted by insertion: for small k.
class FewBest {
 public:
  explicit FewBest(int64_t k) : ids_(size_t(k), 0), values_(size_t(k), -kInfinity) {}

  void reset() { count_ = 0; }
  void finish() {}
  // A later class must exceed it.
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

// The same for any k: collects what is above the bar, and keeps the k best of it whenever 2 k have
// come. A row costs its length and k log k.
class ManyBest {
 public:
  explicit ManyBest(int64_t k)
      : k_(size_t(k)), keys_(2 * size_t(k)), ids_(size_t(k), 0), values_(size_t(k), -kInfinity) {}

  void reset() {
    count_ = 0;
    full_ = false;
  }
  float bar() const { return bar_; }
  bool full() const { return full_; }
  void offer(float value, TokenId id) {
    if (full_ && !(value > bar_)) return;
    keys_[count_++] = key(value, id);
    if (count_ == keys_.size()) keep_best();
  }
  void finish() {
    if (count_ > k_) keep_best();
    std::sort(keys_.begin(), keys_.begin() + ptrdiff_t(k_), std::greater<>());
    for (size_t i = 0; i < k_; ++i) {
      ids_[i] = id_of(keys_[i]);
      values_[i] = value_of(keys_[i]);
    }
  }
  const std::vector<TokenId>& ids() const { return ids_; }
  const std::vector<float>& values() const { return values_; }

 private:
  // Greater for greater values, then for lower ids. What is not a number comes last.
  static uint64_t key(float value, TokenId id) {
    const float sound = std::isnan(value) ? -kInfinity : value + 0.0f;  // -0 becomes 0
    uint32_t bits;
    std::memcpy(&bits, &sound, sizeof bits);
    bits = (bits & kSign) != 0 ? ~bits : bits | kSign;
    return uint64_t(bits) << 32 | uint32_t(~uint32_t(id));
  }
  static TokenId id_of(uint64_t key) { return TokenId(~uint32_t(key)); }
  static float value_of(uint64_t key) {
    auto bits = uint32_t(key >> 32);
    bits = (bits & kSign) != 0 ? bits & ~kSign : ~bits;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  void keep_best() {
    const auto last = keys_.begin() + ptrdiff_t(k_) - 1;
    std::nth_element(keys_.begin(), last, keys_.begin() + ptrdiff_t(count_), std::greater<>());
    count_ = k_;
    full_ = true;
    bar_ = value_of(*last);
  }

  static constexpr uint32_t kSign = 0x80000000u;
  size_t k_, count_ = 0;
  float bar_ = -kInfinity;
  bool full_ = false;
  std::vector<uint64_t> keys_;
  std::vector<TokenId> ids_;
  std::vector<float> values_;
};

template <class Best>
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
  best.finish();
}

template <class Best>
TopK top_k_by(const Tensor& logits, int64_t k) {
  const int64_t classes = logits.columns(), rows = logits.rows();
  TopK top;
  top.ids.reserve(size_t(rows * k));
  top.log_probabilities.reserve(size_t(rows * k));
  Best best(k);
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = logits.data<float>() + r * classes;
    find_best(row, classes, best);
    const float highest = best.values().front();
    const double normalizer =
        double(highest) + std::log(sum_of_exponentials<const float>(row, classes, highest));
    top.ids.insert(top.ids.end(), best.ids().begin(), best.ids().end());
    for (float value : best.values())
      top.log_probabilities.push_back(float(double(value) - normalizer));
  }
  return top;
}

// Where insertion is no longer the fastest.
constexpr int64_t kFew = 24;

TopK top_k(const Tensor& logits, int64_t k) {
  return k <= kFew ? top_k_by<FewBest>(logits, k) : top_k_by<ManyBest>(logits, k);
}

}  // namespace

void fill_loss_kernels(CpuKernels& kernels) {
  kernels.cross_entropy = cross_entropy;
  kernels.top_k = top_k;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_loss_kernels);
void fill_loss(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_loss_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
