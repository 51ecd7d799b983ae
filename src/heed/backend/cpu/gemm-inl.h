// Matrix products: C = A B for a row-major C, where every element of C is one accumulator of
// multiply-adds over the inner index in its order. So its bits depend neither on tiling nor on
// which other rows and columns are computed with it.
//
// Operands are words (arithmetic-inl.h): floats, pairs of bf16 or fours of int8 along the inner
// index, which counts words here. B is packed into panels of kPanel columns: panel p holds, for
// each k, words (k, p * kPanel ...). A tile of C (up to kTileRows x kPanel) stays in registers
// while k runs; A's words are broadcast.
#if defined(HEED_BACKEND_CPU_GEMM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_GEMM_INL_H_
#undef HEED_BACKEND_CPU_GEMM_INL_H_
#else
#define HEED_BACKEND_CPU_GEMM_INL_H_
#endif

#include <array>
#include <utility>

#include "heed/backend/backend.h"
#include "heed/backend/cpu/arithmetic-inl.h"
#include "heed/backend/cpu/scratch.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int kRegisters = 32;
#else
constexpr int kRegisters = 16;
#endif
constexpr int kPanelVectors = 2;
constexpr int64_t kPanel = kPanelVectors * kLanes;
// Two registers for the panel's row and one or two for A leave these for C.
constexpr int kAccumulators = kRegisters - 4;
constexpr int kTileRows = kAccumulators / kPanelVectors;

constexpr int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// The order of A's words: (m, k) at m * stride + k, or at k * stride + m. The left words for
// one word of the right operand (kLeftWordsPerWord) are neighbours along k.
enum class Order { row_major, column_major };

// The left operand.
struct Left {
  const float* data;
  int64_t stride;
  Order order;

  Left from(int64_t m, int64_t k) const {
    return {data + (order == Order::row_major ? m * stride + k : k * stride + m), stride, order};
  }
};

// The packed right operand: panel p begins at data + p * stride.
struct Panels {
  const float* data;
  int64_t stride;
};

// The result, and the epilogue of its tiles.
struct Result {
  float* data;
  int64_t stride;
  WriteMode mode = WriteMode::overwrite;  // accumulate: accumulators start from the old values
  const float* bias = nullptr;            // [columns], added after the sum
  bool relu = false;
  // Scaled arithmetic only: the initial values of integer sums (int32 bit patterns stored as
  // floats; of each row if kLeftWordsPerWord is 2, else of each column), and the scales of the
  // sums.
  const float* column_initial = nullptr;  // [columns]
  const float* row_initial = nullptr;     // [rows]
  const float* column_scale = nullptr;    // [columns]
  const float* row_scale = nullptr;       // [rows]

  Result from(int64_t m, int64_t n) const {
    Result part = *this;
    part.data += m * stride + n;
    const auto move = [](const float*& p, int64_t by) {
      if (p) p += by;
    };
    move(part.bias, n), move(part.column_initial, n), move(part.column_scale, n);
    move(part.row_initial, m), move(part.row_scale, m);
    return part;
  }
};

// Per-row quantization parameters of the left operand, where the arithmetic is scaled: [rows] each.
struct RowQuantization {
  float* scale = nullptr;
  float* initial = nullptr;  // the initial value of its sums, if kLeftWordsPerWord is 2

  RowQuantization from(int64_t m) const {
    return scale ? RowQuantization{scale + m, initial + m} : *this;
  }
};

// Allocates the parameters of `count` rows and points `c` at them.
template <class Arithmetic>
RowQuantization row_quantization(int64_t count, Result& c) {
  if constexpr (!Arithmetic::kScaled) return {};
  float* quantization = scratch(Scratch::left_row_scales, 2 * count);
  c.row_scale = quantization;
  c.row_initial = quantization + count;
  return {quantization, quantization + count};
}

// Reads or writes of C where all of a tile's columns exist, and where some may not.
enum class Columns { whole, some };

template <Columns kColumns>
HWY_INLINE Vector load_part(const float* p, int64_t count) {
  return kColumns == Columns::whole ? hn::LoadU(kFloats, p) : load(p, std::max<int64_t>(count, 0));
}

// The epilogue of a tile: scales, bias, relu, memory.
template <class Arithmetic, Columns kColumns, int kHeight, int kVectors>
HWY_INLINE void finish_tile(Vector (&sum)[kHeight][kVectors], int64_t columns, const Result& c) {
  HWY_UNROLL(16)
  for (int j = 0; j < kVectors; ++j) {
    const int64_t count = columns - j * kLanes;
    if (kColumns == Columns::some && count <= 0) break;
    if constexpr (Arithmetic::kScaled) {
      const Vector scale = load_part<kColumns>(c.column_scale + j * kLanes, count);
      HWY_UNROLL(16)
      for (int m = 0; m < kHeight; ++m) {
        const Vector whole = hn::ConvertTo(kFloats, hn::BitCast(Integers(), sum[m][j]));
        sum[m][j] = hn::Mul(hn::Mul(whole, set(c.row_scale[m])), scale);
      }
    }
    if (c.bias) {
      const Vector bias = load_part<kColumns>(c.bias + j * kLanes, count);
      HWY_UNROLL(16)
      for (int m = 0; m < kHeight; ++m) sum[m][j] = hn::Add(sum[m][j], bias);
    }
    if (c.relu) {
      HWY_UNROLL(16)
      for (int m = 0; m < kHeight; ++m) sum[m][j] = hn::Max(sum[m][j], zero());
    }
    HWY_UNROLL(16)
    for (int m = 0; m < kHeight; ++m) {
      float* to = c.data + m * c.stride + j * kLanes;
      if constexpr (kColumns == Columns::whole) {
        hn::StoreU(sum[m][j], kFloats, to);
      } else {
        store(sum[m][j], to, count);
      }
    }
  }
}

// One tile of C: kHeight rows times kPanelCount panels, of which `columns` columns exist.
template <class Arithmetic, int kHeight, int kPanelCount, Order kOrder, Columns kColumns>
HWY_NOINLINE void tile_of(const Left& a, const Panels& b, int64_t depth, int64_t columns,
                          const Result& c) {
  constexpr int kVectors = kPanelCount * kPanelVectors;
  Vector sum[kHeight][kVectors];
  HWY_UNROLL(16)
  for (int m = 0; m < kHeight; ++m) {
    HWY_UNROLL(16)
    for (int j = 0; j < kVectors; ++j) sum[m][j] = zero();
  }
  if constexpr (Arithmetic::kLeftWordsPerWord > 1) {
    HWY_UNROLL(16)
    for (int m = 0; m < kHeight; ++m) {
      HWY_UNROLL(16)
      for (int j = 0; j < kVectors; ++j) sum[m][j] = set(c.row_initial[m]);
    }
  } else if constexpr (Arithmetic::kScaled) {
    HWY_UNROLL(16)
    for (int j = 0; j < kVectors; ++j) {
      const Vector first = load_part<kColumns>(c.column_initial + j * kLanes, columns - j * kLanes);
      HWY_UNROLL(16)
      for (int m = 0; m < kHeight; ++m) sum[m][j] = first;
    }
  } else if (c.mode == WriteMode::accumulate) {
    HWY_UNROLL(16)
    for (int m = 0; m < kHeight; ++m) {
      HWY_UNROLL(16)
      for (int j = 0; j < kVectors; ++j)
        sum[m][j] = load_part<kColumns>(c.data + m * c.stride + j * kLanes, columns - j * kLanes);
    }
  }
  const float* left = a.data;
  const float* right = b.data;
  const int64_t left_step = kOrder == Order::row_major ? 1 : a.stride;
  const int64_t row_step = kOrder == Order::row_major ? a.stride : 1;
  for (int64_t k = 0; k < depth; ++k) {
    HWY_UNROLL(16)
    for (int p = 0; p < kPanelCount; ++p) {
      Vector row[kPanelVectors];
      HWY_UNROLL(16)
      for (int j = 0; j < kPanelVectors; ++j)
        row[j] = hn::LoadU(kFloats, right + p * b.stride + j * kLanes);
      HWY_UNROLL(16)
      for (int m = 0; m < kHeight; ++m) {
        const auto element = Arithmetic::broadcast(left + m * row_step, left_step);
        HWY_UNROLL(16)
        for (int j = 0; j < kPanelVectors; ++j) {
          Vector& accumulator = sum[m][p * kPanelVectors + j];
          accumulator = Arithmetic::multiply_add(element, row[j], accumulator);
        }
      }
    }
    left += Arithmetic::kLeftWordsPerWord * left_step;
    right += kPanel;
  }
  finish_tile<Arithmetic, kColumns>(sum, columns, c);
}

template <class Arithmetic, int kHeight, int kPanelCount, Order kOrder>
void tile(const Left& a, const Panels& b, int64_t depth, int64_t columns, const Result& c) {
  if (columns == kPanelCount * kPanel) {
    tile_of<Arithmetic, kHeight, kPanelCount, kOrder, Columns::whole>(a, b, depth, columns, c);
  } else {
    tile_of<Arithmetic, kHeight, kPanelCount, kOrder, Columns::some>(a, b, depth, columns, c);
  }
}

using Tile = void (*)(const Left&, const Panels&, int64_t, int64_t, const Result&);

// Few rows take several panels at once, so that enough accumulators run to hide the latency of
// each.
constexpr int panels_at_once(int rows) {
  constexpr int kSpared = 4;  // more registers for the words of several panels
  return std::clamp((kAccumulators - kSpared) / (rows * kPanelVectors), 1, 4);
}

template <class Arithmetic, Order kOrder, size_t... kRow>
constexpr std::array<Tile, sizeof...(kRow)> wide_tiles(std::index_sequence<kRow...>) {
  return {tile<Arithmetic, int(kRow) + 1, panels_at_once(int(kRow) + 1), kOrder>...};
}
template <class Arithmetic, Order kOrder, size_t... kRow>
constexpr std::array<Tile, sizeof...(kRow)> narrow_tiles(std::index_sequence<kRow...>) {
  return {tile<Arithmetic, int(kRow) + 1, 1, kOrder>...};
}

// The most rows of a tile of row-major A: each row needs a register for its address.
constexpr int kStridedRows = std::min(8, kTileRows);

// The parts, as equal as can be, that `total` is cut into if none may exceed `most`.
struct EvenSplit {
  int64_t count, size;
  int64_t larger;  // number of parts of size + 1; they come first
  EvenSplit(int64_t total, int64_t most)
      : count(divide_up(total, most)),
        size(count == 0 ? 0 : total / count),
        larger(count == 0 ? 0 : total % count) {}
  int64_t begin(int64_t i) const { return i * size + std::min(i, larger); }
  int64_t length(int64_t i) const { return size + (i < larger ? 1 : 0); }
};

// C[rows, columns] = A B with B packed and A read in its place, `depth` long.
template <class Arithmetic, Order kOrder>
void multiply_in_place(const Left& a, const Panels& b, int64_t rows, int64_t columns, int64_t depth,
                       const Result& c) {
  constexpr int kMost = kOrder == Order::row_major ? kStridedRows : kTileRows;
  static constexpr auto kWide = wide_tiles<Arithmetic, kOrder>(std::make_index_sequence<kMost>());
  static constexpr auto kNarrow =
      narrow_tiles<Arithmetic, kOrder>(std::make_index_sequence<kMost>());
  const EvenSplit parts(rows, kMost);
  for (int64_t n = 0; n < columns;) {
    int64_t width = kPanel;
    for (int64_t i = 0; i < parts.count; ++i) {
      const int64_t m = parts.begin(i), height = parts.length(i);
      const Panels panels{b.data + n / kPanel * b.stride, b.stride};
      const int64_t wide = parts.count == 1 ? panels_at_once(int(height)) : 1;
      // Several panels are taken at once only if there is a single part; otherwise all parts take
      // one, so `width` is the same for all. Where too few panels are left, they are taken one by
      // one.
      const bool all = wide > 1 && columns - n > (wide - 1) * kPanel;
      width = all ? wide * kPanel : kPanel;
      (all ? kWide : kNarrow)[size_t(height - 1)](a.from(m, 0), panels, depth,
                                                  std::min(width, columns - n), c.from(m, n));
    }
    n += width;
  }
}

HWY_INLINE void multiply(const Left& a, const Panels& b, int64_t rows, int64_t columns,
                         int64_t depth, const Result& c) {
  if (a.order == Order::row_major) {
    multiply_in_place<Fp32, Order::row_major>(a, b, rows, columns, depth, c);
  } else {
    multiply_in_place<Fp32, Order::column_major>(a, b, rows, columns, depth, c);
  }
}

template <class Arithmetic>
constexpr int64_t words_of(int64_t elements) {
  return divide_up(elements, Arithmetic::kStep);
}

// The number of words of `elements` elements of a row of the left operand.
template <class Arithmetic>
constexpr int64_t left_words_of(int64_t elements) {
  return Arithmetic::kLeftWordsPerWord * words_of<Arithmetic>(elements);
}

// Encodes `count` rows of A, `depth` elements each, as rows of `stride` words.
template <class Arithmetic>
void encode_left_rows(const Left& a, int64_t count, int64_t depth, int64_t stride, float* words,
                      [[maybe_unused]] const RowQuantization& quantization) {
  for (int64_t i = 0; i < count; ++i) {
    const float* row = a.data + i * a.stride;
    if constexpr (Arithmetic::kScaled) {
      const float scale = quantization.scale[i] = row_scale(row, depth);
      const int32_t initial = Arithmetic::encode_left(row, depth, scale, words + i * stride);
      quantization.initial[i] = std::bit_cast<float>(initial);
    } else if constexpr (!Arithmetic::kAsIs) {
      Arithmetic::encode_contiguous(row, depth, words + i * stride);
    }
  }
}

// Packs B, given its rows, one for each of `depth` elements of the inner index.
template <class Arithmetic>
void pack_rows(const Rows& rows, int64_t depth, int64_t columns, float* out) {
  for (int64_t n = 0; n < columns; n += kPanel) {
    for (int64_t k = 0; k < depth; k += Arithmetic::kStep) {
      const float* even = rows.at(k) + n;
      const bool pair = Arithmetic::kStep > 1 && k + 1 < depth;
      const float* odd = pair ? rows.at(k + 1) + n : nullptr;
      HWY_UNROLL(2)
      for (int64_t j = 0; j < kPanelVectors; ++j) {
        const int64_t left = std::max<int64_t>(0, columns - n - j * kLanes);
        const Vector words =
            Arithmetic::encode_row_pair(even + j * kLanes, odd ? odd + j * kLanes : nullptr, left);
        hn::StoreU(words, kFloats, out + j * kLanes);
      }
      out += kPanel;
    }
  }
}

// Packs B, given its `count` columns as words: words [0, depth) of each. Panels `stride` apart.
inline void pack_columns(const Rows& columns, int64_t count, int64_t depth, int64_t stride,
                         float* out) {
  const float* group[kLanes];
  for (int64_t n = 0; n < count; n += kLanes) {
    // Lanes beyond the last column repeat it; their results are not stored.
    for (int64_t i = 0; i < kLanes; ++i) group[i] = columns.at(std::min(n + i, count - 1));
    transpose(group, depth, out + n / kPanel * stride + n % kPanel, kPanel);
  }
  // A panel whose upper half has no column at all.
  if (const int64_t filled = divide_up(count, kLanes) * kLanes; filled % kPanel != 0)
    for (int64_t k = 0; k < depth; ++k)
      hn::StoreU(zero(), kFloats, out + filled / kPanel * stride + k * kPanel + filled % kPanel);
}

// The next two functions pack parts of matrices, such as the columns of one head, for one product.

// `rows` [count, depth] as a right operand whose columns they are.
inline Panels pack_transposed(const Rows& rows, int64_t count, int64_t depth, Scratch use) {
  const int64_t stride = depth * kPanel;
  float* out = scratch(use, divide_up(count, kPanel) * stride);
  pack_columns(rows, count, depth, stride, out);
  return {out, stride};
}

// `rows` [count, width] as a right operand whose rows they are.
inline Panels pack_plain(const Rows& rows, int64_t count, int64_t width, Scratch use) {
  const int64_t stride = count * kPanel;
  float* out = scratch(use, divide_up(width, kPanel) * stride);
  pack_rows<Fp32>(rows, count, width, out);
  return {out, stride};
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
