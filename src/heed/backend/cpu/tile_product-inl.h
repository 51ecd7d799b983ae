// Matrix products on a tile unit (tiles.h), for arithmetics that have one. What product-inl.h says
// of a block of the inner index holds here, too; tiles take the place of slivers.
//
// A's words are packed into tiles: 16 rows by 16 words each, those of the same rows one behind the
// other. B's panels serve as they are: 16 inner indices of a panel are two tiles side by side.
// Chains run through the unit's registers alone, and every row goes through tiles, however few
// there are: so a row's bits do not depend on its neighbours.
#if defined(HEED_BACKEND_CPU_TILE_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_TILE_PRODUCT_INL_H_
#undef HEED_BACKEND_CPU_TILE_PRODUCT_INL_H_
#else
#define HEED_BACKEND_CPU_TILE_PRODUCT_INL_H_
#endif

#include <optional>

#include "heed/backend/cpu/gemm-inl.h"
#include "heed/backend/cpu/scratch.h"
#include "heed/backend/cpu/tiles.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3
constexpr int64_t kTileWords = kTileSide * kTileSide;
static_assert(kLanes == kTileSide && kPanel == 2 * kTileSide);

// Encodes 16 rows of A, of which `height` exist, as `chunks` tiles.
template <class Arithmetic>
void pack_tiles_of_rows(const Left& a, int64_t height, int64_t depth, int64_t chunks, float* out,
                        const RowNumbers& numbers) {
  float* encoded = scratch(Scratch::left_rows, chunks * kTileSide);
  std::fill_n(encoded, chunks * kTileSide, 0.0f);
  for (int64_t m = 0; m < kTileSide; ++m) {
    if (m < height) {
      encode_left_rows<Arithmetic>(a.from(m, 0), 1, depth, 0, encoded, numbers.from(m));
    } else if (m == height) {
      std::fill_n(encoded, chunks * kTileSide, 0.0f);
    }
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
      const Vector word = k < depth ? Arithmetic::across(even, odd, height) : zero();
      hn::StoreU(word, kFloats, words + i * kTileSide);
    }
    transpose(group, kTileSide, out + q * kTileWords, kTileSide);
  }
}

// The last words of a panel where they fill no tile, followed by zeros.
struct PanelTail {
  HWY_ALIGN float words[2 * kTileWords];

  PanelTail(const float* panel, int64_t count) {
    std::copy_n(panel, count * kPanel, words);
    std::fill(words + count * kPanel, std::end(words), 0.0f);
  }
};

// Where the 16 words of each chunk of a panel stand.
struct PanelChunks {
  const float* panel;
  const float* tail;  // of the last chunk, or null

  const float* at(int64_t q, int64_t chunks) const {
    return tail && q + 1 == chunks ? tail : panel + q * kTileSide * kPanel;
  }
};

// Registers 0 to 3 += the product of one or two slivers of A (`a` and `chunks` tiles on) and a
// panel.
template <class Arithmetic, int kSlivers, class Tiles>
HWY_INLINE void multiply_tiles(Tiles& tiles, const float* a, const PanelChunks& b, int64_t chunks) {
  for (int64_t q = 0; q < chunks; ++q) {
    const float* panel = b.at(q, chunks);
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

// Four registers between the unit and memory, two panels' halves of one or two slivers.
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
        const Vector first = load_part<kColumns>(c.first + j * kLanes, columns - j * kLanes);
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
  multiply_tiles<Arithmetic, kSlivers>(tiles, a, b, chunks);
  if (whole && plain) return store_sums<kSlivers>(tiles, c.data, c.stride);
  store_sums<kSlivers>(tiles, sums, kPanel);
  if (columns == kPanel) {
    finish_rows<Arithmetic, Columns::whole>(sums, rows, columns, c);
  } else {
    finish_rows<Arithmetic, Columns::some>(sums, rows, columns, c);
  }
}

// multiply_block of product-inl.h, on tiles.
template <class Arithmetic>
void multiply_block_on_tiles(const Left& a, const Panels& b, int64_t rows, int64_t columns,
                             int64_t depth, int64_t most_words, const Result& c) {
  typename Arithmetic::Tiles tiles;
  const int64_t words = divide_up(depth, Arithmetic::kStep), chunks = divide_up(words, kTileSide);
  const int64_t sliver = chunks * kTileWords;
  const int64_t tail = words % kTileSide;
  const int64_t row_block =
      std::max<int64_t>(2, most_words / std::max<int64_t>(sliver, 1)) * kTileSide;
  for (int64_t m0 = 0; m0 < rows; m0 += row_block) {
    const int64_t count = std::min(row_block, rows - m0);
    float* packed = scratch(Scratch::activations, divide_up(count, kTileSide) * sliver);
    Result block = c.from(m0, 0);
    const RowNumbers numbers = row_numbers<Arithmetic>(count, block);
    for (int64_t m = 0; m < count; m += kTileSide) {
      const Left part = a.from(m0 + m, 0);
      const int64_t height = std::min(kTileSide, count - m);
      if (a.along == Along::rows) {
        pack_tiles_of_rows<Arithmetic>(part, height, depth, chunks, packed + m / kTileSide * sliver,
                                       numbers.from(m));
      } else if constexpr (!Arithmetic::kScaled) {
        pack_tiles_of_columns<Arithmetic>(part, height, depth, chunks,
                                          packed + m / kTileSide * sliver);
      }
    }
    for (int64_t n = 0; n < columns; n += kPanel) {
      const float* panel = b.data + n / kPanel * b.stride;
      std::optional<PanelTail> last;
      if (tail > 0) last.emplace(panel + (words - tail) * kPanel, tail);
      const PanelChunks right{panel, last ? last->words : nullptr};
      const int64_t width = std::min(kPanel, columns - n);
      for (int64_t m = 0; m < count; m += 2 * kTileSide) {
        const float* left = packed + m / kTileSide * sliver;
        const int64_t height = std::min(2 * kTileSide, count - m);
        if (height > kTileSide) {
          multiply_slivers<Arithmetic, 2>(tiles, left, right, chunks, height, width,
                                          block.from(m, n));
        } else {
          multiply_slivers<Arithmetic, 1>(tiles, left, right, chunks, height, width,
                                          block.from(m, n));
        }
      }
    }
  }
}
#endif

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
