// The options --device and --compute: what computes, and in which type.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "heed/backend/backend.h"
#include "heed/core/options.h"

namespace heed {

enum class ComputeChoice { automatic, fp32, bf16, int8 };
constexpr std::array<std::pair<std::string_view, ComputeChoice>, 4> enum_names(ComputeChoice) {
  return {{{"auto", ComputeChoice::automatic},
           {"fp32", ComputeChoice::fp32},
           {"bf16", ComputeChoice::bf16},
           {"int8", ComputeChoice::int8}}};
}

enum class Device { cpu, cuda };
constexpr std::array<std::pair<std::string_view, Device>, 2> enum_names(Device) {
  return {{{"cpu", Device::cpu}, {"cuda", Device::cuda}}};
}

inline constexpr OptionInfo kDeviceOption{
    .help =
        "What computes: this machine's processor, or its first NVIDIA GPU (experimental; "
        "--threads is then 1 by default)",
    .ignored_in_comparison = true};

// The compute type and the device of a model. A compute type alone means the CPU.
struct Computation {
  Computation(ComputeChoice compute, Device device = Device::cpu)  // NOLINT: a conversion
      : compute(compute), device(device) {}

  ComputeChoice compute;
  Device device;
};

// How many threads compute if no option gives the number: all of the CPU, or one that keeps a GPU
// busy.
int default_threads(const Backend& backend);

// The backend of the device. On the CPU `automatic` is bf16 for training and int8 for inference if
// this CPU multiplies them faster than fp32, else fp32; on a GPU it is bf16. UsageError for
// training in int8, for int8 on a GPU, and where there is no GPU.
std::unique_ptr<Backend> make_backend(const Computation& computation, Purpose purpose);

}  // namespace heed
