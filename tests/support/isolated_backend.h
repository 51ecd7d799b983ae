// A backend whose memory cannot be read or written but by its kernels, as that of a device: a
// stray access of the code above faults.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "heed/backend/backend.h"

namespace heed::testing {

// Tensor::data() is refused on all threads that run no kernel. And pages have no access between
// kernels, for which a pointer from elsewhere would fault: in every eighth gap, since changing the
// access of pages takes longer than most kernels of the tests.
class IsolatedMemory : public TensorMemory {
 public:
  IsolatedMemory() : TensorMemory(MemoryKind::device) {
    void* mapped =
        mmap(nullptr, kSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<std::byte*>(mapped);
  }
  ~IsolatedMemory() override { munmap(begin_, kSize); }

  // Permits access on this thread as long as it lives.
  class Access {
   public:
    explicit Access(IsolatedMemory& memory) : memory_(memory) {
      ++depth_;
      const std::lock_guard lock(memory_.mutex_);
      if (memory_.running_++ == 0 && memory_.faults_) memory_.protect(PROT_READ | PROT_WRITE);
    }
    ~Access() {
      --depth_;
      const std::lock_guard lock(memory_.mutex_);
      if (--memory_.running_ == 0 && ++memory_.gaps_ % kFaultingGap == 0)
        memory_.protect(PROT_NONE);
    }
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

   private:
    IsolatedMemory& memory_;
  };

  std::byte* allocate(int64_t bytes) override {
    const int64_t size = (bytes + 63) / 64 * 64 + 64;
    const std::lock_guard lock(mutex_);
    for (auto& [data, block] : blocks_)
      if (block.free && block.size >= size && block.size <= 2 * size) {
        block.free = false;
        return data;
      }
    if (size > kSize - used_) throw std::bad_alloc();
    std::byte* const block = begin_ + used_;
    used_ += size;
    blocks_[block] = {size};
    protect(faults_ ? PROT_NONE : PROT_READ | PROT_WRITE);
    return block;
  }
  void release(std::byte* data, int64_t) noexcept override {
    if (data == nullptr) return;
    const std::lock_guard lock(mutex_);
    blocks_.find(data)->second.free = true;
  }
  std::shared_ptr<std::byte> zeros(int64_t bytes) override {
    std::shared_ptr<std::byte> block(allocate(bytes),
                                     [this, bytes](std::byte* data) { release(data, bytes); });
    fill_zeros(block.get(), bytes);
    return block;
  }
  bool host_has_access() const override { return depth_ > 0; }
  void fill_zeros(std::byte* to, int64_t bytes) override {
    const Access access(*this);
    std::memset(to, 0, size_t(bytes));
  }
  void copy(const std::byte* from, std::byte* to, int64_t bytes) override {
    const Access access(*this);
    std::memcpy(to, from, size_t(bytes));
  }
  void upload(const std::byte* host, std::byte* to, int64_t bytes) override {
    ++uploads_;
    if (bytes > 0) copy(host, to, bytes);
  }
  void download(const std::byte* from, std::byte* host, int64_t bytes) override {
    if (bytes > 0) copy(from, host, bytes);
  }

  int64_t uploads() const { return uploads_; }

 private:
  static constexpr int64_t kFaultingGap = 8;
  static constexpr int64_t kSize = int64_t{8} << 30;  // of addresses

  struct Block {
    int64_t size;
    bool free = false;
  };

  void protect(int access) {
    faults_ = access == PROT_NONE;
    const int64_t pages = (used_ + 4095) / 4096 * 4096;
    check(pages == 0 || mprotect(begin_, size_t(pages), access) == 0, "mprotect failed");
  }

  static inline thread_local int depth_ = 0;

  std::byte* begin_ = nullptr;
  std::mutex mutex_;
  int64_t used_ = 0;
  int running_ = 0;     // kernels at work
  bool faults_ = true;  // whether pages have no access now
  int64_t gaps_ = 0;    // between kernels, so far
  std::map<std::byte*, Block> blocks_;
  std::atomic<int64_t> uploads_ = 0;
};

class IsolatedBackend : public Backend {
 public:
  explicit IsolatedBackend(std::unique_ptr<Backend> inner);
  std::string name() const override { return inner_->name(); }
  DType compute_type() const override { return inner_->compute_type(); }
  Tuning tuning() const override { return inner_->tuning(); }
  const std::shared_ptr<TensorMemory>& memory() const override { return memory_; }

 private:
  std::unique_ptr<Backend> inner_;
  std::shared_ptr<TensorMemory> memory_ = std::make_shared<IsolatedMemory>();
};

// Whether the environment asks for isolated backends (HEED_ISOLATED_MEMORY): the tests of models,
// training and decoding run a second time so.
inline bool isolation_asked() {
  return std::getenv("HEED_ISOLATED_MEMORY") != nullptr;
}
inline std::unique_ptr<Backend> isolated_if_asked(std::unique_ptr<Backend> backend) {
  if (!isolation_asked()) return backend;
  return std::make_unique<IsolatedBackend>(std::move(backend));
}

}  // namespace heed::testing
