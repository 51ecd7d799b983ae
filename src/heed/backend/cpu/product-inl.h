// Large products: cache blocking and packing around the tiles of gemm-inl.h, or on a tile unit
// (tiles.h) for arithmetics that have one.
#if defined(HEED_BACKEND_CPU_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_PRODUCT_INL_H_
#undef HEED_BACKEND_CPU_PRODUCT_INL_H_
#else
#define HEED_BACKEND_CPU_PRODUCT_INL_H_
#endif

#include <optional>

#include "heed/backend/cpu/gemm-inl.h"
#include "heed/backend/cpu/scratch.h"
#include "heed/backend/cpu/tiles.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

// A longer kDepthBlock (words) means fewer trips of C through the registers; 256 to 512 differ by a
// few percent. kLeftWords of A, 512 KiB, half of an L2 cache of 1 MiB, are packed at a time.
constexpr int64_t kDepthBlock = 512;
constexpr int64_t kLeftWords = 128 << 10;

// Copies part of A (elements, `depth` of them along the inner index) into slivers as high as the
// tiles: sliver i, from parts.begin(i) * words on, holds its rows' words for k = 0, then for k = 1,
// ... Whole vectors are written: what goes too far is overwritten by the next k, and `out` has
// kLanes floats to spare.
template <class Arithmetic>
void pack_left(const Left& a, const EvenSplit& parts, int64_t depth, float* out,
               const RowQuantization& quantization) {
  const int64_t words = left_words_of<Arithmetic>(depth);
  for (int64_t i = 0; i < parts.count; ++i) {
    const int64_t height = parts.length(i);
    const Left part = a.from(parts.begin(i), 0);
    float* to = out + parts.begin(i) * words;
    if (a.order == Order::column_major) {
      if constexpr (!Arithmetic::kScaled) {
        for (int64_t k = 0; k < words; ++k) {
          const float* even = part.data + k * Arithmetic::kStep * a.stride;
          const bool pair = Arithmetic::kStep > 1 && k * Arithmetic::kStep + 1 < depth;
          const float* odd = pair ? even + a.stride : nullptr;
          for (int64_t m = 0; m < height; m += kLanes)
            hn::StoreU(Arithmetic::encode_row_pair(even + m, odd ? odd + m : nullptr, height - m),
                       kFloats, to + k * height + m);
        }
      }
      continue;
    }
    Rows rows{part.data, a.stride};
    if constexpr (!Arithmetic::kAsIs) {
      float* encoded = scratch(Scratch::left_rows, kTileRows * words);
      encode_left_rows<Arithmetic>(part, height, depth, words, encoded,
                                   quantization.from(parts.begin(i)));
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

// Prefetches a tile of C: its rows lie too far apart for the hardware to do so.
inline void prefetch_tile(const Result& c, int64_t height) {
  for (int64_t m = 0; m < height; ++m)
    for (int64_t j = 0; j < kPanel; j += 16) hwy::Prefetch(c.data + m * c.stride + j);
}

// C over one block of the inner index: `depth` elements of A, B packed.
template <class Arithmetic>
void multiply_block(const Left& a, const Panels& b, int64_t rows, int64_t columns, int64_t depth,
                    const Result& c) {
  static constexpr auto kTiles =
      narrow_tiles<Arithmetic, Order::column_major>(std::make_index_sequence<kTileRows>());
  const int64_t words = words_of<Arithmetic>(depth);
  const int64_t left_words = left_words_of<Arithmetic>(depth);
  const int64_t row_block =
      std::max<int64_t>(1, kLeftWords / (std::max<int64_t>(left_words, 1) * kTileRows)) * kTileRows;
  for (int64_t m0 = 0; m0 < rows; m0 += row_block) {
    const int64_t count = std::min(row_block, rows - m0);
    const EvenSplit parts(count, kTileRows);
    float* packed = scratch(Scratch::left_operand, count * left_words + kLanes);
    Result block = c.from(m0, 0);
    const RowQuantization quantization = row_quantization<Arithmetic>(count, block);
    pack_left<Arithmetic>(a.from(m0, 0), parts, depth, packed, quantization);
    for (int64_t n = 0; n < columns; n += kPanel) {
      const Panels panel{b.data + n / kPanel * b.stride, b.stride};
      for (int64_t i = 0; i < parts.count; ++i) {
        const int64_t height = parts.length(i);
        const Left sliver{packed + parts.begin(i) * left_words, height, Order::column_major};
        if (i + 1 < parts.count)
          prefetch_tile(block.from(parts.begin(i + 1), n), parts.length(i + 1));
        kTiles[size_t(height - 1)](sliver, panel, words, std::min(kPanel, columns - n),
                                   block.from(parts.begin(i), n));
      }
    }
  }
}

// The same on a tile unit (AMX), whose registers are tiles of 16 by 16 words: a sliver of A is a
// strip of 16 rows, as a sequence of such tiles.
//
// A's words are packed into tiles: 16 rows by 16 words each. Tiles of the same rows follow one
// another. B's panels serve as they are: 16 inner indices of a panel are two tiles side by side.
// Within a depth block each sum stays in a register of the unit. In bf16 every row goes through
// tiles, however few there are, so that its bits do not depend on its neighbours; few rows of int8
// take the vectors' path, whose integer sums are the same.
#if HWY_TARGET == HWY_AVX3
constexpr int64_t kTileWords = kTileSide * kTileSide;
static_assert(kLanes == kTileSide && kPanel == 2 * kTileSide);
// Panels of B, 512 KiB, that are multiplied by the packed rows of A before the next ones.
constexpr int64_t kGroupWords = 128 << 10;

// Both lines of a row of a tile pair.
HWY_INLINE void prefetch_for_writing(const float* row) {
  __builtin_prefetch(row, 1, 3);
  __builtin_prefetch(row + kPanel - 1, 1, 3);
}

// Encodes 16 rows of A, of which `height` exist, as `chunks` tiles.
template <class Arithmetic>
void pack_tiles_of_rows(const Left& a, int64_t height, int64_t depth, int64_t chunks, float* out,
                        const RowQuantization& quantization) {
  if (height < kTileSide) std::fill_n(out, chunks * kTileWords, 0.0f);
  if constexpr (!Arithmetic::kScaled) {
    for (int64_t m = 0; m < height; ++m)
      Arithmetic::encode_row_in_tiles(a.data + m * a.stride, depth, out + m * kTileSide);
    return;
  }
  float* encoded = scratch(Scratch::left_rows, chunks * kTileSide);
  std::fill_n(encoded, chunks * kTileSide, 0.0f);
  for (int64_t m = 0; m < height; ++m) {
    encode_left_rows<Arithmetic>(a.from(m, 0), 1, depth, 0, encoded, quantization.from(m));
    for (int64_t q = 0; q < chunks; ++q)
      hn::StoreU(hn::LoadU(kFloats, encoded + q * kTileSide), kFloats,
                 out + q * kTileWords + m * kTileSide);
  }
}

// The same where A's columns lie together.
template <class Arithmetic>
void pack_tiles_of_columns(const Left& a, int64_t height, int64_t depth, int64_t chunks,
                           float* out) {
  HWY_ALIGN float words[kTileWords];  // [inner index, row]
  const float* group[kTileSide];
  for (int64_t k = 0; k < kTileSide; ++k) group[k] = words + k * kTileSide;
  for (int64_t q = 0; q < chunks; ++q) {
    for (int64_t i = 0; i < kTileSide; ++i) {
      const int64_t k = (q * kTileSide + i) * Arithmetic::kStep;
      const float* even = a.data + k * a.stride;
      const float* odd = k + 1 < depth ? even + a.stride : nullptr;
      const Vector word = k < depth ? Arithmetic::encode_row_pair(even, odd, height) : zero();
      hn::StoreU(word, kFloats, words + i * kTileSide);
    }
    transpose(group, kTileSide, out + q * kTileWords, kTileSide);
  }
}

// The address of each chunk of a panel. A chunk is 16 words of the inner index: one tile of A, two
// tiles of a panel.
struct PanelChunks {
  const float* panel;
  const float* tail;  // of the last chunk, or null

  const float* at(int64_t q, int64_t chunks) const {
    return tail && q + 1 == chunks ? tail : panel + q * kTileSide * kPanel;
  }
};

// Registers 0 to 3 += the product of one or two slivers of A (the second begins `chunks` tiles
// after `a`) and a panel.
// Meanwhile the lines of C that will be written are prefetched: its rows lie too far apart for the
// hardware to do so.
template <class Arithmetic, int kSlivers, class Tiles>
HWY_INLINE void multiply_tiles(Tiles& tiles, const float* a, const PanelChunks& b, int64_t chunks,
                               const Result& c, int64_t rows) {
  const int64_t rows_at_once = divide_up(rows, std::max<int64_t>(1, chunks));
  int64_t prefetched = 0;
  for (int64_t q = 0; q < chunks; ++q) {
    const float* panel = b.at(q, chunks);
    for (int64_t i = 0; i < rows_at_once && prefetched < rows; ++i, ++prefetched)
      prefetch_for_writing(c.data + prefetched * c.stride);
    tiles.template load<4>(a + q * kTileWords, kTileSide);
    tiles.template load<6>(panel, kPanel);
    Arithmetic::template multiply<0, 4, 6>(tiles);
    tiles.template load<7>(panel + kTileSide, kPanel);
    Arithmetic::template multiply<1, 4, 7>(tiles);
    if constexpr (kSlivers == 2) {
      tiles.template load<5>(a + (chunks + q) * kTileWords, kTileSide);
      Arithmetic::template multiply<2, 5, 6>(tiles);
      Arithmetic::template multiply<3, 5, 7>(tiles);
    }
  }
}

// Loads or stores registers 0 to 3: the two halves of a panel for one or two slivers of A.
template <int kSlivers, class Tiles>
HWY_INLINE void load_sums(Tiles& tiles, const float* from, int64_t stride) {
  tiles.template load<0>(from, stride);
  tiles.template load<1>(from + kTileSide, stride);
  if constexpr (kSlivers == 2) {
    tiles.template load<2>(from + kTileSide * stride, stride);
    tiles.template load<3>(from + kTileSide * stride + kTileSide, stride);
  }
}
template <int kSlivers, class Tiles>
HWY_INLINE void store_sums(Tiles& tiles, float* to, int64_t stride) {
  tiles.template store<0>(to, stride);
  tiles.template store<1>(to + kTileSide, stride);
  if constexpr (kSlivers == 2) {
    tiles.template store<2>(to + kTileSide * stride, stride);
    tiles.template store<3>(to + kTileSide * stride + kTileSide, stride);
  }
}

// Rows of sums [rows, kPanel] on their way to C.
template <class Arithmetic, Columns kColumns>
void finish_rows(const float* sums, int64_t rows, int64_t columns, const Result& c) {
  for (int64_t m = 0; m < rows; ++m) {
    Vector sum[1][kPanelVectors];
    for (int64_t j = 0; j < kPanelVectors; ++j) {
      sum[0][j] = hn::Load(kFloats, sums + m * kPanel + j * kLanes);
      if constexpr (Arithmetic::kScaled) {
        const Integers integers;
        const Vector first =
            load_part<kColumns>(c.column_initial + j * kLanes, columns - j * kLanes);
        sum[0][j] = hn::BitCast(
            kFloats, hn::Add(hn::BitCast(integers, sum[0][j]), hn::BitCast(integers, first)));
      }
    }
    finish_tile<Arithmetic, kColumns>(sum, columns, c.from(m, 0));
  }
}

// One or two slivers of A times one panel: `rows` rows and `columns` columns of C exist.
template <class Arithmetic, int kSlivers, class Tiles>
void multiply_slivers(Tiles& tiles, const float* a, const PanelChunks& b, int64_t chunks,
                      int64_t rows, int64_t columns, const Result& c) {
  HWY_ALIGN float sums[2 * kTileSide * kPanel];
  const bool whole = rows == kSlivers * kTileSide && columns == kPanel;
  const bool plain = !Arithmetic::kScaled && !c.bias && !c.relu;
  if (c.mode == WriteMode::accumulate) {
    if (!whole) {
      std::fill(std::begin(sums), std::end(sums), 0.0f);
      for (int64_t m = 0; m < rows; ++m)
        std::copy_n(c.data + m * c.stride, columns, sums + m * kPanel);
    }
    load_sums<kSlivers>(tiles, whole ? c.data : sums, whole ? c.stride : kPanel);
  } else {
    tiles.template clear<0>(), tiles.template clear<1>();
    tiles.template clear<2>(), tiles.template clear<3>();
  }
  multiply_tiles<Arithmetic, kSlivers>(tiles, a, b, chunks, c, rows);
  if (whole && plain) return store_sums<kSlivers>(tiles, c.data, c.stride);
  store_sums<kSlivers>(tiles, sums, kPanel);
  if (columns == kPanel) {
    finish_rows<Arithmetic, Columns::whole>(sums, rows, columns, c);
  } else {
    finish_rows<Arithmetic, Columns::some>(sums, rows, columns, c);
  }
}

// The last words of each of a few panels where they fill no tile, followed by zeros; null where
// they do. `words` is the length of the panels.
inline const float* panel_tails(const Panels& b, int64_t panels, int64_t words) {
  const int64_t tail = words % kTileSide;
  if (tail == 0) return nullptr;
  float* out = scratch(Scratch::panel_tails, panels * 2 * kTileWords);
  for (int64_t p = 0; p < panels; ++p) {
    float* to = out + p * 2 * kTileWords;
    std::copy_n(b.data + p * b.stride + (words - tail) * kPanel, tail * kPanel, to);
    std::fill(to + tail * kPanel, to + 2 * kTileWords, 0.0f);
  }
  return out;
}

// Packs `count` rows of A from row m0 on as tiles, `sliver` words for each 16 rows.
template <class Arithmetic>
void pack_tiles(const Left& a, int64_t count, int64_t depth, int64_t chunks, float* packed,
                const RowQuantization& quantization) {
  for (int64_t m = 0; m < count; m += kTileSide) {
    const Left part = a.from(m, 0);
    const int64_t height = std::min(kTileSide, count - m);
    float* to = packed + m * chunks * kTileSide;
    if (a.order == Order::row_major) {
      pack_tiles_of_rows<Arithmetic>(part, height, depth, chunks, to, quantization.from(m));
    } else if constexpr (!Arithmetic::kScaled) {
      pack_tiles_of_columns<Arithmetic>(part, height, depth, chunks, to);
    }
  }
}

// Two slivers of A times a group of panels, `rows` rows and `columns` columns of C.
template <class Arithmetic, class Tiles>
void multiply_group(Tiles& tiles, const float* a, const Panels& b, const float* tails,
                    int64_t words, int64_t rows, int64_t columns, const Result& c) {
  const int64_t chunks = divide_up(words, kTileSide);
  for (int64_t n = 0; n < columns; n += kPanel) {
    const int64_t panel = n / kPanel, width = std::min(kPanel, columns - n);
    const PanelChunks right{b.data + panel * b.stride,
                            tails ? tails + panel * 2 * kTileWords : nullptr};
    if (rows > kTileSide) {
      multiply_slivers<Arithmetic, 2>(tiles, a, right, chunks, rows, width, c.from(0, n));
    } else {
      multiply_slivers<Arithmetic, 1>(tiles, a, right, chunks, rows, width, c.from(0, n));
    }
  }
}

// multiply_block(), on tiles. Two slivers of A stay in the L1 cache while they are multiplied by a
// group of panels, which stays in the L2 cache, as the packed rows of A do. So each line of C is
// written at once, although a tile's row may end within it.
template <class Arithmetic>
void multiply_block_on_tiles(const Left& a, const Panels& b, int64_t rows, int64_t columns,
                             int64_t depth, const Result& c) {
  typename Arithmetic::Tiles tiles;
  const int64_t words = divide_up(depth, Arithmetic::kStep), chunks = divide_up(words, kTileSide);
  const int64_t sliver = chunks * kTileWords;
  const int64_t row_block =
      std::max<int64_t>(2, kLeftWords / std::max<int64_t>(sliver, 1)) * kTileSide;
  const int64_t group =
      std::max<int64_t>(1, kGroupWords / std::max<int64_t>(words * kPanel, 1)) * kPanel;
  for (int64_t m0 = 0; m0 < rows; m0 += row_block) {
    const int64_t count = std::min(row_block, rows - m0);
    float* packed = scratch(Scratch::left_operand, divide_up(count, kTileSide) * sliver);
    Result block = c.from(m0, 0);
    const RowQuantization quantization = row_quantization<Arithmetic>(count, block);
    pack_tiles<Arithmetic>(a.from(m0, 0), count, depth, chunks, packed, quantization);
    for (int64_t n = 0; n < columns; n += group) {
      const Panels panels{b.data + n / kPanel * b.stride, b.stride};
      const int64_t width = std::min(group, columns - n);
      const float* tails = panel_tails(panels, divide_up(width, kPanel), words);
      for (int64_t m = 0; m < count; m += 2 * kTileSide)
        multiply_group<Arithmetic>(tiles, packed + m / kTileSide * sliver, panels, tails, words,
                                   std::min(2 * kTileSide, count - m), width, block.from(m, n));
    }
  }
}
#endif

// The right operand: packed as a whole, or its rows, one per element of the inner index.
struct Right {
  Panels packed = {nullptr, 0};
  Rows rows = {nullptr, 0};

  // Words [k, k + words) of all columns as panels, encoded from the `depth` elements that begin at
  // element k * kStep.
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
  // Few rows: A is not packed, since B is read once only. Not in bf16 on a tile unit, whose sums
  // differ from those of vectors.
  const bool few = rows <= kStridedRows && a.order == Order::row_major &&
                   (!Arithmetic::kTiled || Arithmetic::kScaled);
  const bool whole = Arithmetic::kScaled || (few && b.packed.data);
  // One block at least, even of no words.
  const EvenSplit blocks(std::max<int64_t>(words, 1), whole ? words + 1 : kDepthBlock);
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
        multiply_block_on_tiles<Arithmetic>(left, panels, rows, columns, elements, part);
      } else {
        multiply_block<Arithmetic>(left, panels, rows, columns, elements, part);
      }
      continue;
    }
    if constexpr (!Arithmetic::kAsIs) {
      const int64_t left_words = left_words_of<Arithmetic>(elements);
      float* encoded = scratch(Scratch::left_rows, rows * left_words);
      const RowQuantization quantization = row_quantization<Arithmetic>(rows, part);
      encode_left_rows<Arithmetic>(left, rows, elements, left_words, encoded, quantization);
      left = {encoded, left_words, Order::row_major};
    }
    multiply_in_place<Arithmetic, Order::row_major>(left, panels, rows, columns, length, part);
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
