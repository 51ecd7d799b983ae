// y = x W^T + b and its two gradients: three cache-blocked products on one micro-kernel.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/linear.cpp"
#include "hwy/foreach_target.h"
// behind foreach_target.h
#include "heed/backend/cpu/activation-inl.h"
#include "heed/backend/cpu/dispatch.h"
#include "heed/backend/cpu/gemm-inl.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/scratch.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

// kRowBlock rows of A and kColumnBlock columns of B stay in the second cache. A longer kDepthBlock
// means fewer trips of C through the registers; 256 to 512 differ by a few percent.
constexpr int64_t kDepthBlock = 512;
constexpr int64_t kRowBlock = int64_t{8} * kTileRows;
constexpr int64_t kColumnBlock = 256;

// A weight [out, in] in panels: the right operand of x W^T.
class PackedWeight : public Prepared {
 public:
  explicit PackedWeight(const Tensor& weight)
      : rows_(weight.rows()),
        depth_(weight.columns()),
        panels_({divide_up(rows_, kPanel) * kPanel * depth_}) {
    if (rows_ == 0) return;
    pack_columns({weight.data<float>(), depth_}, rows_, 0, depth_, kPanel * depth_,
                 panels_.data<float>());
  }
  // Whether this is the packed form of `weight` or of more rows that begin with it.
  bool fits(const Tensor& weight) const {
    return weight.offset() == 0 && weight.columns() == depth_ && weight.rows() <= rows_;
  }
  Panels panels() const { return {panels_.data<float>(), kPanel * depth_}; }

 private:
  int64_t rows_, depth_;
  Tensor panels_;
};

// The right operand as it comes.
struct Right {
  const float* data;
  int64_t stride;
  Along along;                   // rows: (k, n) at k * stride + n; columns: at n * stride + k
  Panels packed = {nullptr, 0};  // where it is packed already

  // Rows [k, k + depth) of columns [n, n + width) as panels.
  Panels block(int64_t k, int64_t depth, int64_t n, int64_t width) const {
    if (packed.data) return {packed.data + n / kPanel * packed.stride + k * kPanel, packed.stride};
    const int64_t stride = depth * kPanel;
    float* out = scratch(Scratch::weights, divide_up(width, kPanel) * stride);
    if (along == Along::rows) {
      pack_rows({data + k * this->stride, this->stride}, depth, n, n + width, out);
    } else {
      pack_columns({data + n * this->stride, this->stride}, width, k, depth, stride, out);
    }
    return {out, stride};
  }
};

// Copies part of A into slivers as high as the tiles: sliver i, from parts.begin(i) * depth on,
// holds its rows' elements for k = 0, then for k = 1, ... Whole vectors are written: what goes too
// far is overwritten by the next k, and `out` has kLanes floats to spare.
void pack_left(const Left& a, const Parts& parts, int64_t depth, float* out) {
  for (int64_t i = 0; i < parts.count; ++i) {
    const int64_t height = parts.length(i);
    const Left part = a.from(parts.begin(i), 0);
    float* to = out + parts.begin(i) * depth;
    if (a.along == Along::columns) {
      for (int64_t k = 0; k < depth; ++k)
        for (int64_t m = 0; m < height; m += kLanes)
          hn::StoreU(load(part.data + k * a.stride + m, height - m), kFloats, to + k * height + m);
      continue;
    }
    const float* group[kLanes];
    for (int64_t j = 0; j < kLanes; ++j) group[j] = part.data + std::min(j, height - 1) * a.stride;
    transpose(group, depth, to, height);
    // Where vectors are shorter than tiles are high.
    for (int64_t m = kLanes; m < height; ++m)
      for (int64_t k = 0; k < depth; ++k) to[k * height + m] = part.data[m * a.stride + k];
  }
}

// Asks for a tile of C before it is needed: its rows lie far apart, where no hardware looks ahead.
void prefetch_tile(const Result& c, int64_t height) {
  for (int64_t m = 0; m < height; ++m)
    for (int64_t j = 0; j < kPanel; j += 16) hwy::Prefetch(c.data + m * c.stride + j);
}

// One block of C: all its rows, B in cache.
void multiply_block(const Left& a, const Panels& b, int64_t rows, int64_t columns, int64_t depth,
                    const Result& c) {
  static constexpr auto kTiles =
      narrow_tiles<Along::columns>(std::make_index_sequence<kTileRows>());
  for (int64_t m0 = 0; m0 < rows; m0 += kRowBlock) {
    const Parts parts(std::min(kRowBlock, rows - m0), kTileRows);
    float* packed = scratch(Scratch::activations, kRowBlock * depth + kLanes);
    pack_left(a.from(m0, 0), parts, depth, packed);
    for (int64_t n = 0; n < columns; n += kPanel) {
      const Panels panel{b.data + n / kPanel * b.stride, b.stride};
      for (int64_t i = 0; i < parts.count; ++i) {
        const int64_t height = parts.length(i);
        const Left sliver{packed + parts.begin(i) * depth, height, Along::columns};
        if (i + 1 < parts.count)
          prefetch_tile(c.from(m0 + parts.begin(i + 1), n), parts.length(i + 1));
        kTiles[size_t(height - 1)](sliver, panel, depth, std::min(kPanel, columns - n),
                                   c.from(m0 + parts.begin(i), n));
      }
    }
  }
}

void product(const Left& a, const Right& b, int64_t rows, int64_t columns, int64_t depth,
             const Result& c) {
  // Few rows: A is too small to be worth packing, and B streams past once.
  const bool few = rows <= kStridedRows;
  const Parts depths(std::max<int64_t>(depth, 1), few && b.packed.data ? depth + 1 : kDepthBlock);
  for (int64_t n = 0; n < columns; n += kColumnBlock) {
    const int64_t width = std::min(kColumnBlock, columns - n);
    for (int64_t i = 0; i < depths.count; ++i) {
      const int64_t k = depths.begin(i), length = std::min(depth, depths.length(i));
      const Panels panels = b.block(k, length, n, width);
      Result part = c.from(0, n);
      if (i > 0) part.write = Write::accumulate;
      if (i + 1 < depths.count) part.bias = nullptr, part.relu = false;
      const Left left = a.from(0, k);
      if (few) {
        multiply(left, panels, rows, width, length, part);
      } else {
        multiply_block(left, panels, rows, width, length, part);
      }
    }
  }
}

std::shared_ptr<const Prepared> prepare(const Tensor& weight) {
  return std::make_shared<PackedWeight>(weight);
}

void linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation,
            const Tensor& y) {
  const int64_t in = weight.columns(), out = weight.rows(), rows = y.rows();
  Right right{weight.data<float>(), in, Along::columns};
  const auto* packed = dynamic_cast<const PackedWeight*>(weight.storage()->prepared.get());
  if (packed && packed->fits(weight)) right.packed = packed->panels();
  const Result result{y.data<float>(), out, Write::overwrite, bias ? bias.data<float>() : nullptr,
                      activation == Activation::relu};
  product({x.data<float>(), in, Along::rows}, right, rows, out, in, result);
  if (activation == Activation::gelu || activation == Activation::silu)
    activate_elements(activation, y.data<float>(), y.data<float>(), y.size());
}

void linear_input_gradient(const Tensor& dy, const Tensor& weight, const Tensor& dx, Write write) {
  const int64_t in = weight.columns(), out = weight.rows();
  product({dy.data<float>(), out, Along::rows}, {weight.data<float>(), in, Along::rows}, dx.rows(),
          in, out, {dx.data<float>(), in, write});
}

// dbias (+)= the sum of dy's rows, in their order.
void sum_rows(const Tensor& dy, const Tensor& dbias, Write write) {
  const int64_t columns = dbias.size(), rows = dy.rows();
  float* sum = dbias.data<float>();
  if (write == Write::overwrite) std::fill_n(sum, columns, 0.0f);
  // Four rows at a time: fewer trips to the sums, the same order.
  constexpr int64_t kStep = 4;
  for (int64_t r = 0; r < rows; r += kStep) {
    const float* from = dy.data<float>() + r * columns;
    const int64_t count = std::min(kStep, rows - r);
    for (int64_t c = 0; c < columns; c += kLanes) {
      Vector total = load(sum + c, columns - c);
      for (int64_t i = 0; i < count; ++i)
        total = hn::Add(total, load(from + i * columns + c, columns - c));
      store(total, sum + c, columns - c);
    }
  }
}

void linear_weight_gradient(const Tensor& dy, const Tensor& x, const Tensor& dweight,
                            const Tensor& dbias, Write write) {
  const int64_t in = dweight.columns(), out = dweight.rows();
  product({dy.data<float>(), out, Along::columns}, {x.data<float>(), in, Along::rows}, out, in,
          x.rows(), {dweight.data<float>(), in, write});
  if (dbias) sum_rows(dy, dbias, write);
}

}  // namespace

void fill_linear_kernels(Kernels& kernels) {
  kernels.prepare = prepare;
  kernels.linear = linear;
  kernels.linear_input_gradient = linear_input_gradient;
  kernels.linear_weight_gradient = linear_weight_gradient;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_linear_kernels);
void fill_linear(int64_t target, Kernels& kernels) {
  HWY_DISPATCH_TABLE(fill_linear_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
