#include "heed/train/gradients.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <unordered_map>

namespace heed {

Examples examples_of(const Corpus& corpus, std::span<const uint32_t> pairs,
                     const ModelConfig& config) {
  Examples all;
  std::vector<TokenId> source, target;
  for (const uint32_t pair : pairs) {
    source.clear();
    target.clear();
    corpus.append_source(pair, source);
    corpus.append_target(pair, target);
    all.add(source, target, config);
  }
  return all;
}

namespace {

// Elements of a linear layer's gradient that are made at once: a megabyte, which is still in the
// cache when it is used. Smaller parts read and round x more often.
constexpr int64_t kPart = 1 << 18;

// Nodes of each level of a tree over so many leaves, the leaves first.
std::vector<int64_t> tree_widths(int64_t leaves) {
  std::vector<int64_t> widths{leaves};
  while (widths.back() > 1) widths.push_back((widths.back() + 1) / 2);
  return widths;
}

}  // namespace

// What workers of one speed take: they finish a round of leaves before they begin the next.
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

GradientTree::GradientTree(Transformer& model, Backend& backend, Workers& workers,
                           Pool::Blocks blocks)
    : model_(model),
      backend_(backend),
      workers_(workers),
      parameters_(parameters(model)),
      blocks_(blocks) {
  for (int i = 0; i < workers.count(); ++i) pools_.emplace_back(blocks);
  lay_out();
}

void GradientTree::lay_out() {
  std::unordered_map<const Storage*, size_t> index;
  for (size_t i = 0; i < parameters_.size(); ++i) index[parameters_[i].tensor.storage().get()] = i;
  offsets_.assign(parameters_.size(), -1);
  const auto place = [&](size_t i) {
    offsets_[i] = size_;
    size_ += (parameters_[i].tensor.size() + 15) / 16 * 16;  // each begins at a cache line
  };
  for (const Linear& l : linear_layers(model_))
    layers_.push_back({index.at(l.weight.storage().get()), index.at(l.bias.storage().get())});
  std::vector<bool> of_layer(parameters_.size(), false);
  for (const Layer& l : layers_) of_layer[l.weight] = of_layer[l.bias] = true;
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (!of_layer[i]) place(i);
  others_ = size_;
  for (size_t l = 0; l < layers_.size(); ++l) {
    place(layers_[l].weight);
    place(layers_[l].bias);
    const Tensor& weight = parameters_[layers_[l].weight].tensor;
    // Whole vectors and tiles, on every instruction set.
    const int64_t height = std::max<int64_t>(kPart / weight.columns() / 64 * 64, 64);
    for (int64_t begin = 0; begin < weight.rows(); begin += height)
      parts_.push_back({l, begin, std::min(weight.rows(), begin + height)});
  }
}

bool GradientTree::parts_pay(double tokens, const ModelConfig& config) {
  return tokens <= 2 * double(config.d_model);
}

Tensor GradientTree::take_buffer() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return !free_.empty() || taken_ < limit_ || running_ == 0; });
  Tensor buffer;
  if (!free_.empty()) {
    buffer = std::move(free_.back());
    free_.pop_back();
  } else {
    const DType type = parameters_[0].tensor.dtype();
    buffer = blocks_ == Pool::Blocks::counted ? Tensor::without_values({buffer_size_}, type)
                                              : Tensor({buffer_size_}, type);
    ++taken_;
  }
  ++running_;  // last: without memory nobody runs, and nobody must wait for it
  return buffer;
}

void GradientTree::free_buffer(Tensor buffer) {
  {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffer));
  }
  freed_.notify_one();
}

int64_t GradientTree::pool_bytes() const {
  int64_t bytes = 0;
  for (const Pool& pool : pools_) bytes += pool.bytes_held();
  return bytes;
}

void GradientTree::release() {
  gradient_ = {};
  rest_ = {};
  tree_.clear();
  free_.clear();
  taken_ = 0;
  postponed_.clear();
  for (Pool& pool : pools_) pool.trim();
}

Loss GradientTree::leaf(const Request& request, int64_t shard, int worker, const Tensor& gradient) {
  const Examples examples = request.examples(shard);
  Pool& pool = pools_[size_t(worker)];
  Tape tape(pool);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i].tensor;
    if (request.take && offsets_[i] >= others_) {
      if (p.shape().size() == 2) tape.postpone(p);
      continue;
    }
    tape.watch(p, gradient.slice(offsets_[i], offsets_[i] + p.size()).reshape(p.shape()));
  }
  Loss loss;
  if (!examples.labels.empty()) {
    Pass pass(backend_, pool);
    pass.tape = &tape;
    pass.dropout_seed = mix(request.seed, uint64_t(shard));
    const Memory memory = model_.encode(pass, examples.source);
    const Tensor states = model_.decode(pass, examples.target, memory);
    loss = model_.loss(pass, states, examples.labels,
                       {request.label_smoothing, 1.0 / double(request.target_tokens)});
    tape.backward();
    postponed_[size_t(shard)] = tape.take_postponed();
  } else {
    tape.backward();  // leaves zeros
  }
  return loss;
}

void GradientTree::climb(int64_t node, const Tensor& gradient) {
  for (size_t level = 0;; ++level) {
    const int64_t sibling = node ^ 1;
    if (width_[level] == 1) {
      std::lock_guard lock(mutex_);
      gradient_ = gradient;
      return;
    }
    if (sibling < width_[level]) {
      Tensor other;
      {
        std::lock_guard lock(mutex_);
        std::swap(other, tree_[level][size_t(sibling)]);
        if (!other) {
          tree_[level][size_t(node)] = gradient;
          return;
        }
      }
      if (width_[level] == 2) {
        std::lock_guard lock(mutex_);
        gradient_ = gradient;
        rest_ = other;
        return;
      }
      backend_.add(other, gradient);  // a + b == b + a: who adds does not matter
      free_buffer(std::move(other));
    }
    node /= 2;
  }
}

Loss GradientTree::compute(const Request& request) {
  check(request.shards >= 1 && request.target_tokens >= 1, "nothing to compute a gradient of");
  if (gradient_) free_.push_back(std::move(gradient_));
  gradient_ = {};
  const int64_t size = request.take ? others_ : size_;
  if (size != buffer_size_) free_.clear(), taken_ = 0;
  buffer_size_ = size;
  postponed_.assign(size_t(request.shards), {});
  width_ = tree_widths(request.shards);
  limit_ = buffers(request.shards, workers_.count());
  tree_.clear();
  for (const int64_t width : width_) tree_.emplace_back(size_t(width));
  std::vector<Loss> losses(size_t(request.shards));
  workers_.run(request.shards, [&](int64_t shard, int worker) {
    const Tensor gradient = take_buffer();
    const auto done = [this](void*) {
      {
        std::lock_guard lock(mutex_);
        --running_;
      }
      freed_.notify_all();
    };
    const std::unique_ptr<void, decltype(done)> at_work(this, done);  // whatever is thrown
    losses[size_t(shard)] = leaf(request, shard, worker, gradient);
    climb(shard, gradient);
  });
  Loss sum;
  for (const Loss& loss : losses) sum += loss;
  double squares = finish_root();
  if (request.take && std::isfinite(sum.smoothed) && std::isfinite(squares))
    squares += finish_layers(request);
  postponed_.clear();
  norm_ = std::sqrt(squares);
  return sum;
}

double GradientTree::finish_root() {
  constexpr int64_t kBlock = 1 << 17;  // elements: half a megabyte of either operand
  const int64_t blocks = (buffer_size_ + kBlock - 1) / kBlock;
  std::vector<double> squares(size_t(blocks), 0);
  workers_.run(blocks, [&](int64_t i, int) {
    const int64_t begin = i * kBlock, end = std::min(buffer_size_, begin + kBlock);
    const Tensor part = gradient_.slice(begin, end);
    if (rest_) backend_.add(rest_.slice(begin, end), part);
    squares[size_t(i)] = backend_.sum_of_squares(part);
  });
  if (rest_) free_.push_back(std::move(rest_));
  rest_ = {};
  return std::accumulate(squares.begin(), squares.end(), 0.0);
}

double GradientTree::finish_layers(const Request& request) {
  std::unordered_map<const Storage*, std::vector<const WeightGradient*>> operands;
  for (const auto& shard : postponed_)
    for (const WeightGradient& g : shard) operands[g.weight.storage().get()].push_back(&g);
  std::vector<double> squares(parts_.size(), 0);
  workers_.run(int64_t(parts_.size()), [&](int64_t i, int worker) {
    const Part& part = parts_[size_t(i)];
    const Layer& layer = layers_[part.layer];
    const Tensor& weight = parameters_[layer.weight].tensor;
    Pool& pool = pools_[size_t(worker)];
    const int64_t in = weight.columns(), count = part.end - part.begin;
    const Tensor dweight = pool.tensor({count, in}, weight.dtype());
    const Tensor dbias = pool.tensor({count}, weight.dtype());
    const auto found = operands.find(weight.storage().get());
    check(found != operands.end(), "no shard has anything to learn from");
    Write write = Write::overwrite;
    for (const WeightGradient* g : found->second) {
      backend_.linear_weight_gradient(g->dy, g->x, part.begin, dweight, dbias, write);
      write = Write::accumulate;
    }
    squares[size_t(i)] = backend_.sum_of_squares(dweight) + backend_.sum_of_squares(dbias);
    request.take(layer.weight, part.begin * in, dweight.reshape({count * in}));
    request.take(layer.bias, part.begin, dbias);
  });
  return std::accumulate(squares.begin(), squares.end(), 0.0);
}

}  // namespace heed
