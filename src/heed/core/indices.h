// Integers of a batch that kernels read: token ids, offsets, rows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "heed/core/tensor_memory.h"

namespace heed {

// A vector of integers. It is uploaded to the memory of a device at its first use there, and again
// after the values changed, so that all layers of a step share one upload. Copies of the object
// share it too.
class Indices {
 public:
  Indices() = default;
  Indices(std::initializer_list<int32_t> values) : values_(values) {}
  Indices(std::vector<int32_t> values) : values_(std::move(values)) {}  // NOLINT: a conversion

  size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  int32_t operator[](size_t i) const { return values_[i]; }
  const int32_t* data() const { return values_.data(); }
  int32_t back() const { return values_.back(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  operator std::span<const int32_t>() const { return values_; }  // NOLINT: a conversion

  void push_back(int32_t value);
  void append(std::span<const int32_t> values);
  void clear();

  // The address of the values in `memory`, which are uploaded if they are not there yet. Must not
  // be called by two threads at the same time.
  const int32_t* data_in(const std::shared_ptr<TensorMemory>& memory) const;

  friend bool operator==(const Indices& a, const Indices& b) { return a.values_ == b.values_; }

 private:
  struct Uploaded {
    std::shared_ptr<TensorMemory> memory;
    std::shared_ptr<std::byte> block;
  };
  std::vector<int32_t> values_;
  mutable Uploaded uploaded_;
};

}  // namespace heed
