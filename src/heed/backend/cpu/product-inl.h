// Large products: cache blocking and packing around the tiles of gemm-inl.h.
#if defined(HEED_BACKEND_CPU_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_PRODUCT_INL_H_
#undef HEED_BACKEND_CPU_PRODUCT_INL_H_
#else
#define HEED_BACKEND_CPU_PRODUCT_INL_H_
#endif

#include "heed/backend/cpu/gemm-inl.h"
#include "heed/backend/cpu/scratch.h"
#include "heed/backend/cpu/tile_product-inl.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

// A longer kDepthBlock (words) means fewer trips of C through the registers; 256 to 512 differ by a
// few percent. kLeftWords of A, half of the second cache, are packed at a time.
constexpr int64_t kDepthBlock = 512;
constexpr int64_t kLeftWords = 128 << 10;

// Copies part of A (elements, `depth` of them along the inner index) into slivers as high as the
// tiles: sliver i, from parts.begin(i) * words on, holds its rows' words for k = 0, then for k = 1,
// ... Whole vectors are written: what goes too far is overwritten by the next k, and `out` has
// kLanes floats to spare.
template <class Arithmetic>
void pack_left(const Left& a, const Parts& parts, int64_t depth, float* out,
               const RowNumbers& numbers) {
  const int64_t words = left_words_of<Arithmetic>(depth);
  for (int64_t i = 0; i < parts.count; ++i) {
    const int64_t height = parts.length(i);
    const Left part = a.from(parts.begin(i), 0);
    float* to = out + parts.begin(i) * words;
    if (a.along == Along::columns) {
      if constexpr (!Arithmetic::kScaled) {
        for (int64_t k = 0; k < words; ++k) {
          const float* even = part.data + k * Arithmetic::kStep * a.stride;
          const bool pair = Arithmetic::kStep > 1 && k * Arithmetic::kStep + 1 < depth;
          const float* odd = pair ? even + a.stride : nullptr;
          for (int64_t m = 0; m < height; m += kLanes)
            hn::StoreU(Arithmetic::across(even + m, odd ? odd + m : nullptr, height - m), kFloats,
                       to + k * height + m);
        }
      }
      continue;
    }
    Rows rows{part.data, a.stride};
    if constexpr (!Arithmetic::kAsIs) {
      float* encoded = scratch(Scratch::left_rows, kTileRows * words);
      encode_left_rows<Arithmetic>(part, height, depth, words, encoded,
                                   numbers.from(parts.begin(i)));
      rows = {encoded, words};
    }
    const float* group[kLanes];
    for (int64_t j = 0; j < kLanes; ++j) group[j] = rows.at(std::min(j, height - 1));
    transpose(group, words, to, height);
    // Where vectors are shorter than tiles are high.
    for (int64_t m = kLanes; m < height; ++m)
      for (int64_t k = 0; k < words; ++k) to[k * height + m] = rows.at(m)[k];
  }
}

// Asks for a tile of C before it is needed: its rows lie far apart, where no hardware looks ahead.
inline void prefetch_tile(const Result& c, int64_t height) {
  for (int64_t m = 0; m < height; ++m)
    for (int64_t j = 0; j < kPanel; j += 16) hwy::Prefetch(c.data + m * c.stride + j);
}

// C over one block of the inner index: `depth` elements of A, B packed.
template <class Arithmetic>
void multiply_block(const Left& a, const Panels& b, int64_t rows, int64_t columns, int64_t depth,
                    const Result& c) {
  static constexpr auto kTiles =
      narrow_tiles<Arithmetic, Along::columns>(std::make_index_sequence<kTileRows>());
  const int64_t words = words_of<Arithmetic>(depth);
  const int64_t left_words = left_words_of<Arithmetic>(depth);
  const int64_t row_block =
      std::max<int64_t>(1, kLeftWords / (std::max<int64_t>(left_words, 1) * kTileRows)) * kTileRows;
  for (int64_t m0 = 0; m0 < rows; m0 += row_block) {
    const int64_t count = std::min(row_block, rows - m0);
    const Parts parts(count, kTileRows);
    float* packed = scratch(Scratch::activations, count * left_words + kLanes);
    Result block = c.from(m0, 0);
    const RowNumbers numbers = row_numbers<Arithmetic>(count, block);
    pack_left<Arithmetic>(a.from(m0, 0), parts, depth, packed, numbers);
    for (int64_t n = 0; n < columns; n += kPanel) {
      const Panels panel{b.data + n / kPanel * b.stride, b.stride};
      for (int64_t i = 0; i < parts.count; ++i) {
        const int64_t height = parts.length(i);
        const Left sliver{packed + parts.begin(i) * left_words, height, Along::columns};
        if (i + 1 < parts.count)
          prefetch_tile(block.from(parts.begin(i + 1), n), parts.length(i + 1));
        kTiles[size_t(height - 1)](sliver, panel, words, std::min(kPanel, columns - n),
                                   block.from(parts.begin(i), n));
      }
    }
  }
}

// The right operand: packed as a whole, or its rows, one per element of the inner index.
struct Right {
  Panels packed = {nullptr, 0};
  Rows rows = {nullptr, 0};

  // Words [k, k + words) of all columns as panels, which come from elements [.., + depth).
  template <class Arithmetic>
  Panels block(int64_t k, int64_t words, int64_t depth, int64_t columns) const {
    if (packed.data) return {packed.data + k * kPanel, packed.stride};
    check(!Arithmetic::kScaled, "weights of scaled arithmetic are packed as a whole");
    const int64_t stride = words * kPanel;
    float* out = scratch(Scratch::right_operand, divide_up(columns, kPanel) * stride);
    if constexpr (!Arithmetic::kScaled) {
      pack_rows<Arithmetic>({rows.data + k * Arithmetic::kStep * rows.stride, rows.stride}, depth,
                            columns, out);
    }
    return {out, stride};
  }
};

// C[rows, columns] = A B over `depth` elements.
template <class Arithmetic>
void product(const Left& a, const Right& b, int64_t rows, int64_t columns, int64_t depth,
             const Result& c) {
  const int64_t words = words_of<Arithmetic>(depth);
  // Few rows: A is too small to be worth packing, and B streams past once. Sums of integers are
  // the same on a tile unit and off it, other sums are not.
  const bool few = rows <= kStridedRows && a.along == Along::rows &&
                   (!Arithmetic::kTiled || Arithmetic::kScaled);
  const bool whole = Arithmetic::kScaled || (few && b.packed.data);
  const Parts blocks(std::max<int64_t>(words, 1), whole ? words + 1 : kDepthBlock);
  for (int64_t i = 0; i < blocks.count; ++i) {
    const int64_t k = blocks.begin(i), length = std::min(words, blocks.length(i));
    const int64_t elements = std::min(depth - k * Arithmetic::kStep, length * Arithmetic::kStep);
    const Panels panels = b.block<Arithmetic>(k, length, elements, columns);
    Result part = c;
    if (i > 0) part.mode = WriteMode::accumulate;
    if (i + 1 < blocks.count) part.bias = nullptr, part.relu = false;
    Left left = a.from(0, k * Arithmetic::kStep);
    if (!few) {
      if constexpr (Arithmetic::kTiled) {
        multiply_block_on_tiles<Arithmetic>(left, panels, rows, columns, elements, kLeftWords,
                                            part);
      } else {
        multiply_block<Arithmetic>(left, panels, rows, columns, elements, part);
      }
      continue;
    }
    if constexpr (!Arithmetic::kAsIs) {
      const int64_t left_words = left_words_of<Arithmetic>(elements);
      float* encoded = scratch(Scratch::left_rows, rows * left_words);
      const RowNumbers numbers = row_numbers<Arithmetic>(rows, part);
      encode_left_rows<Arithmetic>(left, rows, elements, left_words, encoded, numbers);
      left = {encoded, left_words, Along::rows};
    }
    multiply_along<Arithmetic, Along::rows>(left, panels, rows, columns, length, part);
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
