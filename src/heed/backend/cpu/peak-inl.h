// What this machine's arithmetic units can do at most: multiply-adds on registers alone.
#if defined(HEED_BACKEND_CPU_PEAK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_PEAK_INL_H_
#undef HEED_BACKEND_CPU_PEAK_INL_H_
#else
#define HEED_BACKEND_CPU_PEAK_INL_H_
#endif

#include <chrono>

#include "heed/backend/cpu/arithmetic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

// Operations a second of the calling thread, a multiply-add being two; takes 20 ms.
template <class Arithmetic>
double peak() {
  // Enough chains to hide the latency of each, few enough to stay in registers.
  constexpr int kChains = HWY_TARGET == HWY_AVX3 ? 24 : 12;
  constexpr int64_t kRounds = 10000;
  using Clock = std::chrono::steady_clock;
  HWY_ALIGN float operands[2 * kLanes] = {};
  Vector chain[kChains];
  for (Vector& c : chain) c = zero();
  int64_t rounds = 0;
  const auto start = Clock::now();
  std::chrono::duration<double> spent{};
  do {
    for (int64_t r = 0; r < kRounds; ++r) {
      const Vector operand = hn::Load(kFloats, operands + r % 2 * kLanes);
      HWY_UNROLL(24)
      for (Vector& c : chain) c = Arithmetic::multiply_add(operand, operand, c);
    }
    rounds += kRounds;
    spent = Clock::now() - start;
  } while (spent.count() < 0.02);
  Vector sum = zero();
  for (const Vector& c : chain) sum = hn::Add(sum, c);
  [[maybe_unused]] volatile float sink = hn::GetLane(sum);  // so that it has to be computed
  return 2.0 * double(Arithmetic::kStep * kLanes * kChains) * double(rounds) / spent.count();
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
