// Training text that is mixed of several corpora, in shares that change from stage to stage.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/data/dataset.h"

namespace heed {

// Consecutive examples of a dataset.
struct MixturePart {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};

// How much of each part the epochs of a stage have.
struct MixtureStage {
  std::vector<double> weights;  // of the parts, relative to each other; 0: not in this stage
  size_t leading = 0;           // the part of which each epoch is one pass
};

// The examples of a dataset, of which each epoch has a share of each part. The examples of a part
// are in an order of its own that is drawn for each pass over it, and an epoch continues where the
// one before ended: all are learned from equally often, however large the part and its share are.
// The examples of an epoch are a function of the seed, the stages and the epochs they began with.
class Mixture : public Dataset {
 public:
  // The dataset must outlive it. No part is empty, and the leading one of a stage has a weight.
  Mixture(const Dataset& data, std::vector<MixturePart> parts, std::vector<MixtureStage> stages,
          uint64_t seed);

  // Tells with which epochs the stages so far began: ascending, the first is 0. Not to be called
  // while another thread uses the mixture.
  void set_begins(std::vector<int64_t> begins);

  int64_t size() const override { return data_.size(); }
  ExampleSize bound(int64_t index) const override { return data_.bound(index); }
  ExampleSize size_in(int64_t epoch, int64_t index) const override {
    return data_.size_in(epoch, index);
  }
  std::vector<Example> examples(int64_t epoch, std::span<const uint32_t> indices) const override {
    return data_.examples(epoch, indices);
  }
  std::vector<uint32_t> of_epoch(int64_t epoch) const override;

  // The number of the part that has an example.
  size_t part_of(uint32_t index) const;

 private:
  // The examples of a part in all epochs before this one.
  int64_t drawn_before(size_t part, int64_t epoch) const;
  void add_drawn(size_t part, int64_t begin, int64_t end, std::vector<uint32_t>& all) const;

  const Dataset& data_;
  const std::vector<MixturePart> parts_;
  const std::vector<MixtureStage> stages_;
  const uint64_t seed_;
  std::vector<int64_t> begins_{0};
};

}  // namespace heed
