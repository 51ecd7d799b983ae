#include <cuda_runtime.h>

#include <stdexcept>

#include "heed/backend/cuda/device.h"

namespace heed::cuda {
namespace {

void expect(cudaError_t result) {
  if (result != cudaSuccess)
    throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(result));
}

}  // namespace

bool find_device(Device& device, std::string& why_not) {
  int count = 0;
  cudaDeviceProp properties = {};
  cudaError_t result = cudaGetDeviceCount(&count);
  if (result == cudaSuccess && count == 0) result = cudaErrorNoDevice;
  if (result == cudaSuccess) result = cudaGetDeviceProperties(&properties, 0);
  if (result == cudaSuccess) result = cudaSetDevice(0);
  if (result == cudaErrorInsufficientDriver)
    why_not = "this machine has no NVIDIA driver for CUDA " + std::to_string(CUDART_VERSION / 1000);
  else if (result != cudaSuccess)
    why_not = cudaGetErrorString(result);
  if (result != cudaSuccess) return false;
  device.name = properties.name;
  device.multiprocessors = properties.multiProcessorCount;
  device.shared_bytes = int64_t(properties.sharedMemPerBlockOptin);
  return true;
}

void* allocate(int64_t bytes) {
  void* data = nullptr;
  const cudaError_t result = cudaMalloc(&data, size_t(bytes));
  if (result == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // forgets it
    return nullptr;
  }
  expect(result);
  return data;
}

void release(void* data) noexcept {
  cudaFree(data);
}

void fill_zeros(void* to, int64_t bytes) {
  expect(cudaMemsetAsync(to, 0, size_t(bytes)));
}

void copy(const void* from, void* to, int64_t bytes) {
  expect(cudaMemcpyAsync(to, from, size_t(bytes), cudaMemcpyDeviceToDevice));
}

void upload(const void* host, void* to, int64_t bytes) {
  expect(cudaMemcpyAsync(to, host, size_t(bytes), cudaMemcpyHostToDevice));
}

void download(const void* from, void* host, int64_t bytes) {
  expect(cudaMemcpy(host, from, size_t(bytes), cudaMemcpyDeviceToHost));
}

namespace detail {

void expect_launched();
void expect_launched() {
  expect(cudaGetLastError());
}

}  // namespace detail
}  // namespace heed::cuda
