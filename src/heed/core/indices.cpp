#include "heed/core/indices.h"

namespace heed {

void Indices::push_back(int32_t value) {
  values_.push_back(value);
  uploaded_ = {};
}

void Indices::append(std::span<const int32_t> values) {
  values_.insert(values_.end(), values.begin(), values.end());
  uploaded_ = {};
}

void Indices::clear() {
  values_.clear();
  uploaded_ = {};
}

const int32_t* Indices::data_in(const std::shared_ptr<TensorMemory>& memory) const {
  if (memory->is_host()) return values_.data();
  if (uploaded_.memory != memory) {
    const auto bytes = int64_t(values_.size() * sizeof(int32_t));
    std::shared_ptr<std::byte> block(memory->allocate(bytes), [memory, bytes](std::byte* data) {
      memory->release(data, bytes);
    });
    memory->upload(reinterpret_cast<const std::byte*>(values_.data()), block.get(), bytes);
    uploaded_ = {memory, std::move(block)};
  }
  return reinterpret_cast<const int32_t*>(uploaded_.block.get());
}

}  // namespace heed
