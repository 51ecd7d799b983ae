// A CUDA device as the host sees it. The tests have another implementation, on the host
// (tests/cuda_emulation). Read by nvcc too: C++17, and no other header of heed.
#pragma once

#include <cstdint>
#include <string>

namespace heed::cuda {

// The first device, if this machine has a driver and one that can run the kernels.
struct Device {
  std::string name;  // "NVIDIA H200"
  int multiprocessors = 0;
  int64_t shared_bytes = 0;  // that a block may have
};
// False, and why, if there is none.
bool find_device(Device& device, std::string& why_not);

// Memory of the device. Everything that is asked of it happens in the order of the calls, whichever
// threads they come from. A failed call throws std::runtime_error.
void* allocate(int64_t bytes);  // null if there is not enough
void release(void* data) noexcept;
void fill_zeros(void* to, int64_t bytes);
void copy(const void* from, void* to, int64_t bytes);
// The caller may overwrite the host's values when this returns.
void upload(const void* host, void* to, int64_t bytes);
// Waits for what was asked before.
void download(const void* from, void* host, int64_t bytes);

}  // namespace heed::cuda
