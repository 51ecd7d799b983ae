#include "heed/core/tensor_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace heed {
namespace {

constexpr std::align_val_t kAlignment{64};

// Blocks from this size on are mapped. They are zeros that cost nothing until they are written,
// and freeing them gives the memory back: the heap, whose free blocks lie between used ones, kept
// a tenth of a training's memory.
constexpr int64_t kMapped = int64_t{256} << 10;

std::byte* map_zeros(size_t bytes) {
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(mapped);
}

class HostMemory : public TensorMemory {
 public:
  HostMemory() : TensorMemory(MemoryKind::host) {}
  std::byte* allocate(int64_t bytes) override {
    if (bytes >= kMapped) return map_zeros(size_t(bytes));
    return static_cast<std::byte*>(::operator new(size_t(std::max<int64_t>(bytes, 1)), kAlignment));
  }
  void release(std::byte* data, int64_t bytes) noexcept override {
    if (bytes >= kMapped)
      munmap(data, size_t(bytes));
    else
      ::operator delete(data, kAlignment);
  }
  std::shared_ptr<std::byte> zeros(int64_t bytes) override {
    std::shared_ptr<std::byte> block(allocate(bytes),
                                     [this, bytes](std::byte* data) { release(data, bytes); });
    if (bytes < kMapped) fill_zeros(block.get(), bytes);
    return block;
  }
  void fill_zeros(std::byte* to, int64_t bytes) override {
    if (bytes > 0) std::memset(to, 0, size_t(bytes));
  }
  void copy(const std::byte* from, std::byte* to, int64_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, size_t(bytes));
  }
  void upload(const std::byte* host, std::byte* to, int64_t bytes) override {
    copy(host, to, bytes);
  }
  void download(const std::byte* from, std::byte* host, int64_t bytes) override {
    copy(from, host, bytes);
  }
};

class MetaMemory : public TensorMemory {
 public:
  MetaMemory() : TensorMemory(MemoryKind::device) {}
  std::byte* allocate(int64_t) override { return nullptr; }
  void release(std::byte*, int64_t) noexcept override {}
  std::shared_ptr<std::byte> zeros(int64_t) override { return nullptr; }
  bool has_values() const override { return false; }
  void fill_zeros(std::byte*, int64_t) override {}
  void copy(const std::byte*, std::byte*, int64_t) override {}
  void upload(const std::byte*, std::byte*, int64_t) override {}
  void download(const std::byte*, std::byte* host, int64_t bytes) override {
    host_memory()->fill_zeros(host, bytes);
  }
};

}  // namespace

const std::shared_ptr<TensorMemory>& host_memory() {
  // Never destroyed: tensors of static duration may be freed after it.
  static const auto& memory = *new std::shared_ptr<TensorMemory>(std::make_shared<HostMemory>());
  return memory;
}

const std::shared_ptr<TensorMemory>& meta_memory() {
  static const auto& memory = *new std::shared_ptr<TensorMemory>(std::make_shared<MetaMemory>());
  return memory;
}

}  // namespace heed
