// The model's predictions at one step: a row of logits for each position that predicts a token.
#pragma once

#include <algorithm>
#include <map>
#include <span>

#include "heed/backend/backend.h"
#include "heed/decode/sampling.h"
#include "heed/model/finite.h"

namespace heed {

class Predictions {
 public:
  // Classes of a row, most probable first, with their log-probabilities.
  struct Best {
    std::span<const TokenId> ids;
    std::span<const float> log_probabilities;
  };

  // For each row of `logits`, best() gives at most the top max_k. Error if a logit is NaN or
  // +infinity, or all are -infinity.
  Predictions(Backend& backend, const Tensor& logits, int64_t max_k)
      : backend_(backend),
        logits_(logits),
        max_k_(std::min(max_k, classes())),
        // In a large beam most rows contribute few candidates; find_more() serves the others.
        computed_k_(max_k_ <= kSmallK ? max_k_ : kInitialK),
        top_(backend.top_k(logits, computed_k_)) {
    // NaN or +infinity makes the sum of a row's exponentials NaN, and with it every
    // log-probability.
    for (int64_t row = 0; row < logits.rows(); ++row)
      expect_finite(double(top_.log_probabilities[size_t(row * computed_k_)]));
  }

  int64_t classes() const { return logits_.columns(); }
  // The top classes of a row that are computed already.
  Best best(int64_t row) const {
    const auto more = extended_.find(row);
    if (more != extended_.end()) return {more->second.ids, more->second.log_probabilities};
    return {
        std::span(top_.ids).subspan(size_t(row * computed_k_), size_t(computed_k_)),
        std::span(top_.log_probabilities).subspan(size_t(row * computed_k_), size_t(computed_k_))};
  }
  // Computes more of a row's top classes; false if max_k of them are computed already.
  bool find_more(int64_t row) {
    const auto computed = int64_t(best(row).ids.size());
    if (computed >= max_k_) return false;
    extended_[row] = backend_.top_k(logits_.slice(row, row + 1), std::min(max_k_, 8 * computed));
    return true;
  }

  double logit(int64_t row, TokenId id) const {
    const auto at = size_t(row * classes() + id);
    return with_values(on_host(), [&](auto logits) { return double(logits[at]); });
  }
  // Sets `all` to every class of a row with its logit.
  void choices(int64_t row, std::vector<TokenWeight>& all) const {
    all.resize(size_t(classes()));
    with_values(on_host(), [&](auto logits) {
      const auto of_row = logits.subspan(size_t(row) * all.size(), all.size());
      for (size_t i = 0; i < all.size(); ++i) all[i] = {TokenId(i), double(of_row[i])};
    });
  }
  double log_probability(int64_t row, TokenId id) const {
    const size_t at = size_t(row * computed_k_);
    return double(top_.log_probabilities[at]) + (logit(row, id) - logit(row, top_.ids[at]));
  }

 private:
  static constexpr int64_t kSmallK = 24, kInitialK = 16;

  // Copied on first use: beam search without a forced prefix needs no logits on the host.
  const Tensor& on_host() const {
    if (!host_logits_) host_logits_ = to_host(logits_);
    return host_logits_;
  }

  Backend& backend_;
  Tensor logits_;
  mutable Tensor host_logits_;  // empty until it is needed
  int64_t max_k_, computed_k_;
  TopK top_;                          // the top computed_k_ of each row
  std::map<int64_t, TopK> extended_;  // of find_more(), by row
};

}  // namespace heed
