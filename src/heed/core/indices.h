// Integers of a batch that kernels read: token ids, offsets, rows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "heed/core/tensor_memory.h"

namespace heed {

// A vector of integers, with a copy in the memory of a device from the first use there until the
// values change: what all layers of a step read is uploaded once. A copy of the object shares it.
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

  // The address of the values in `memory`, uploaded where they are not there yet. One object is not
  // to be used by two threads at a time.
  const int32_t* in(const std::shared_ptr<TensorMemory>& memory) const;

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
