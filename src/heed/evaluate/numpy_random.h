// The random numbers of NumPy's default_rng, so that significance tests give the p-values of
// sacreBLEU.
#pragma once

#include <cstdint>

namespace heed::detail {

// numpy.random.default_rng(seed): PCG64 (O'Neill, 2014), seeded through SeedSequence.
class NumpyRandom {
 public:
  explicit NumpyRandom(uint64_t seed);

  // The next number that Generator.choice(n, size) draws, in [0, n); n from 1 to 2^32 - 1.
  uint32_t below(uint32_t n);
  // The next value of Generator.integers(2, size, dtype=bool).
  bool flip();

 private:
  using Wide = unsigned __int128;

  void step();
  uint64_t next64();
  uint32_t next32();

  Wide state_ = 0, increment_ = 0;
  uint32_t second_half_ = 0;  // of the last 64 random bits
  bool has_second_half_ = false;
  uint32_t flips_ = 0;
  int flips_left_ = 0;
};

}  // namespace heed::detail
