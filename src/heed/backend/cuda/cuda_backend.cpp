#include "heed/backend/cuda/cuda_backend.h"

#include "heed/backend/cuda/device.h"
#include "heed/backend/cuda/fill.h"
#include "heed/backend/cuda/memory.h"
#include "heed/backend/cuda/products.h"

namespace heed {
namespace {

class CudaBackend : public Backend {
 public:
  CudaBackend(std::string device, DType compute) : device_(std::move(device)), compute_(compute) {
    cuda::fill_elementwise(*this);
    cuda::fill_rows(compute, *this);
    cuda::fill_attention(*this);
    cuda::fill_attention_steps(*this);
    cuda::fill_recurrent(*this);
    cuda::fill_loss(*this);
    cuda::fill_linear(compute, *this);
  }

  std::string name() const override {
    return fmt::format("cuda ({}, {})", device_, heed::name(compute_));
  }
  DType compute_type() const override { return compute_; }
  const std::shared_ptr<TensorMemory>& memory() const override { return cuda::cuda_memory(); }
  // Few launches, each of which fills the device.
  Tuning tuning() const override {
    return {.task_elements = int64_t{1} << 30,
            .logit_bytes = int64_t{1} << 30,
            .logit_rows = 8192,
            .many_threads = false,
            .defers_gradients = false};
  }

 private:
  const std::string device_;
  const DType compute_;
};

}  // namespace

CudaDevice find_cuda_device() {
  cuda::Device device;
  CudaDevice found;
  if (cuda::find_device(device, found.why_not) && cuda::find_products(found.why_not))
    found.name = device.name;
  return found;
}

std::unique_ptr<Backend> make_cuda_backend(DType compute) {
  const CudaDevice device = find_cuda_device();
  if (device.name.empty()) fail_usage("--device cuda: {}", device.why_not);
  check(compute == DType::fp32 || compute == DType::bf16, "CUDA computes in fp32 or bf16");
  return std::make_unique<CudaBackend>(device.name, compute);
}

}  // namespace heed
