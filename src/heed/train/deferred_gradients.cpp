#include "heed/train/deferred_gradients.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace heed {

std::vector<LayerPart> layer_parts(const std::vector<Parameter>& parameters, size_t weight,
                                   size_t bias, int64_t elements) {
  const Tensor& whole = parameters[weight].tensor;
  // Whole vectors and tiles, on every instruction set.
  const int64_t height = std::max<int64_t>(elements / whole.columns() / 64 * 64, 64);
  std::vector<LayerPart> parts;
  for (int64_t begin = 0; begin < whole.rows(); begin += height)
    parts.push_back({weight, bias, begin, std::min(whole.rows(), begin + height)});
  return parts;
}

DeferredGradients::DeferredGradients(std::vector<Parameter> parameters,
                                     std::vector<LayerPart> parts, Backend& backend,
                                     Workers& workers)
    : parameters_(std::move(parameters)),
      parts_(std::move(parts)),
      backend_(backend),
      workers_(workers) {}

bool DeferredGradients::is_faster(double tokens, int64_t narrowest_input) {
  return tokens <= 2 * double(narrowest_input);  // measured
}

void DeferredGradients::reset(int64_t shards) {
  operands_.assign(size_t(shards), {});
}

void DeferredGradients::add(int64_t shard, std::vector<WeightGradientOperands> operands) {
  for (WeightGradientOperands& one : operands) operands_[size_t(shard)].push_back(std::move(one));
}

DeferredGradients::Gradient DeferredGradients::shard_gradient(TensorPool& pool,
                                                              const LayerPart& part,
                                                              int64_t shard) const {
  const Tensor& weight = parameters_[part.weight].tensor;
  const int64_t count = part.end - part.begin;
  Gradient gradient{pool.tensor({count, weight.columns()}, weight.dtype()),
                    pool.tensor({count}, weight.dtype())};
  WriteMode mode = WriteMode::overwrite;
  for (const WeightGradientOperands& g : operands_[size_t(shard)]) {
    if (g.weight.storage() != weight.storage()) continue;
    backend_.linear_weight_gradient(g.dy, g.x, part.begin, gradient.weight, &gradient.bias, mode);
    mode = WriteMode::accumulate;
  }
  if (mode == WriteMode::overwrite) {  // no pass of the shard had this layer
    fill_zeros(gradient.weight);
    fill_zeros(gradient.bias);
  }
  return gradient;
}

DeferredGradients::Gradient DeferredGradients::sum(TensorPool& pool, const LayerPart& part,
                                                   int64_t begin, int64_t count) const {
  if (count == 1) return shard_gradient(pool, part, begin);
  const int64_t half = count / 2;
  Gradient left = sum(pool, part, begin, half);
  if (begin + half >= int64_t(operands_.size())) return left;
  const Gradient right = sum(pool, part, begin + half, half);
  backend_.add(right.weight, left.weight);
  backend_.add(right.bias, left.bias);
  return left;
}

std::vector<double> DeferredGradients::compute(std::vector<TensorPool>& pools,
                                               const GradientConsumer& consume) {
  const auto shards = int64_t(std::bit_ceil(operands_.size()));
  std::vector<double> squares(parts_.size(), 0);
  workers_.run(int64_t(parts_.size()), [&](int64_t i, int worker) {
    const LayerPart& part = parts_[size_t(i)];
    const Gradient gradient = sum(pools[size_t(worker)], part, 0, shards);
    squares[size_t(i)] =
        backend_.sum_of_squares(gradient.weight) + backend_.sum_of_squares(gradient.bias);
    const int64_t columns = gradient.weight.columns();
    consume(part.weight, part.begin * columns, gradient.weight.reshape({gradient.weight.size()}));
    consume(part.bias, part.begin, gradient.bias);
  });
  return squares;
}

}  // namespace heed
