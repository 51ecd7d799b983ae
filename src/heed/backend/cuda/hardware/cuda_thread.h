// A thread of a kernel, on the hardware. Kernels are written against this class alone; the tests
// have another of the same name that runs on the host (tests/cuda_emulation/cuda_thread.h).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "heed/backend/cuda/device.h"

namespace heed::cuda {

// Threads of a warp, which run in step and exchange values without memory.
constexpr int kWarp = 32;

class Thread {
 public:
  // The block's number among those of the launch.
  __device__ int64_t block() const { return blockIdx.x; }
  __device__ int64_t blocks() const { return gridDim.x; }
  // The thread's number in its block.
  __device__ int index() const { return int(threadIdx.x); }
  __device__ int threads() const { return int(blockDim.x); }
  __device__ int lane() const { return int(threadIdx.x) % kWarp; }
  __device__ int warp() const { return int(threadIdx.x) / kWarp; }
  __device__ int warps() const { return int(blockDim.x) / kWarp; }

  // Waits for all threads of the block, whose writes to shared memory are then seen by all.
  __device__ void barrier() const { __syncthreads(); }
  // The value that lane `lane ^ mask` of this warp passes. All lanes of the warp call it.
  template <class T>
  __device__ T shuffle_xor(T value, int mask) const {
    return __shfl_xor_sync(0xffffffffu, value, mask);
  }
  // The value that lane `lane` of this warp passes. All lanes of the warp call it.
  template <class T>
  __device__ T shuffle(T value, int lane) const {
    return __shfl_sync(0xffffffffu, value, lane);
  }
};

// The shared memory of a block, taken in pieces: every thread takes the same ones in the same
// order. The sum of their sizes, each rounded up to 16 bytes, must not exceed what the launch asked
// for.
class SharedMemory {
 public:
  __device__ explicit SharedMemory(const Thread&) {}
  // `count` elements, their values undefined.
  template <class T>
  __device__ T* take(int64_t count) {
    extern __shared__ __align__(16) unsigned char memory[];
    T* const piece = reinterpret_cast<T*>(memory + used_);
    used_ += (count * int64_t(sizeof(T)) + 15) / 16 * 16;
    return piece;
  }

 private:
  int64_t used_ = 0;
};

namespace detail {

template <int kThreads, class Kernel>
__global__ void __launch_bounds__(kThreads) run(const Kernel kernel) {
  kernel(Thread());
}

void expect_launched();  // throws the error of a launch that failed

}  // namespace detail

// Runs kernel(Thread) on `blocks` blocks of kThreads threads each, a multiple of kWarp, after all
// launches before it. shared_bytes: of SharedMemory for each block.
template <int kThreads, class Kernel>
void launch(int64_t blocks, int64_t shared_bytes, const Kernel& kernel) {
  static_assert(kThreads % kWarp == 0);
  if (blocks == 0) return;
  if (shared_bytes > 48 * 1024)
    cudaFuncSetAttribute(detail::run<kThreads, Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         int(shared_bytes));
  detail::run<kThreads><<<unsigned(blocks), kThreads, size_t(shared_bytes)>>>(kernel);
  detail::expect_launched();
}

}  // namespace heed::cuda
