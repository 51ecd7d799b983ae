#include "heed/backend/attention_steps.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

// The bucket among `count` of a distance of at least 0: one for each short distance, in the first
// half, then ever wider ones. As transformers computes it (T5Attention._relative_position_bucket).
int64_t bucket_of_distance(int64_t distance, int64_t count) {
  const int64_t exact = count / 2;
  if (distance < exact) return distance;
  const double share = std::log(double(distance) / double(std::max<int64_t>(exact, 1))) /
                       std::log(double(PositionBuckets::kMaxDistance) / double(exact));
  // At the first distance of a bucket the product is a whole number, which rounding must not miss.
  const auto further = int64_t(share * double(count - exact) + 1e-9);
  return std::min(exact + further, count - 1);
}

}  // namespace

int64_t PositionBuckets::of(int64_t query_position, int64_t key_position) const {
  const int64_t distance = key_position - query_position;
  switch (kind) {
    case Kind::absolute:
      return key_position < count ? key_position : -1;
    case Kind::clipped:
      return std::clamp(distance, -(count / 2), count / 2) + count / 2;
    case Kind::t5:
      return (distance > 0 ? count / 2 : 0) + bucket_of_distance(std::abs(distance), count / 2);
    case Kind::t5_causal:
      return bucket_of_distance(std::max<int64_t>(-distance, 0), count);
  }
  return -1;
}

}  // namespace heed
