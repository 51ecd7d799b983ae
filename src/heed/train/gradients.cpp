#include "heed/train/gradients.h"

#include <algorithm>
#include <cmath>
#include <memory>

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
  for (const Parameter& p : parameters_) {
    offsets_.push_back(size_);
    size_ += (p.tensor.size() + 15) / 16 * 16;  // each begins at a cache line
  }
}

Tensor GradientTree::take_buffer() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return !free_.empty() || taken_ < limit_ || running_ == 0; });
  ++running_;
  if (!free_.empty()) {
    Tensor buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  ++taken_;
  const DType type = parameters_[0].tensor.dtype();
  return blocks_ == Pool::Blocks::counted ? Tensor::without_values({size_}, type)
                                          : Tensor({size_}, type);
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
  for (Pool& pool : pools_) pool.trim();
}

Loss GradientTree::leaf(const Request& request, int64_t shard, int worker, const Tensor& gradient) {
  const Examples examples = request.examples(shard);
  Pool& pool = pools_[size_t(worker)];
  Tape tape(pool);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i].tensor;
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
  finish_root();
  Loss sum;
  for (const Loss& loss : losses) sum += loss;
  return sum;
}

void GradientTree::finish_root() {
  constexpr int64_t kBlock = 1 << 17;  // elements: half a megabyte of either operand
  const int64_t blocks = (size_ + kBlock - 1) / kBlock;
  std::vector<double> squares(size_t(blocks), 0);
  workers_.run(blocks, [&](int64_t i, int) {
    const int64_t begin = i * kBlock, end = std::min(size_, begin + kBlock);
    const Tensor part = gradient_.slice(begin, end);
    if (rest_) backend_.add(rest_.slice(begin, end), part);
    squares[size_t(i)] = backend_.sum_of_squares(part);
  });
  if (rest_) free_.push_back(std::move(rest_));
  rest_ = {};
  double sum = 0;
  for (const double s : squares) sum += s;
  norm_ = std::sqrt(sum);
}

}  // namespace heed
