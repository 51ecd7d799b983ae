#include "heed/backend/cuda/device.h"

#include <cstdlib>
#include <cstring>

namespace heed::cuda {

bool find_device(Device& device, std::string&) {
  device = {"emulation", 2, 100 << 10};
  return true;
}

void* allocate(int64_t bytes) {
  void* data = nullptr;
  return posix_memalign(&data, 64, size_t(bytes)) == 0 ? data : nullptr;
}
void release(void* data) noexcept {
  std::free(data);
}
void fill_zeros(void* to, int64_t bytes) {
  std::memset(to, 0, size_t(bytes));
}
void copy(const void* from, void* to, int64_t bytes) {
  std::memcpy(to, from, size_t(bytes));
}
void upload(const void* host, void* to, int64_t bytes) {
  copy(host, to, bytes);
}
void download(const void* from, void* host, int64_t bytes) {
  copy(from, host, bytes);
}

}  // namespace heed::cuda
