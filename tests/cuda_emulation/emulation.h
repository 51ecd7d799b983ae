// Settings of the emulation of a CUDA device on the host, for launches of the calling thread.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace heed::cuda {

// What the order of blocks and threads is drawn from. A result that depends on it is a race.
void set_emulation_seed(uint64_t seed);

// Where kernels call barrier().
struct BarrierSite {
  std::string file;
  int line;

  auto operator<=>(const BarrierSite&) const = default;
};

// Those that launches have come to since the last call.
std::set<BarrierSite> take_barriers_reached();

// From now on the barrier there does not wait; none: all do. A test that a kernel needs its
// barriers.
void leave_out_barrier(const std::optional<BarrierSite>& site);

}  // namespace heed::cuda
