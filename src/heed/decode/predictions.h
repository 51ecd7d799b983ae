// The model's predictions at one step, a row for each position that predicts a token.
#pragma once

#include <algorithm>
#include <map>
#include <span>

#include "heed/backend/backend.h"
#include "heed/decode/finite.h"
#include "heed/decode/sampling.h"

namespace heed {

class Predictions {
 public:
  // Classes of a row, most probable first, with their log-probabilities.
  struct Best {
    std::span<const TokenId> ids;
    std::span<const float> log_probabilities;
  };

  // At most the `most` best classes of each row of `logits` are available. Error where a row has a
  // logit that is NaN or infinite.
  Predictions(Backend& backend, const Tensor& logits, int64_t most)
      : backend_(backend),
        logits_(logits),
        most_(std::min(most, classes())),
        // Most rows of a wide beam contribute few candidates: the others extend theirs.
        found_(most_ <= kFew ? most_ : kFirst),
        top_(backend.top_k(logits, found_)) {
    // One such logit makes the sum of a row's exponentials NaN, and so every log-probability.
    for (int64_t row = 0; row < logits.rows(); ++row)
      expect_finite(double(top_.log_probabilities[size_t(row * found_)]));
  }

  int64_t classes() const { return logits_.columns(); }
  // The best classes of a row that were computed so far.
  Best best(int64_t row) const {
    const auto wide = wider_.find(row);
    if (wide != wider_.end()) return {wide->second.ids, wide->second.log_probabilities};
    return {std::span(top_.ids).subspan(size_t(row * found_), size_t(found_)),
            std::span(top_.log_probabilities).subspan(size_t(row * found_), size_t(found_))};
  }
  // Computes more of a row's best classes; false where `most` are computed already.
  bool find_more(int64_t row) {
    const auto found = int64_t(best(row).ids.size());
    if (found >= most_) return false;
    wider_[row] = backend_.top_k(logits_.slice(row, row + 1), std::min(most_, 8 * found));
    return true;
  }

  double logit(int64_t row, TokenId id) const {
    const int64_t at = row * classes() + id;
    const Tensor& logits = on_host();
    return logits.dtype() == DType::f32 ? double(logits.data<float>()[at])
                                        : logits.data<double>()[at];
  }
  // Sets `all` to every class of a row with its logit.
  void choices(int64_t row, std::vector<Choice>& all) const {
    all.resize(size_t(classes()));
    const auto read = [&](const auto* logits) {
      for (size_t i = 0; i < all.size(); ++i) all[i] = {TokenId(i), double(logits[i])};
    };
    const Tensor& logits = on_host();
    if (logits.dtype() == DType::f32)
      read(logits.data<float>() + row * classes());
    else
      read(logits.data<double>() + row * classes());
  }
  double log_probability(int64_t row, TokenId id) const {
    const size_t at = size_t(row * found_);
    return double(top_.log_probabilities[at]) + (logit(row, id) - logit(row, top_.ids[at]));
  }

 private:
  static constexpr int64_t kFew = 24, kFirst = 16;

  // Beam search without a forced prefix needs none of the logits here.
  const Tensor& on_host() const {
    if (!host_logits_) host_logits_ = to_host(logits_);
    return host_logits_;
  }

  Backend& backend_;
  Tensor logits_;
  mutable Tensor host_logits_;  // none until they are needed
  int64_t most_, found_;
  TopK top_;                       // the `found_` best of each row
  std::map<int64_t, TopK> wider_;  // rows of find_more()
};

}  // namespace heed
