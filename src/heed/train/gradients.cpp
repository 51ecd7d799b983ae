#include "heed/train/gradients.h"

namespace heed {

void Examples::add(std::span<const TokenId> source_ids, std::span<const TokenId> target_ids,
                   const ModelConfig& config) {
  std::vector<TokenId> sequence(source_ids.begin(), source_ids.end());
  sequence.push_back(config.end_id());
  source.add(sequence);
  sequence.assign(1, config.pad_id());
  sequence.insert(sequence.end(), target_ids.begin(), target_ids.end());
  target.add(sequence);
  labels.insert(labels.end(), target_ids.begin(), target_ids.end());
  labels.push_back(config.end_id());
}

GradientTree::GradientTree(Transformer& model, Backend& backend, Workers& workers)
    : model_(model),
      backend_(backend),
      workers_(workers),
      parameters_(parameters(model)),
      pools_(size_t(workers.count())) {
  for (const Parameter& p : parameters_) {
    offsets_.push_back(size_);
    size_ += (p.tensor.size() + 15) / 16 * 16;  // each begins at a cache line
  }
}

Tensor GradientTree::take_buffer() {
  std::lock_guard lock(mutex_);
  if (free_.empty()) return Tensor({size_}, parameters_[0].tensor.dtype());
  Tensor buffer = free_.back();
  free_.pop_back();
  return buffer;
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
      backend_.add(other, gradient);  // a + b == b + a: who adds does not matter
      std::lock_guard lock(mutex_);
      free_.push_back(std::move(other));
    }
    node /= 2;
  }
}

Loss GradientTree::compute(const Request& request) {
  check(request.shards >= 1 && request.target_tokens >= 1, "nothing to compute a gradient of");
  if (gradient_) free_.push_back(std::move(gradient_));
  gradient_ = {};
  width_.assign(1, request.shards);
  while (width_.back() > 1) width_.push_back((width_.back() + 1) / 2);
  tree_.clear();
  for (const int64_t width : width_) tree_.emplace_back(size_t(width));
  std::vector<Loss> losses(size_t(request.shards));
  workers_.run(request.shards, [&](int64_t shard, int worker) {
    const Tensor gradient = take_buffer();
    losses[size_t(shard)] = leaf(request, shard, worker, gradient);
    climb(shard, gradient);
  });
  Loss sum;
  for (const Loss& loss : losses) sum += loss;
  return sum;
}

}  // namespace heed
