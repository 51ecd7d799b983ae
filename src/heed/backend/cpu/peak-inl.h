// Peak speed of this machine's arithmetic units: multiply-adds in registers or, for types whose
// multiply-add takes several instructions, by the product of gemm-inl.h with operands in the L1
// cache.
#if defined(HEED_BACKEND_CPU_PEAK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_PEAK_INL_H_
#undef HEED_BACKEND_CPU_PEAK_INL_H_
#else
#define HEED_BACKEND_CPU_PEAK_INL_H_
#endif

#include <chrono>

#include "heed/backend/cpu/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

// Runs rounds for 20 ms, looking at the clock after each kAtOnce: how many there were a second.
template <int64_t kAtOnce = 1000, class Round>
double rounds_a_second(Round round) {
  using Clock = std::chrono::steady_clock;
  int64_t rounds = 0;
  const auto start = Clock::now();
  std::chrono::duration<double> spent{};
  do {
    for (int64_t r = 0; r < kAtOnce; ++r) round(r);
    rounds += kAtOnce;
    spent = Clock::now() - start;
  } while (spent.count() < 0.02);
  return double(rounds) / spent.count();
}

#if HWY_TARGET == HWY_AVX3
// Four accumulators of one unit; a round is one multiplication on each.
template <class Arithmetic>
double peak_of_tiles() {
  typename Arithmetic::Tiles tiles;
  HWY_ALIGN constexpr float kZeros[kTileWords] = {};
  tiles.template load<4>(kZeros, kTileSide), tiles.template load<5>(kZeros, kTileSide);
  tiles.template load<6>(kZeros, kTileSide), tiles.template load<7>(kZeros, kTileSide);
  tiles.template clear<0>(), tiles.template clear<1>();
  tiles.template clear<2>(), tiles.template clear<3>();
  const double rounds = rounds_a_second([&](int64_t) {
    Arithmetic::template multiply<0, 4, 6>(tiles);
    Arithmetic::template multiply<1, 4, 7>(tiles);
    Arithmetic::template multiply<2, 5, 6>(tiles);
    Arithmetic::template multiply<3, 5, 7>(tiles);
  });
  return 4 * 2.0 * double(kTileWords * kTileSide * Arithmetic::kStep) * rounds;
}
#endif

// Measures the kernel of large products itself: in a loop written for this the compiler could hoist
// conversions of operands that a product has to repeat.
template <class Arithmetic>
double peak_in_cache() {
  constexpr int64_t kDepth = 64, kRows = kTileRows;
  HWY_ALIGN static constexpr float
      kZeros[kDepth * std::max(Arithmetic::kLeftWordsPerWord * kRows, kPanel)] = {};
  HWY_ALIGN float out[kRows * kPanel];
  Result result{out, kPanel};
  result.column_initial = result.row_initial = result.column_scale = result.row_scale = kZeros;
  const double rounds = rounds_a_second<10>([&](int64_t) {
    tile<Arithmetic, kRows, 1, Order::column_major>({kZeros, kRows, Order::column_major},
                                                    {kZeros, 0}, kDepth, kPanel, result);
  });
  return 2.0 * double(kRows * kPanel * kDepth * Arithmetic::kStep) * rounds;
}

template <class Arithmetic>
double peak_of_registers() {
  // Enough accumulators to hide the latency of each, few enough to stay in registers.
  constexpr int kSums = HWY_TARGET == HWY_AVX3 ? 24 : 12;
  HWY_ALIGN float operands[2 * kLanes] = {};
  Vector sums[kSums];
  for (Vector& c : sums) c = zero();
  const double rounds = rounds_a_second([&](int64_t r) {
    const Vector operand = hn::Load(kFloats, operands + r % 2 * kLanes);
    HWY_UNROLL(24)
    for (Vector& c : sums) c = Arithmetic::multiply_add(operand, operand, c);
  });
  Vector sum = zero();
  for (const Vector& c : sums) sum = hn::Add(sum, c);
  [[maybe_unused]] volatile float sink = hn::GetLane(sum);  // so that it has to be computed
  return 2.0 * double(Arithmetic::kStep * kLanes * kSums) * rounds;
}

// Operations a second of the calling thread, a multiply-add being two; takes 20 ms.
template <class Arithmetic>
double peak() {
#if HWY_TARGET == HWY_AVX3
  if constexpr (Arithmetic::kTiled) return peak_of_tiles<Arithmetic>();
#endif
  if constexpr (Arithmetic::kOneInstruction) return peak_of_registers<Arithmetic>();
  return peak_in_cache<Arithmetic>();
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
