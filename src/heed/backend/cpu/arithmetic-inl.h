// The arithmetics of matrix products: how their operands' elements are encoded in words of 32 bits,
// and what one multiply-add of words does. Everything else about products is the same for all.
//
// An operand's elements are grouped along the inner dimension: kStep neighbours make one word.
// Words are kept in float vectors as bit patterns; only multiply_add interprets them. For each word
// of the right operand the left one has kLeftWordsPerWord words, neighbours along the inner
// dimension.
#if defined(HEED_BACKEND_CPU_ARITHMETIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_ARITHMETIC_INL_H_
#undef HEED_BACKEND_CPU_ARITHMETIC_INL_H_
#else
#define HEED_BACKEND_CPU_ARITHMETIC_INL_H_
#endif

#include <bit>
#include <cmath>

#include "heed/backend/cpu/simd-inl.h"
#include "heed/backend/cpu/tiles.h"
#include "heed/backend/quantize.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

using Words = hn::RebindToUnsigned<Floats>;
using Integers = hn::RebindToSigned<Floats>;

// Rounds to bf16, to nearest even; the upper half of each lane, zeros below. NaN stays NaN.
HWY_INLINE hn::Vec<Words> rounded_to_bf16(Vector x) {
  const Words words;
  const auto bits = hn::BitCast(words, x);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1u));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(words, 0x7FFFu)), odd);
  const auto number = hn::RebindMask(words, hn::Eq(x, x));
  return hn::And(hn::IfThenElse(number, rounded, hn::Set(words, 0x7FC00000u)),
                 hn::Set(words, 0xFFFF0000u));
}

// Common to most arithmetics. Each comment says what holds where the constant is true.
struct PlainArithmetic {
  static constexpr bool kAsIs = false;           // memory holds words already
  static constexpr bool kScaled = false;         // sums are integers, converted to float and scaled
  static constexpr bool kTiled = false;          // large products run on a tile unit
  static constexpr bool kOneInstruction = true;  // multiply_add is a single instruction
  static constexpr int64_t kLeftWordsPerWord = 1;

  // Broadcasts to all lanes the left operand's words for one word of the right operand. If there
  // are several, they lie `step` apart in memory: neighbours along the inner dimension need not be
  // neighbours there.
  static HWY_INLINE Vector broadcast(const float* word, int64_t /*step*/) { return set(*word); }
};

// Floats as they are.
struct Fp32 : PlainArithmetic {
  // Element k of an operand, from the word that it is in.
  static float element(float word, int64_t) { return word; }

  static constexpr int64_t kStep = 1;
  static constexpr bool kAsIs = true;

  static HWY_INLINE Vector multiply_add(Vector left, Vector right, Vector accumulator) {
    return hn::MulAdd(left, right, accumulator);
  }
  // The words of kLanes columns of the right operand, of which `count` exist, from its rows `even`
  // and, in arithmetics with two elements a word, `odd`, the next one; null if there is no such
  // row.
  static HWY_INLINE Vector encode_row_pair(const float* even, const float*, int64_t count) {
    return load(even, count);
  }
};

// bf16 where no instruction multiplies it: rounded floats, multiplied as floats.
struct RoundedBf16 : Fp32 {
  static constexpr bool kAsIs = false;

  static HWY_INLINE Vector encode_row_pair(const float* even, const float*, int64_t count) {
    return hn::BitCast(kFloats, rounded_to_bf16(load(even, count)));
  }
  // Encodes `depth` contiguous elements as divide_up(depth, kStep) words.
  static void encode_contiguous(const float* row, int64_t depth, float* words) {
    for (int64_t k = 0; k < depth; k += kLanes)
      store(encode_row_pair(row + k, nullptr, depth - k), words + k, depth - k);
  }
};

#if HWY_TARGET == HWY_AVX3
// Pairs of bf16, multiplied by AVX-512 BF16. The instructions are written out because Highway 1.0.3
// lacks them, and a function for a wider instruction set could not be inlined here.
struct DotBf16 : PlainArithmetic {
  static float element(float word, int64_t k) {
    const auto bits = std::bit_cast<uint32_t>(word);
    return std::bit_cast<float>(k % 2 == 0 ? bits << 16 : bits & 0xFFFF0000u);
  }
  static constexpr int64_t kStep = 2;

  static HWY_INLINE Vector multiply_add(Vector left, Vector right, Vector accumulator) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(accumulator.raw) : "v"(right.raw), "v"(left.raw));
    return accumulator;
  }
  static HWY_INLINE Vector pairs(Vector even, Vector odd) {
    __m512i both;
    asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(both) : "v"(odd.raw), "v"(even.raw));
    // The 16 even elements, then the 16 odd ones, become pairs.
    const __m512i lanes = _mm512_or_si512(
        _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
        _mm512_slli_epi32(
            _mm512_set_epi32(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16), 16));
    return hn::BitCast(kFloats, hn::Vec<Words>{_mm512_permutexvar_epi16(lanes, both)});
  }
  static HWY_INLINE Vector encode_row_pair(const float* even, const float* odd, int64_t count) {
    return pairs(load(even, count), odd ? load(odd, count) : zero());
  }
  static void encode_contiguous(const float* row, int64_t depth, float* words) {
    for (int64_t k = 0; k < depth; k += 2 * kLanes) {
      const Vector low = load(row + k, depth - k);
      const Vector high = load(row + k + kLanes, std::max<int64_t>(0, depth - k - kLanes));
      __m512i both;
      asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(both) : "v"(high.raw), "v"(low.raw));
      store(hn::BitCast(kFloats, hn::Vec<Words>{both}), words + k / 2, (depth - k + 1) / 2);
    }
  }
};
#endif

// int8. Instructions multiply unsigned bytes by signed bytes, so the left operand's are
// made unsigned: WidenedInt8 and DotInt8 use q + 128, SignedInt8 uses |q|. The start values of the
// accumulators correct the sums for it.

inline float row_scale(const float* row, int64_t depth) {
  // Magnitudes are ordered as their bits are, with infinity and NaN above all finite numbers,
  // whereas the maximum of floats may ignore NaN.
  const Integers integers;
  auto largest = hn::Zero(integers);
  for (int64_t k = 0; k < depth; k += kLanes)
    largest = hn::Max(largest, hn::BitCast(integers, hn::Abs(load(row + k, depth - k))));
  return int8_scale(std::bit_cast<float>(hn::GetLane(hn::MaxOfLanes(integers, largest))));
}

// Bytes of the row divided by `scale`, plus `offset`; zeros after `depth` up to a whole word.
inline void quantize_row(const float* row, int64_t depth, float scale, int32_t offset,
                         uint8_t* bytes) {
  const Vector inverse = set(scale > 0 ? 1 / scale : 0.0f);
  const Integers integers;
  const hn::Rebind<int16_t, Floats> shorts;
  const hn::Rebind<uint8_t, Floats> whole_bytes;
  const auto quantized = [&](int64_t k) {
    const auto nearest = hn::NearestInt(hn::Mul(load(row + k, depth - k), inverse));
    const auto bounded = hn::Min(hn::Max(nearest, hn::Set(integers, -127)), hn::Set(integers, 127));
    const auto moved = hn::And(hn::Add(bounded, hn::Set(integers, offset)), hn::Set(integers, 255));
    return hn::DemoteTo(whole_bytes, hn::DemoteTo(shorts, moved));
  };
  const int64_t whole = depth / kLanes * kLanes;
  for (int64_t k = 0; k < whole; k += kLanes) hn::StoreU(quantized(k), whole_bytes, bytes + k);
  if (whole < depth) {
    HWY_ALIGN uint8_t lanes[kLanes];
    hn::StoreU(quantized(whole), whole_bytes, lanes);
    std::memcpy(bytes + whole, lanes, size_t(depth - whole));
  }
  for (int64_t k = depth; k % 4 != 0; ++k) bytes[k] = 0;
}

// int8 where no instruction multiplies bytes: each byte of a word is widened.
struct WidenedInt8 : PlainArithmetic {
  static float element(float word, int64_t k) {
    return float(int8_t(std::bit_cast<uint32_t>(word) >> (8 * (k % 4)) & 255));
  }
  static constexpr int64_t kStep = 4;
  static constexpr bool kScaled = true;
  static constexpr bool kOneInstruction = false;

  // Encodes a row of the left operand. Returns the initial value of its sums: 0, since the
  // correction depends on the columns alone.
  static int32_t encode_left(const float* row, int64_t depth, float scale, float* words) {
    quantize_row(row, depth, scale, 128, reinterpret_cast<uint8_t*>(words));
    return 0;
  }
  static HWY_INLINE Vector multiply_add(Vector left, Vector right, Vector accumulator) {
    const auto low = hn::Add(products<0>(left, right), products<1>(left, right));
    const auto high = hn::Add(products<2>(left, right), products<3>(left, right));
    const auto sum = hn::Add(hn::BitCast(Integers(), accumulator), hn::Add(low, high));
    return hn::BitCast(kFloats, sum);
  }

 private:
  // The products of one byte of each word: unsigned on the left, signed on the right.
  template <int kByte>
  static HWY_INLINE hn::Vec<Integers> products(Vector left, Vector right) {
    const Integers integers;
    const auto l =
        hn::And(hn::ShiftRight<8 * kByte>(hn::BitCast(Words(), left)), hn::Set(Words(), 255u));
    const auto r = hn::ShiftRight<24>(hn::ShiftLeft<24 - 8 * kByte>(hn::BitCast(integers, right)));
    return hn::Mul(hn::BitCast(integers, l), r);
  }
};

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
// int8 by `pmaddubsw`, which sums two products in 16 bits and would saturate at 2 * 255 * 127. |q|
// is at most 127, and 2 * 127 * 128 fits. The left operand's second word has all ones where q < 0:
// XOR with it turns the right byte w into -w - 1, so accumulators begin at the sum of |q| over the
// negative q. (`psignb` makes -w in one instruction, but takes the execution ports of the
// products.)
struct SignedInt8 : WidenedInt8 {
  static constexpr int64_t kLeftWordsPerWord = 2;

  struct Word {
    Vector magnitude, negative;
  };
  static HWY_INLINE Word broadcast(const float* word, int64_t step) {
    return {set(word[0]), set(word[step])};
  }
  static HWY_INLINE Vector multiply_add(const Word& left, Vector right, Vector accumulator) {
    const hn::Repartition<int16_t, Floats> shorts;
    const Integers integers;
    const Vector turned = hn::Xor(right, left.negative);
    const auto ones = hn::Set(shorts, 1);
    const auto m = hn::BitCast(integers, left.magnitude), w = hn::BitCast(integers, turned);
#if HWY_TARGET == HWY_AVX3
    const auto fours = _mm512_madd_epi16(_mm512_maddubs_epi16(m.raw, w.raw), ones.raw);
#elif HWY_TARGET == HWY_AVX2
    const auto fours = _mm256_madd_epi16(_mm256_maddubs_epi16(m.raw, w.raw), ones.raw);
#else
    const auto fours = _mm_madd_epi16(_mm_maddubs_epi16(m.raw, w.raw), ones.raw);
#endif
    const auto sum = hn::Add(hn::BitCast(integers, accumulator), hn::Vec<Integers>{fours});
    return hn::BitCast(kFloats, sum);
  }

  // The same; the initial value corrects the -1 of negative q.
  static int32_t encode_left(const float* row, int64_t depth, float scale, float* words) {
    const int64_t count = (depth + kStep - 1) / kStep;
    // The bytes are first stored in the second half of `words`, and then expanded from the front:
    // writing never overtakes reading.
    float* bytes = words + count;
    quantize_row(row, depth, scale, 0, reinterpret_cast<uint8_t*>(bytes));
    const hn::Repartition<int8_t, Floats> signed_bytes;
    const hn::Repartition<uint8_t, Floats> plain_bytes;
    const hn::Repartition<uint64_t, Floats> sums;
    auto sum = hn::Zero(sums);
    for (int64_t k = 0; k < count; k += kLanes) {
      const auto q = hn::BitCast(signed_bytes, load(bytes + k, count - k));
      const auto magnitude = hn::Abs(q), negative = hn::BroadcastSignBit(q);
      sum = hn::Add(sum, hn::SumsOf8(hn::BitCast(plain_bytes, hn::And(magnitude, negative))));
      HWY_ALIGN float parts[2 * kLanes];
      const int64_t last = std::min(kLanes, count - k);
      hn::StoreInterleaved2(hn::BitCast(kFloats, magnitude), hn::BitCast(kFloats, negative),
                            kFloats, last == kLanes ? words + 2 * k : parts);
      if (last < kLanes) std::copy_n(parts, 2 * last, words + 2 * k);
    }
    return int32_t(hn::GetLane(hn::SumOfLanes(sums, sum)));
  }
};
using PlainInt8 = SignedInt8;
#else
using PlainInt8 = WidenedInt8;
#endif

#if HWY_TARGET == HWY_AVX3
// int8 by AVX-512 VNNI.
struct DotInt8 : WidenedInt8 {
  static constexpr bool kOneInstruction = true;

  static HWY_INLINE Vector multiply_add(Vector left, Vector right, Vector accumulator) {
    asm("vpdpbusd %2, %1, %0" : "+v"(accumulator.raw) : "v"(left.raw), "v"(right.raw));
    return accumulator;
  }
};

// bf16 and int8 on a tile unit (tiles.h).
template <class Unit>
struct TileBf16 : DotBf16 {
  static constexpr bool kTiled = true;
  using Tiles = Unit;

  template <int kC, int kA, int kB>
  static HWY_INLINE void multiply(Unit& tiles) {
    tiles.template multiply_bf16<kC, kA, kB>();
  }
  // Encodes a row of the left operand as a row of consecutive tiles, the last one filled with
  // zeros.
  static void encode_row_in_tiles(const float* row, int64_t depth, float* out) {
    for (int64_t k = 0; k < depth; k += 2 * kLanes, out += kTileSide * kTileSide) {
      const Vector low = load(row + k, depth - k);
      const Vector high = load(row + k + kLanes, std::max<int64_t>(0, depth - k - kLanes));
      __m512i both;
      asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(both) : "v"(high.raw), "v"(low.raw));
      hn::StoreU(hn::BitCast(kFloats, hn::Vec<Words>{both}), kFloats, out);
    }
  }
};
template <class Unit>
struct TileInt8 : DotInt8 {
  static constexpr bool kTiled = true;
  using Tiles = Unit;

  template <int kC, int kA, int kB>
  static HWY_INLINE void multiply(Unit& tiles) {
    tiles.template multiply_int8<kC, kA, kB>();
  }
};
#endif

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
