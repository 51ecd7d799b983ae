// The tile unit of AMX, and an emulation of it.
//
// A unit has eight registers, each a tile of 16 rows of 64 bytes: 16 words of 32 bits a row.
// `multiply` adds to tile C the product of tile A, whose rows are rows of the left operand, and
// tile B: each of its rows holds one word for each of 16 columns, with 2 (bf16) or 4 (int8)
// consecutive inner indices. Register numbers are template arguments, because the instructions
// encode them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace heed::cpu {

inline constexpr int64_t kTileSide = 16;  // rows of a tile, and words of a row

// Whether HardwareTiles can be used: the CPU reports AMX, the operating system permits it (asked
// for once), and a product equals that of EmulatedTiles.
bool amx_works();

// The instructions themselves. They are written out: GCC 12 may move its intrinsic for the
// configuration, and functions for a wider instruction set could not be inlined into kernels.
class HardwareTiles {
 public:
  // Configures the unit for this thread, and releases it in the destructor: while it is configured,
  // every context switch saves 8 KB of tiles.
  HardwareTiles() {
    struct alignas(64) {
      uint8_t palette = 1, start_row = 0, reserved[14] = {};
      uint16_t bytes_of_row[16] = {64, 64, 64, 64, 64, 64, 64, 64};
      uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    } configuration;
    static_assert(sizeof configuration == 64);
    asm volatile("ldtilecfg %0" ::"m"(configuration) : "memory");
  }
  ~HardwareTiles() { asm volatile("tilerelease" ::: "memory"); }
  HardwareTiles(const HardwareTiles&) = delete;
  HardwareTiles& operator=(const HardwareTiles&) = delete;

  template <int kTile>
  void clear() {
    asm volatile("tilezero %%tmm%c0" ::"i"(kTile) : "memory");
  }
  // Rows are `stride` words apart.
  template <int kTile>
  void load(const float* from, int64_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(4 * stride), "i"(kTile)
                 : "memory");
  }
  template <int kTile>
  void store(float* to, int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(4 * stride), "i"(kTile)
                 : "memory");
  }
  template <int kC, int kA, int kB>
  void multiply_bf16() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kC), "i"(kA), "i"(kB) : "memory");
  }
  // A's bytes have no sign, B's have one.
  template <int kC, int kA, int kB>
  void multiply_int8() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kC), "i"(kA), "i"(kB) : "memory");
  }
};

// The same in plain C++, by the description in Intel's manual (volume 2, TDPBF16PS and TDPBUSD), so
// that everything around the unit is tested on every machine.
class EmulatedTiles {
 public:
  template <int kTile>
  void clear() {
    tiles_[kTile] = {};
  }
  template <int kTile>
  void load(const float* from, int64_t stride) {
    for (int64_t r = 0; r < kTileSide; ++r)
      std::memcpy(&tiles_[kTile][size_t(r * kTileSide)], from + r * stride, kRowBytes);
  }
  template <int kTile>
  void store(float* to, int64_t stride) {
    for (int64_t r = 0; r < kTileSide; ++r)
      std::memcpy(to + r * stride, &tiles_[kTile][size_t(r * kTileSide)], kRowBytes);
  }

  // The products of even and of odd elements are two accumulators, added at the end.
  template <int kC, int kA, int kB>
  void multiply_bf16() {
    for_each_element<kC>([&](int64_t row, int64_t column, uint32_t& word) {
      float even = 0, odd = 0;
      for (int64_t k = 0; k < kTileSide; ++k) {
        const uint32_t a = at<kA>(row, k), b = at<kB>(k, column);
        // Such products are exact, so fused multiply-adds give the same bits.
        even += std::bit_cast<float>(a << 16) * std::bit_cast<float>(b << 16);
        odd += std::bit_cast<float>(a & kUpper) * std::bit_cast<float>(b & kUpper);
      }
      word = std::bit_cast<uint32_t>(std::bit_cast<float>(word) + (even + odd));
    });
  }
  template <int kC, int kA, int kB>
  void multiply_int8() {
    for_each_element<kC>([&](int64_t row, int64_t column, uint32_t& word) {
      for (int64_t k = 0; k < kTileSide; ++k) {
        const uint32_t a = at<kA>(row, k), b = at<kB>(k, column);
        for (int i = 0; i < 32; i += 8) word += (a >> i & 255) * uint32_t(int8_t(b >> i & 255));
      }
    });
  }

 private:
  static constexpr size_t kRowBytes = 4 * kTileSide;
  static constexpr uint32_t kUpper = 0xFFFF0000u;
  using Tile = std::array<uint32_t, size_t(kTileSide* kTileSide)>;

  template <int kTile>
  uint32_t at(int64_t row, int64_t column) const {
    return tiles_[kTile][size_t(row * kTileSide + column)];
  }
  template <int kTile, class Use>
  void for_each_element(Use use) {
    for (int64_t row = 0; row < kTileSide; ++row)
      for (int64_t column = 0; column < kTileSide; ++column)
        use(row, column, tiles_[kTile][size_t(row * kTileSide + column)]);
  }

  std::array<Tile, 8> tiles_;
};

}  // namespace heed::cpu
