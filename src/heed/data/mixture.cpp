#include "heed/data/mixture.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/rng.h"

namespace heed {

namespace {

constexpr uint64_t kMixtureStream = 0x31;  // apart from the other uses of the seed

}  // namespace

Mixture::Mixture(const Dataset& data, std::vector<MixturePart> parts,
                 std::vector<MixtureStage> stages, uint64_t seed)
    : data_(data),
      parts_(std::move(parts)),
      stages_(std::move(stages)),
      seed_(detail::mix(seed, kMixtureStream)) {
  check(!stages_.empty(), "a mixture without a stage");
  for (const MixturePart& part : parts_)
    check(part.begin >= 0 && part.size() > 0 && part.end <= data.size(), "an empty part");
  for (const MixtureStage& stage : stages_)
    check(stage.weights.size() == parts_.size() && stage.weights[stage.leading] > 0,
          "a stage without the part that leads it");
}

void Mixture::set_begins(std::vector<int64_t> begins) {
  check(!begins.empty() && begins.front() == 0 && begins.size() <= stages_.size() &&
            std::ranges::is_sorted(begins),
        "stages that begin in another order");
  begins_ = std::move(begins);
}

size_t Mixture::part_of(uint32_t index) const {
  const auto found = std::ranges::find_if(parts_, [&](const MixturePart& part) {
    return int64_t{index} >= part.begin && int64_t{index} < part.end;
  });
  check(found != parts_.end(), "an example of no part");
  return size_t(found - parts_.begin());
}

int64_t Mixture::drawn_before(size_t part, int64_t epoch) const {
  int64_t drawn = 0;
  for (size_t s = 0; s < begins_.size() && begins_[s] < epoch; ++s) {
    const MixtureStage& stage = stages_[s];
    const int64_t end = s + 1 < begins_.size() ? std::min(begins_[s + 1], epoch) : epoch;
    const double of_epoch =
        double(parts_[stage.leading].size()) * stage.weights[part] / stage.weights[stage.leading];
    // Rounded over all epochs of the stage, so that the share of a small part is exact in the end.
    drawn += std::llround(of_epoch * double(end - begins_[s]));
  }
  return drawn;
}

void Mixture::add_drawn(size_t part, int64_t begin, int64_t end, std::vector<uint32_t>& all) const {
  const int64_t size = parts_[part].size();
  std::vector<uint32_t> order;
  for (int64_t at = begin; at < end;) {
    const int64_t pass = at / size, first = at - pass * size;
    const int64_t last = std::min(size, end - pass * size);
    order.resize(size_t(size));
    std::iota(order.begin(), order.end(), uint32_t(parts_[part].begin));
    Random(detail::mix(detail::mix(seed_, part), uint64_t(pass))).shuffle(order);
    all.insert(all.end(), order.begin() + first, order.begin() + last);
    at += last - first;
  }
}

std::vector<uint32_t> Mixture::of_epoch(int64_t epoch) const {
  std::vector<uint32_t> all;
  for (size_t part = 0; part < parts_.size(); ++part)
    add_drawn(part, drawn_before(part, epoch), drawn_before(part, epoch + 1), all);
  return all;
}

}  // namespace heed
