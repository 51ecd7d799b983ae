// The memory that tensors are allocated in: the host's, or a device's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace heed {

enum class MemoryKind { host, device };

// Allocates, fills and copies blocks of one kind of memory. A backend computes in one of them
// (Backend::memory()), and nothing else reads or writes its blocks. May be used from any thread.
class TensorMemory {
 public:
  virtual ~TensorMemory() = default;
  // Whether the host can read and write blocks at their addresses. Asked at each access to the
  // values of a tensor, so the answer for host memory is not a virtual call.
  bool is_host() const { return kind_ == MemoryKind::host || host_has_access(); }

  // A block aligned to 64 bytes, its values undefined. std::bad_alloc if there is not enough
  // memory.
  virtual std::byte* allocate(int64_t bytes) = 0;
  // Frees what allocate(bytes) returned.
  virtual void release(std::byte* data, int64_t bytes) noexcept = 0;
  // A block of zeros.
  virtual std::shared_ptr<std::byte> zeros(int64_t bytes) = 0;

  // False for meta_memory(), whose blocks have a size only.
  virtual bool has_values() const { return true; }

  virtual void fill_zeros(std::byte* to, int64_t bytes) = 0;
  virtual void copy(const std::byte* from, std::byte* to, int64_t bytes) = 0;
  // From the host's memory, and to it.
  virtual void upload(const std::byte* host, std::byte* to, int64_t bytes) = 0;
  virtual void download(const std::byte* from, std::byte* host, int64_t bytes) = 0;

 protected:
  explicit TensorMemory(MemoryKind kind) : kind_(kind) {}
  // Whether this thread may use the addresses of device memory now, as kernels on the CPU may.
  virtual bool host_has_access() const { return false; }

 private:
  const MemoryKind kind_;
};

// The memory of the host. Large blocks are mapped: they return to the system when they are freed.
const std::shared_ptr<TensorMemory>& host_memory();

// A memory without values, as PyTorch's meta device, for dry runs that find out how much memory a
// computation needs: blocks take none, writing to them does nothing, and reading returns zeros.
const std::shared_ptr<TensorMemory>& meta_memory();

}  // namespace heed
