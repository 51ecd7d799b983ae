// What one head looks at on average: how much of its weight is on which positions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "heed/model/captured_attention.h"

namespace heed {

// Positions in the attention of the encoder are those of the source, of cross-attention those of
// target (query) and source (key). Query i of the decoder predicts piece i, and its key j is the
// decoder's input there: <pad>, or piece j - 1.
enum class KeyPosition { previous, same, next, first, last, diagonal };
constexpr std::array<std::pair<std::string_view, KeyPosition>, 6> enum_names(KeyPosition) {
  return {{{"previous", KeyPosition::previous},
           {"same", KeyPosition::same},
           {"next", KeyPosition::next},
           {"first", KeyPosition::first},
           {"last", KeyPosition::last},
           // Of cross-attention: the source position nearest to the target position, scaled by the
           // lengths.
           {"diagonal", KeyPosition::diagonal}}};
}

struct HeadReport {
  static constexpr int64_t kMostOffset = 10;
  static constexpr double kLeastWeight = 0.4, kLeastEntropy = 0.7;

  // Mean weight of each KeyPosition, over the queries that have such a key; nothing where that
  // means nothing, such as `next` in the decoder.
  std::array<std::optional<double>, enum_names(KeyPosition{}).size()> weights;
  // Mean over the queries of the entropy of their weights, divided by the logarithm of the number
  // of keys: 0 if all weight is on one key, 1 if all keys have the same.
  double entropy = 0;
  // Mean weight of the key at an offset of -10 to 10 from the query, or from the diagonal.
  std::array<std::optional<double>, 2 * kMostOffset + 1> offsets;
  // Cross entropy in nats a token with the head's output set to zero: its part of W^O.
  double loss_without = 0;

  // The position with the largest weight, if that is at least kLeastWeight; else "diffuse" if the
  // entropy is at least kLeastEntropy; else "mixed".
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
  std::array<Sum, 2 * HeadReport::kMostOffset + 1> offsets_;
  Sum entropy_;
};

}  // namespace heed
