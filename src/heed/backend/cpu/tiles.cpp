#include "heed/backend/cpu/tiles.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "heed/core/rng.h"

namespace heed::cpu {

#if defined(__x86_64__)
namespace {

bool cpu_has_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c >> 27 & 1) == 0) return false;  // OSXSAVE
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr unsigned kTileState = 3u << 17;  // configuration and data
  if ((low & kTileState) != kTileState) return false;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  constexpr unsigned kBf16 = 1u << 22, kTiles = 1u << 24, kInt8 = 1u << 25;
  constexpr unsigned kAll = kBf16 | kTiles | kInt8;
  return (d & kAll) == kAll;
}

// Linux gives a process the unit's registers when it asks.
bool kernel_lets_us() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

struct Operands {
  alignas(64) std::array<float, size_t(kTileSide* kTileSide)> a, b;
};

// Words whose halves are small whole numbers in bf16, so that sums are exact in any order.
Operands whole_numbers() {
  Operands operands;
  Random random(1);
  const auto word = [&] {
    const auto half = [&] {
      return std::bit_cast<uint32_t>(float(int64_t(random.below(31)) - 15)) >> 16;
    };
    const uint32_t low = half();
    return std::bit_cast<float>(half() << 16 | low);
  };
  for (float& value : operands.a) value = word();
  for (float& value : operands.b) value = word();
  return operands;
}

// Both products of the operands' bits, the second on top of whatever the first one's bits are.
template <class Tiles>
std::array<uint32_t, size_t(kTileSide* kTileSide)> products(const Operands& operands) {
  Tiles tiles;
  alignas(64) std::array<uint32_t, size_t(kTileSide * kTileSide)> result;
  tiles.template load<4>(operands.a.data(), kTileSide);
  tiles.template load<6>(operands.b.data(), kTileSide);
  tiles.template clear<0>();
  tiles.template multiply_bf16<0, 4, 6>();
  tiles.template multiply_int8<0, 4, 6>();
  tiles.template store<0>(reinterpret_cast<float*>(result.data()), kTileSide);
  return result;
}

}  // namespace

bool amx_works() {
  static const bool works = [] {
    if (!cpu_has_amx() || !kernel_lets_us()) return false;
    const Operands operands = whole_numbers();
    return products<HardwareTiles>(operands) == products<EmulatedTiles>(operands);
  }();
  return works;
}
#else
bool amx_works() {
  return false;
}
#endif

}  // namespace heed::cpu
