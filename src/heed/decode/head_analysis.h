// The average attention of each head of a model over a text, and the loss without the head.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/core/parallel.h"
#include "heed/decode/model_outputs.h"
#include "heed/model/captured_attention.h"
#include "heed/model/parameters.h"

namespace heed {

// Positions in the attention of the encoder are those of the source, of cross-attention those of
// target (query) and source (key). Query i of the decoder predicts piece i. Key j of the decoder is
// its input at position j: <pad>, or piece j - 1.
enum class KeyPosition { previous, same, next, first, last, diagonal };
constexpr std::array<std::pair<std::string_view, KeyPosition>, 6> enum_names(KeyPosition) {
  return {{{"previous", KeyPosition::previous},
           {"same", KeyPosition::same},
           {"next", KeyPosition::next},
           {"first", KeyPosition::first},
           {"last", KeyPosition::last},
           // In cross-attention, the source position nearest to the target position, scaled by the
           // lengths.
           {"diagonal", KeyPosition::diagonal}}};
}

struct HeadReport {
  static constexpr int64_t kMaxOffset = 10;
  static constexpr double kMinWeight = 0.4, kMinEntropy = 0.7;

  // Mean weight of each KeyPosition, over the queries that have such a key; no value where no query
  // can have one, such as `next` in the decoder.
  std::array<std::optional<double>, enum_names(KeyPosition{}).size()> weights;
  // Mean over the queries of the entropy of their weights, divided by the logarithm of the number
  // of keys: 0 if all weight is on one key, 1 if all keys have the same.
  double entropy = 0;
  // Mean weight of the key at an offset of -10 to 10 from the query, or from the diagonal.
  std::array<std::optional<double>, 2 * kMaxOffset + 1> offsets;
  // Cross entropy in nats a token with the head's columns of W^O set to zero.
  double loss_without = 0;

  // The position with the largest weight, if that is at least kMinWeight; else "diffuse" if the
  // entropy is at least kMinEntropy; else "mixed".
  std::string role() const;
};

// One head's mean weights over matrices [queries, keys], one for each sentence, without
// `loss_without`.
class HeadMeans {
 public:
  explicit HeadMeans(AttentionSite site) : site_(site) {}
  void add(const float* weights, int64_t queries, int64_t keys);
  HeadReport report() const;

 private:
  struct Sum {
    double total = 0;
    int64_t count = 0;
    void add(double value) { total += value, ++count; }
    std::optional<double> mean() const;
  };

  void add_query(const float* weights, int64_t query, int64_t queries, int64_t keys);

  AttentionSite site_;
  std::array<Sum, enum_names(KeyPosition{}).size()> positions_;
  std::array<Sum, 2 * HeadReport::kMaxOffset + 1> offsets_;
  Sum entropy_;
};

struct HeadAnalysis {
  int64_t lines = 0, left_out = 0;  // pairs that were looked at, and those that were not
  int64_t source_tokens = 0, target_tokens = 0;  // </s> included
  double loss = 0;  // cross entropy in nats a token, without label smoothing
  // By AttentionSite, [layers * heads].
  std::array<std::vector<HeadReport>, 3> sites;
};

// The heads of a model over pairs of lines. Pairs without a source and pairs with more tokens than
// the model has positions are left out; Error if none remain. `weights` are the model's
// parameters, in fp32 and packed for the backend. The call changes them, and restores them unless
// it throws. `progress` is called with the number of heads whose loss_without has been computed,
// and the number of all heads.
HeadAnalysis analyze_heads(const ModelParts& parts, const std::vector<Parameter>& weights,
                           const std::vector<std::pair<std::string, std::string>>& pairs,
                           Workers& workers,
                           const std::function<void(int64_t done, int64_t all)>& progress = {});

}  // namespace heed
