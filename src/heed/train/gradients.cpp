#include "heed/train/gradients.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <unordered_map>

namespace heed {

namespace {

// The number of nodes in each level of a tree over this number of shards, the shards first.
std::vector<int64_t> tree_widths(int64_t shards) {
  std::vector<int64_t> widths{shards};
  while (widths.back() > 1) widths.push_back((widths.back() + 1) / 2);
  return widths;
}

}  // namespace

// The number that workers of equal speed need: they finish a round of shards before they begin the
// next.
int64_t GradientTree::buffers(int64_t shards, int workers) {
  int64_t waiting = 0, most = 0;  // sums that wait for their sibling
  std::vector<bool> full(tree_widths(shards).size(), false);
  for (int64_t done = 0; done < shards; done += workers) {
    const int64_t round = std::min<int64_t>(workers, shards - done);
    most = std::max(most, waiting + round);
    for (int64_t i = 0; i < round; ++i) {
      size_t level = 0;
      for (; full[level]; ++level) full[level] = false, --waiting;
      full[level] = true, ++waiting;
    }
  }
  return most;
}

GradientTree::GradientTree(std::vector<Parameter> parameters, const std::vector<Linear>& layers,
                           Backend& backend, Workers& workers)
    : parameters_(std::move(parameters)),
      backend_(backend),
      workers_(workers),
      pools_(make_tensor_pools(workers.count(), backend.memory())),
      buffers_(parameters_[0].tensor.dtype(), backend.memory()) {
  lay_out(layers);
  deferred_.emplace(parameters_, layout_.parts, backend_, workers_);
}

void GradientTree::lay_out(const std::vector<Linear>& layers) {
  std::unordered_map<const Storage*, size_t> index;
  for (size_t i = 0; i < parameters_.size(); ++i) index[parameters_[i].tensor.storage().get()] = i;
  auto& [offsets, size, direct_size, parts] = layout_;
  offsets.assign(parameters_.size(), -1);
  const auto place = [&, &offsets = offsets, &size = size](size_t i) {
    offsets[i] = size;
    size += (parameters_[i].tensor.size() + 15) / 16 * 16;  // each begins at a cache line
  };
  std::vector<bool> of_layer(parameters_.size(), false);
  for (const Linear& l : layers)
    for (const Tensor& tensor : {l.weight, l.bias})
      of_layer[index.at(tensor.storage().get())] = true;
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (!of_layer[i]) place(i);
  direct_size = size;
  for (const Linear& l : layers) {
    const size_t weight = index.at(l.weight.storage().get()),
                 bias = index.at(l.bias.storage().get());
    place(weight);
    place(bias);
    if (!backend_.tuning().defers_gradients) continue;
    for (const LayerPart& part :
         layer_parts(parameters_, weight, bias, backend_.tuning().task_elements))
      parts.push_back(part);
  }
  if (!backend_.tuning().defers_gradients) direct_size = size;
}

int64_t GradientTree::pool_bytes() const {
  int64_t bytes = 0;
  for (const TensorPool& pool : pools_) bytes += pool.bytes_held();
  return bytes;
}

void GradientTree::release() {
  gradient_ = {};
  rest_ = {};
  tree_.clear();
  buffers_.release();
  deferred_->reset(0);
  for (TensorPool& pool : pools_) pool.trim();
}

void GradientTree::watch(Tape& tape, const Request& request, Tensor& gradient,
                         WriteMode mode) const {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i].tensor;
    if (request.consume && layout_.offsets[i] >= layout_.direct_size) {
      if (parameters_[i].role == ParameterRole::matrix) tape.defer(p);
      continue;
    }
    const int64_t begin = layout_.offsets[i];
    tape.watch(p, gradient.slice(begin, begin + p.size()).reshape(p.shape()), mode);
  }
}

Loss GradientTree::shard_gradient(const Request& request, int64_t shard, int worker,
                                  Tensor& gradient) {
  TensorPool& pool = pools_[size_t(worker)];
  Loss sum;
  for (int64_t batch = 0; batch < request.batches; ++batch) {
    Tape tape(pool);
    watch(tape, request, gradient, sum.tokens > 0 ? WriteMode::accumulate : WriteMode::overwrite);
    ForwardPass pass(backend_, pool);
    pass.tape = &tape;
    pass.dropout_seed = detail::mix(request.seed, uint64_t(batch * request.shards + shard));
    const Loss loss = request.loss(pass, batch, shard);
    const bool last = batch + 1 == request.batches;
    // If no batch has labels for this shard, the last one sets its gradient to zeros.
    if (loss.tokens > 0 || (last && sum.tokens == 0)) tape.backward();
    deferred_->add(shard, tape.take_deferred());
    sum += loss;
  }
  return sum;
}

void GradientTree::add_to_tree(int64_t node, Tensor gradient) {
  for (size_t level = 0;; ++level) {
    const int64_t sibling = node ^ 1;
    const auto width = int64_t(tree_[level].size());
    if (width == 1) {
      std::lock_guard lock(mutex_);
      gradient_ = std::move(gradient);
      return;
    }
    if (sibling < width) {
      Tensor other;
      {
        std::lock_guard lock(mutex_);
        std::swap(other, tree_[level][size_t(sibling)]);
        if (!other) {
          tree_[level][size_t(node)] = std::move(gradient);
          return;
        }
      }
      if (width == 2) {
        std::lock_guard lock(mutex_);
        gradient_ = std::move(gradient);
        rest_ = std::move(other);
        return;
      }
      backend_.add(other, gradient);  // a + b == b + a: who adds does not matter
      buffers_.free(std::move(other));
    }
    node /= 2;
  }
}

Loss GradientTree::compute(const Request& request) {
  check(request.shards >= 1 && request.batches >= 1, "a gradient of no shards or batches");
  if (gradient_) buffers_.free(std::move(gradient_));
  gradient_ = {};
  buffers_.begin(request.consume ? layout_.direct_size : layout_.size,
                 buffers(request.shards, workers_.count()));
  deferred_->reset(request.shards);
  tree_.clear();
  for (const int64_t width : tree_widths(request.shards)) tree_.emplace_back(size_t(width));
  std::vector<Loss> losses(size_t(request.shards));
  workers_.run(request.shards, [&](int64_t shard, int worker) {
    Tensor gradient = buffers_.take();
    const auto done = [this](void*) { buffers_.end_shard(); };
    const std::unique_ptr<void, decltype(done)> at_end(this, done);  // also if this throws
    losses[size_t(shard)] = shard_gradient(request, shard, worker, gradient);
    add_to_tree(shard, std::move(gradient));
  });
  Loss sum;
  for (const Loss& loss : losses) sum += loss;
  double squares = add_last_sums();
  if (request.consume && std::isfinite(sum.smoothed) && std::isfinite(squares)) {
    const std::vector<double> parts = deferred_->compute(pools_, request.consume);
    squares = std::accumulate(parts.begin(), parts.end(), squares);
  }
  deferred_->reset(0);
  norm_ = std::sqrt(squares);
  return sum;
}

// Sums the squares of direct parameters in blocks, and those of the linear layers in the parts that
// DeferredGradients computes them in, so that the norm is the same number with and without it.
double GradientTree::add_last_sums() {
  const int64_t block = backend_.tuning().task_elements;
  const int64_t blocks = (layout_.direct_size + block - 1) / block;
  const int64_t parts = buffers_.size() == layout_.direct_size ? 0 : int64_t(layout_.parts.size());
  std::vector<double> squares(size_t(blocks + parts), 0);
  const auto finish = [&](int64_t begin, int64_t end) {
    Tensor part = gradient_.slice(begin, end);
    if (rest_) backend_.add(rest_.slice(begin, end), part);
    return backend_.sum_of_squares(part);
  };
  workers_.run(blocks + parts, [&](int64_t i, int) {
    if (i < blocks) {
      squares[size_t(i)] = finish(i * block, std::min(layout_.direct_size, (i + 1) * block));
      return;
    }
    const LayerPart& part = layout_.parts[size_t(i - blocks)];
    const int64_t columns = parameters_[part.weight].tensor.columns();
    const int64_t weight = layout_.offsets[part.weight], bias = layout_.offsets[part.bias];
    squares[size_t(i)] = finish(weight + part.begin * columns, weight + part.end * columns) +
                         finish(bias + part.begin, bias + part.end);
  });
  if (rest_) buffers_.free(std::move(rest_));
  rest_ = {};
  return std::accumulate(squares.begin(), squares.end(), 0.0);
}

}  // namespace heed
