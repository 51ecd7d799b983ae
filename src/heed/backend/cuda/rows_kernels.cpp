#include <vector>

#include "heed/backend/cuda/bf16_weight.h"
#include "heed/backend/cuda/embedding.h"
#include "heed/backend/cuda/fill.h"
#include "heed/backend/cuda/head_products.h"
#include "heed/backend/cuda/head_rows.h"
#include "heed/backend/cuda/memory.h"
#include "heed/backend/cuda/norm.h"

namespace heed::cuda {
namespace {

void embed_tokens(const Tokens& tokens, const Tensor& table, const Tensor& positions, double scale,
                  const Dropout& dropout, Tensor& out) {
  Embedding embedding = {};
  embedding.ids = tokens.ids.data_in(cuda_memory());
  if (table.has_values()) {
    embedding.table = device_data<float>(table);
    embedding.stride = table.columns();
  } else {
    const auto* packed = dynamic_cast<const Bf16Weight*>(table.storage()->packed.get());
    check(packed != nullptr, "a table without values that is not packed for the device");
    embedding.bf16_table = packed->bf16();
    embedding.stride = packed->stride();
  }
  if (positions) {
    embedding.positions = device_data<float>(positions);
    embedding.offsets = tokens.layout.offsets.data_in(cuda_memory());
    if (!tokens.start.empty()) embedding.start = tokens.start.data_in(cuda_memory());
  }
  embedding.rows = int64_t(tokens.ids.size());
  embedding.sequences = tokens.layout.count();
  embedding.columns = out.columns();
  embedding.scale = float(scale);
  embedding.out = device_data<float>(out);
  embed(embedding, dropout);
}

// The rows of a batch by their ids, for embed_gradient().
struct RowsById {
  std::vector<int32_t> order;
  std::vector<EmbeddingPiece> pieces;
  std::vector<EmbeddingSum> sums;
  int32_t partials = 0;

  RowsById(const Indices& ids, TokenId padding_id, int64_t vocabulary) {
    // A counting sort: the rows of id i are order[ends[i - 1], ends[i]).
    std::vector<int32_t> ends(size_t(vocabulary) + 1);
    for (const TokenId id : ids)
      if (id != padding_id) ++ends[size_t(id) + 1];
    for (size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
    order.resize(size_t(ends.back()));
    for (size_t r = 0; r < ids.size(); ++r)
      if (ids[r] != padding_id) order[size_t(ends[size_t(ids[r])]++)] = int32_t(r);
    int32_t begin = 0;
    for (int32_t id = 0; id < vocabulary; ++id) {
      const int32_t end = ends[size_t(id)];
      if (end > begin) add_id(id, begin, end);
      begin = end;
    }
  }

 private:
  void add_id(int32_t id, int32_t begin, int32_t end) {
    if (end - begin <= kPieceRows) return pieces.push_back({id, begin, end, -1});
    const int32_t first = partials;
    for (; begin < end; begin += kPieceRows)
      pieces.push_back({id, begin, std::min(begin + kPieceRows, end), partials++});
    sums.push_back({id, first, partials});
  }
};

// Appends structs of integers to integers, which are uploaded together.
template <class T>
void append(const std::vector<T>& from, std::vector<int32_t>& to) {
  static_assert(sizeof(T) % sizeof(int32_t) == 0);
  const auto* begin = reinterpret_cast<const int32_t*>(from.data());
  const auto* end = reinterpret_cast<const int32_t*>(from.data() + from.size());
  to.insert(to.end(), begin, end);
}

void embed_gradient_of(const Tokens& tokens, const Tensor& dout, double scale,
                       const Dropout& dropout, TokenId padding_id, Tensor& dtable) {
  const RowsById rows(tokens.ids, padding_id, dtable.rows());
  if (rows.pieces.empty()) return;
  std::vector<int32_t> integers;
  append(rows.pieces, integers);
  append(rows.sums, integers);
  append(rows.order, integers);
  Scratch<int32_t> uploaded((std::span<const int32_t>(integers)));
  Scratch<float> partials(rows.partials * dtable.columns());
  EmbeddingGradient gradient = {};
  gradient.pieces = reinterpret_cast<const EmbeddingPiece*>(uploaded.data());
  gradient.piece_count = int64_t(rows.pieces.size());
  gradient.sums = reinterpret_cast<const EmbeddingSum*>(gradient.pieces + rows.pieces.size());
  gradient.sum_count = int64_t(rows.sums.size());
  gradient.order = reinterpret_cast<const int32_t*>(gradient.sums + rows.sums.size());
  gradient.columns = dtable.columns();
  gradient.dout = device_data<float>(dout);
  gradient.scale = float(scale);
  gradient.partials = partials.data();
  gradient.dtable = device_data<float>(dtable);
  embed_gradient(gradient, dropout);
}

NormSettings settings_of(const NormOptions& options) {
  return {float(options.epsilon), options.kind, options.dropout};
}

void add_norm_gradient_of(const Tensor& dy, const Tensor& sum, const Tensor& statistics,
                          const Tensor& gain, const NormOptions& options,
                          const AddNormGradient& gradient) {
  Scratch<float> partials(norm_partials(dy.rows(), dy.columns()));
  add_norm_gradient(
      {device_data<float>(dy), device_data<float>(sum), device_data<float>(statistics),
       device_data<float>(gain), device_data<float>(gradient.dx), gradient.mode,
       device_data<float>(gradient.dsublayer), device_data<float>(gradient.dgain),
       device_data<float>(gradient.dbias), partials.data(), dy.rows(), dy.columns()},
      settings_of(options));
}

void write_cache_of(const Tensor& x, const Indices& rows, Tensor& cache) {
  const auto* from = device_data<float>(x);
  const int32_t* to_rows = rows.data_in(cuda_memory());
  const auto count = int64_t(rows.size());
  if (cache.dtype() == DType::fp32)
    write_cache(from, to_rows, count, x.columns(), device_data<float>(cache));
  else
    write_cache(from, to_rows, count, x.columns(),
                reinterpret_cast<uint16_t*>(device_data<Bf16>(cache)));
}

HeadShape shape_of(const Tensor& x, int64_t heads) {
  return {x.rows(), heads, x.columns() / heads};
}

void rotate_of(const Tensor& x, const Rotation& rotation, Tensor& y, WriteMode mode) {
  const float sign = rotation.direction == Rotation::Direction::forward ? 1 : -1;
  rotate(device_data<float>(x), rotation.positions.data_in(cuda_memory()), sign,
         shape_of(x, rotation.heads), device_data<float>(y), mode);
}

HeadNorm head_norm_of(const Tensor& x, const Tensor& gain, const HeadNormOptions& options) {
  return {device_data<float>(x), device_data<float>(gain), float(options.scale),
          float(options.epsilon), shape_of(x, options.heads)};
}

void normalize_heads_gradient_of(const Tensor& dy, const Tensor& x, const Tensor& gain,
                                 const HeadNormOptions& options, const HeadNormGradient& gradient) {
  Scratch<float> scratch(gradient.dgain ? x.rows() * options.heads : 0);
  normalize_heads_gradient(
      head_norm_of(x, gain, options),
      {device_data<float>(dy), device_data<float>(gradient.dx), gradient.mode,
       gradient.dgain ? device_data<float>(*gradient.dgain) : nullptr, scratch.data()});
}

HeadLinear linear_shape(const Tensor& x, const Tensor& weight) {
  const int64_t heads = x.columns() / weight.columns();
  return {x.rows(), heads, weight.columns(), weight.rows() / heads};
}

void linear_heads_weight_gradient_of(const Tensor& dy, const Tensor& x, Tensor& dweight,
                                     WriteMode mode) {
  const HeadLinear shape = linear_shape(x, dweight);
  Scratch<float> partials(head_weight_partials(shape));
  linear_heads_weight_gradient(shape, device_data<float>(dy), device_data<float>(x),
                               device_data<float>(dweight), mode, partials.data());
}

void fill_head_rows(Kernels& kernels) {
  kernels.rotate = rotate_of;
  kernels.normalize_heads = [](const Tensor& x, const Tensor& gain, const HeadNormOptions& options,
                               Tensor& y) {
    normalize_heads(head_norm_of(x, gain, options), device_data<float>(y));
  };
  kernels.normalize_heads_gradient = normalize_heads_gradient_of;
  kernels.linear_heads = [](const Tensor& x, const Tensor& weight, Tensor& y) {
    linear_heads(linear_shape(x, weight), device_data<float>(x), device_data<float>(weight),
                 device_data<float>(y));
  };
  kernels.linear_heads_input_gradient = [](const Tensor& dy, const Tensor& weight, Tensor& dx,
                                           WriteMode mode) {
    linear_heads_input_gradient(linear_shape(dx, weight), device_data<float>(dy),
                                device_data<float>(weight), device_data<float>(dx), mode);
  };
  kernels.linear_heads_weight_gradient = linear_heads_weight_gradient_of;
}

}  // namespace

void fill_rows(DType compute, Kernels& kernels) {
  kernels.embed = embed_tokens;
  kernels.embed_gradient = embed_gradient_of;
  kernels.add_norm = [compute](const Tensor& x, const Tensor& sublayer, const Tensor& gain,
                               const Tensor& bias, const NormOptions& options, Tensor& sum,
                               Tensor& statistics, Tensor& y) {
    NormOperands operands = {.x = device_data<float>(x),
                             .sublayer = device_data<float>(sublayer),
                             .gain = device_data<float>(gain),
                             .bias = device_data<float>(bias),
                             .sum = device_data<float>(sum),
                             .statistics = device_data<float>(statistics),
                             .y = device_data<float>(y),
                             .rows = x.rows(),
                             .columns = x.columns()};
    // The next product would round y to bf16: this kernel writes the rounded copy too.
    if (compute == DType::bf16 && padded_columns(x.columns()) == x.columns())
      operands.rounded = RoundedCopy::make(y)->data();
    add_norm(operands, settings_of(options));
  };
  kernels.add_norm_gradient = add_norm_gradient_of;
  kernels.write_cache = write_cache_of;
  fill_head_rows(kernels);
}

}  // namespace heed::cuda
