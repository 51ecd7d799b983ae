// y = x W^T + b and its two gradients, in every arithmetic.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/linear.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <optional>

#include "heed/backend/cpu/activation-inl.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/peak-inl.h"
#include "heed/backend/cpu/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

// The floats of a right operand in panels: `columns` columns, `words` deep.
constexpr int64_t panel_floats(int64_t columns, int64_t words) {
  return divide_up(columns, kPanel) * kPanel * words;
}

// A weight [out, in] in panels: the right operand of x W^T and, where asked for, of dy W.
template <class Arithmetic>
class PackedLinearWeight : public PackedWeight {
 public:
  PackedLinearWeight(const Tensor& weight, Purpose purpose)
      : rows_(weight.rows()),
        depth_(weight.columns()),
        words_(words_of<Arithmetic>(depth_)),
        forward_({panel_floats(rows_, words_)}) {
    if (Arithmetic::kScaled && rows_ > 0)
      scales_ = Tensor({rows_}), column_initial_ = Tensor({rows_});
    if (!Arithmetic::kScaled && rows_ > 0 && purpose == Purpose::training)
      backward_ = Tensor({panel_floats(depth_, words_of<Arithmetic>(rows_))});
    pack(weight);
  }

  // Whether pack(weight) gives the same as a new object.
  bool can_repack(const Tensor& weight, Purpose purpose) const {
    return weight.rows() == rows_ && weight.columns() == depth_ && rows_ > 0 &&
           bool(backward_) == (!Arithmetic::kScaled && purpose == Purpose::training);
  }
  void pack(const Tensor& weight) {
    if (rows_ == 0) return;
    pack_forward(weight.data<float>());
    if constexpr (!Arithmetic::kScaled) {
      if (backward_)
        pack_rows<Arithmetic>({weight.data<float>(), depth_}, rows_, depth_,
                              backward_.data<float>());
    }
  }

  // The bytes that the constructor would take, except the few bytes of the scales.
  static int64_t bytes(const Tensor& weight, Purpose purpose) {
    const int64_t rows = weight.rows(), depth = weight.columns();
    int64_t floats = panel_floats(rows, words_of<Arithmetic>(depth));
    if (!Arithmetic::kScaled && purpose == Purpose::training)
      floats += panel_floats(depth, words_of<Arithmetic>(rows));
    return floats * int64_t(sizeof(float));
  }

  void row(int64_t i, float* out) const override {
    const float* words = forward_.data<float>() + i / kPanel * kPanel * words_ + i % kPanel;
    const float scale = scales_ ? scales_.data<float>()[i] : 1;
    for (int64_t k = 0; k < depth_; ++k)
      out[k] = scale * Arithmetic::element(words[k / Arithmetic::kStep * kPanel], k);
  }

  // Whether this is the packed form of `weight` or of more rows that begin with it.
  bool is_packed_form_of(const Tensor& weight) const {
    return weight.offset() == 0 && weight.columns() == depth_ && weight.rows() <= rows_;
  }
  Right forward() const { return {{forward_.data<float>(), kPanel * words_}}; }
  bool has_backward() const { return bool(backward_); }
  Right backward() const {
    return {{backward_.data<float>(), kPanel * words_of<Arithmetic>(rows_)}};
  }
  const float* scales() const { return scales_ ? scales_.data<float>() : nullptr; }
  const float* column_initial() const {
    return column_initial_ ? column_initial_.data<float>() : nullptr;
  }

 private:
  void pack_forward(const float* weight) {
    const int64_t stride = kPanel * words_;
    if constexpr (Arithmetic::kAsIs) {
      pack_columns({weight, depth_}, rows_, words_, stride, forward_.data<float>());
    } else {
      Tensor encoded({kPanel, words_});
      for (int64_t n = 0; n < rows_; n += kPanel) {
        const int64_t count = std::min(kPanel, rows_ - n);
        for (int64_t i = 0; i < count; ++i)
          encode_row(weight, n + i, encoded.data<float>() + i * words_);
        pack_columns({encoded.data<float>(), words_}, count, words_, stride,
                     forward_.data<float>() + n / kPanel * stride);
      }
    }
  }

  void encode_row(const float* weight, int64_t n, float* words) {
    const float* row = weight + n * depth_;
    if constexpr (Arithmetic::kScaled) {
      auto* bytes = reinterpret_cast<uint8_t*>(words);
      const float scale = scales_.data<float>()[n] = row_scale(row, depth_);
      quantize_row(row, depth_, scale, 0, bytes);
      int32_t sum = 0;
      for (int64_t k = 0; k < depth_; ++k) sum += int8_t(bytes[k]);
      column_initial_.data<float>()[n] = std::bit_cast<float>(-128 * sum);
    } else {
      Arithmetic::encode_contiguous(row, depth_, words);
    }
  }

  int64_t rows_, depth_, words_;
  Tensor forward_, backward_;
  Tensor scales_;          // [rows]
  Tensor column_initial_;  // [rows]: minus 128 times the sum of the row's integers, an int32's bits
};

// The weight's packed form, if it has one of this arithmetic and instruction set.
template <class Arithmetic>
const PackedLinearWeight<Arithmetic>* packed_form(const Tensor& weight) {
  const auto* packed =
      dynamic_cast<const PackedLinearWeight<Arithmetic>*>(weight.storage()->packed.get());
  return packed && packed->is_packed_form_of(weight) ? packed : nullptr;
}

template <class Arithmetic>
std::shared_ptr<const PackedWeight> pack(const Tensor& weight, Purpose purpose) {
  // A form that this weight alone holds is packed anew in its place: training does so each step,
  // and memory that comes and goes costs more than the packing.
  const std::shared_ptr<const PackedWeight>& old = weight.storage()->packed;
  const auto* packed = dynamic_cast<const PackedLinearWeight<Arithmetic>*>(old.get());
  if (packed && old.use_count() == 1 && packed->can_repack(weight, purpose)) {
    const_cast<PackedLinearWeight<Arithmetic>*>(packed)->pack(weight);
    return old;
  }
  return std::make_shared<PackedLinearWeight<Arithmetic>>(weight, purpose);
}

template <class Arithmetic>
int64_t packed_bytes(const Tensor& weight, Purpose purpose) {
  return PackedLinearWeight<Arithmetic>::bytes(weight, purpose);
}

// The two large blocks of a product: its packed operands.
int64_t scratch_bytes(int64_t columns) {
  return scratch_bytes_of(panel_floats(columns, kDepthBlock)) + scratch_bytes_of(kLeftWords);
}

template <class Arithmetic>
void linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation,
            Tensor& y) {
  const int64_t in = weight.columns(), out = weight.rows();
  if (y.size() == 0) return;
  std::optional<PackedLinearWeight<Arithmetic>> temporary;
  const auto* packed = packed_form<Arithmetic>(weight);
  if (!packed) packed = &temporary.emplace(weight, Purpose::inference);
  Result result{y.data<float>(), out, WriteMode::overwrite, bias ? bias.data<float>() : nullptr,
                activation == Activation::relu};
  result.column_initial = packed->column_initial();
  result.column_scale = packed->scales();
  product<Arithmetic>({x.data<float>(), in, Order::row_major}, packed->forward(), y.rows(), out, in,
                      result);
  if (activation != Activation::none && activation != Activation::relu) activate(activation, y, y);
}

template <class Arithmetic>
void linear_input_gradient(const Tensor& dy, const Tensor& weight, Tensor& dx, WriteMode mode) {
  const int64_t in = weight.columns(), out = weight.rows();
  const auto* packed = packed_form<Arithmetic>(weight);
  const bool ready = packed && packed->has_backward();
  const Right right = ready ? packed->backward() : Right{{nullptr, 0}, {weight.data<float>(), in}};
  product<Arithmetic>({dy.data<float>(), out, Order::row_major}, right, dx.rows(), in, out,
                      {dx.data<float>(), in, mode});
}

// dbias (+)= the sum of dy's rows, in their order, from column `first` on.
void sum_rows(const Tensor& dy, int64_t first, Tensor& dbias, WriteMode mode) {
  const int64_t columns = dbias.size(), rows = dy.rows(), stride = dy.columns();
  float* sum = dbias.data<float>();
  if (mode == WriteMode::overwrite) std::fill_n(sum, columns, 0.0f);
  // Four rows at a time: fewer trips to the sums, the same order.
  constexpr int64_t kStep = 4;
  for (int64_t r = 0; r < rows; r += kStep) {
    const float* from = dy.data<float>() + r * stride + first;
    const int64_t count = std::min(kStep, rows - r);
    for (int64_t c = 0; c < columns; c += kLanes) {
      Vector total = load(sum + c, columns - c);
      for (int64_t i = 0; i < count; ++i)
        total = hn::Add(total, load(from + i * stride + c, columns - c));
      store(total, sum + c, columns - c);
    }
  }
}

template <class Arithmetic>
void linear_weight_gradient(const Tensor& dy, const Tensor& x, int64_t first, Tensor& dweight,
                            Tensor* dbias, WriteMode mode) {
  const int64_t in = dweight.columns(), out = dweight.rows();
  product<Arithmetic>({dy.data<float>() + first, dy.columns(), Order::column_major},
                      {{nullptr, 0}, {x.data<float>(), in}}, out, in, x.rows(),
                      {dweight.data<float>(), in, mode});
  if (dbias) sum_rows(dy, first, *dbias, mode);
}

template <class Arithmetic>
void fill(CpuKernels& kernels) {
  kernels.peak = peak<Arithmetic>;
  kernels.pack = pack<Arithmetic>;
  kernels.packed_bytes = packed_bytes<Arithmetic>;
  kernels.scratch_bytes = scratch_bytes;
  kernels.linear = linear<Arithmetic>;
  if constexpr (!Arithmetic::kScaled) {
    kernels.linear_input_gradient = linear_input_gradient<Arithmetic>;
    kernels.linear_weight_gradient = linear_weight_gradient<Arithmetic>;
  }
}

}  // namespace

void fill_linear_kernels([[maybe_unused]] const InstructionSet& set, DType compute,
                         CpuKernels& kernels) {
#if HWY_TARGET == HWY_AVX3
  using Tiles = InstructionSet::Tiles;
  if (compute == DType::bf16 && set.tiles == Tiles::amx)
    return fill<TileBf16<HardwareTiles>>(kernels);
  if (compute == DType::bf16 && set.tiles == Tiles::emulated)
    return fill<TileBf16<EmulatedTiles>>(kernels);
  if (compute == DType::int8 && set.tiles == Tiles::amx)
    return fill<TileInt8<HardwareTiles>>(kernels);
  if (compute == DType::int8 && set.tiles == Tiles::emulated)
    return fill<TileInt8<EmulatedTiles>>(kernels);
  if (compute == DType::bf16 && set.dot_bf16) return fill<DotBf16>(kernels);
  if (compute == DType::int8 && set.dot_int8) return fill<DotInt8>(kernels);
#endif
  if (compute == DType::bf16) return fill<RoundedBf16>(kernels);
  if (compute == DType::int8) return fill<PlainInt8>(kernels);
  fill<Fp32>(kernels);
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_linear_kernels);
void fill_linear(const InstructionSet& set, DType compute, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_linear_kernels)[dispatch_index(set.target)](set, compute, kernels);
}

}  // namespace heed::cpu
#endif
