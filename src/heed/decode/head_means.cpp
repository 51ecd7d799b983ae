#include "heed/decode/head_means.h"

#include <cmath>

namespace heed {

std::string HeadReport::role() const {
  const auto names = enum_names(KeyPosition{});
  size_t best = 0;
  for (size_t i = 1; i < weights.size(); ++i)
    if (weights[i].value_or(0) > weights[best].value_or(0)) best = i;
  if (weights[best].value_or(0) >= kLeastWeight) return std::string(names[best].first);
  return entropy >= kLeastEntropy ? "diffuse" : "mixed";
}

std::optional<double> HeadMeans::Sum::mean() const {
  if (count == 0) return {};
  return total / double(count);
}

void HeadMeans::add(const float* weights, int64_t queries, int64_t keys) {
  for (int64_t query = 0; query < queries; ++query)
    add_query(weights + query * keys, query, queries, keys);
}

void HeadMeans::add_query(const float* weights, int64_t query, int64_t queries, int64_t keys) {
  const bool cross = site_ == AttentionSite::cross, decoder = site_ == AttentionSite::decoder_self;
  const int64_t visible = decoder ? query + 1 : keys;
  const int64_t middle =
      !cross ? query
             : (queries < 2
                    ? 0
                    : int64_t(std::lround(double(query) * double(keys - 1) / double(queries - 1))));
  const auto add = [&](KeyPosition position, int64_t key) {
    if (key >= 0 && key < visible) positions_[size_t(position)].add(weights[key]);
  };
  if (cross) {
    add(KeyPosition::diagonal, middle);
  } else {
    add(KeyPosition::previous, query - 1);
    add(KeyPosition::same, query);
    add(KeyPosition::next, query + 1);
  }
  add(KeyPosition::first, 0);
  if (!decoder) add(KeyPosition::last, keys - 1);
  for (int64_t offset = -HeadReport::kMostOffset; offset <= HeadReport::kMostOffset; ++offset) {
    const int64_t key = middle + offset;
    if (key >= 0 && key < visible)
      offsets_[size_t(offset + HeadReport::kMostOffset)].add(weights[key]);
  }
  if (visible < 2) return;
  double entropy = 0;
  for (int64_t key = 0; key < visible; ++key)
    if (weights[key] > 0) entropy -= double(weights[key]) * std::log(double(weights[key]));
  entropy_.add(entropy / std::log(double(visible)));
}

HeadReport HeadMeans::report() const {
  HeadReport report;
  for (size_t i = 0; i < positions_.size(); ++i) report.weights[i] = positions_[i].mean();
  for (size_t i = 0; i < offsets_.size(); ++i) report.offsets[i] = offsets_[i].mean();
  report.entropy = entropy_.mean().value_or(0);
  return report;
}

}  // namespace heed
