#include "heed/autograd/tape.h"

namespace heed {

void Tape::watch(const Tensor& parameter, Tensor gradient, WriteMode mode) {
  check(parameter.offset() == 0 && parameter.shape() == gradient.shape(),
        "watched parameters are whole tensors");
  check(!is_deferred(parameter), "parameter watched whose gradient is deferred");
  Entry entry{parameter, std::move(gradient), mode == WriteMode::overwrite};
  const bool added = entries_.emplace(parameter.storage().get(), std::move(entry)).second;
  check(added, "tensor watched that is watched already, or an op's output");
}

void Tape::defer(const Tensor& weight) {
  check(weight.offset() == 0 && !entries_.contains(weight.storage().get()),
        "a weight whose gradient is deferred is a whole tensor, and not watched");
  deferred_weights_.insert(weight.storage().get());
}

bool Tape::is_deferred(const Tensor& weight) const {
  return deferred_weights_.contains(weight.storage().get());
}

void Tape::record(const Tensor& output, std::function<void(Tensor&)> backward) {
  const bool added = entries_.emplace(output.storage().get(), Entry{output, {}}).second;
  check(added, "two ops recorded with one output, or a parameter as the output");
  steps_.push_back({output.storage().get(), std::move(backward)});
}

void Tape::set_gradient(const Tensor& x, Tensor gradient) {
  check(x.size() == gradient.size(), "gradient of another size than its tensor");
  Entry* entry = find(x);
  if (entry == nullptr) return;
  check(x.size() == entry->source.size(), "gradient set for a part of a tensor");
  check(!entry->gradient, "tensor has a gradient already");
  entry->gradient = std::move(gradient);
  entry->fresh = false;
}

bool Tape::last_handle(const Tensor& x) const {
  const auto found = entries_.find(x.storage().get());
  return x.storage().use_count() == (found == entries_.end() ? 1 : 2);
}

Tape::Entry* Tape::find(const Tensor& x) {
  const auto found = entries_.find(x.storage().get());
  if (found == entries_.end()) return nullptr;
  const Tensor& source = found->second.source;
  check(x.dtype() == source.dtype() && x.offset() >= source.offset() &&
            x.offset() + x.size() <= source.offset() + source.size(),
        "a view outside the tensor that its gradient belongs to");
  return &found->second;
}

GradientBuffer Tape::gradient_buffer(const Tensor& x) {
  Entry* entry = find(x);
  if (entry == nullptr) return {pool_.tensor(x.shape(), x.dtype()), WriteMode::overwrite};
  const Tensor& source = entry->source;
  Tensor& gradient = entry->gradient;
  if (!gradient) gradient = pool_.tensor(source.shape(), source.dtype());
  const bool whole = x.size() == source.size();
  if (entry->fresh && !whole) fill_zeros(gradient);
  const WriteMode mode = entry->fresh && whole ? WriteMode::overwrite : WriteMode::accumulate;
  entry->fresh = false;
  const int64_t offset = gradient.offset() + x.offset() - source.offset();
  return {Tensor(gradient.storage(), x.shape(), x.dtype(), offset), mode};
}

Tensor Tape::accumulation_buffer(const Tensor& x) {
  GradientBuffer buffer = gradient_buffer(x);
  if (buffer.mode == WriteMode::overwrite) fill_zeros(buffer.tensor);
  return buffer.tensor;
}

void Tape::backward() {
  while (!steps_.empty()) {
    Step step = std::move(steps_.back());
    steps_.pop_back();
    const auto found = entries_.find(step.output);
    Tensor doutput = found->second.gradient;
    entries_.erase(found);
    if (doutput) step.backward(doutput);  // else nothing depends on this output
  }
  for (auto& [storage, entry] : entries_)
    if (entry.fresh) fill_zeros(entry.gradient);
  entries_.clear();
}

}  // namespace heed
