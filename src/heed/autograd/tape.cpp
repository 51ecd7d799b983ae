#include "heed/autograd/tape.h"

#include <cstring>

namespace heed {
namespace {

void zero(const Tensor& tensor) {
  if (tensor.has_values()) std::memset(tensor.bytes(), 0, size_t(tensor.byte_count()));
}

}  // namespace

void Tape::watch(const Tensor& parameter, const Tensor& gradient) {
  check(parameter.offset() == 0 && parameter.shape() == gradient.shape(),
        "watched parameters are whole tensors");
  check(!postpones(parameter), "parameter watched whose gradient is postponed");
  const bool added =
      gradients_.emplace(parameter.storage().get(), Entry{gradient, true, true}).second;
  check(added, "parameter watched twice");
}

void Tape::postpone(const Tensor& weight) {
  check(weight.offset() == 0 && !gradients_.contains(weight.storage().get()),
        "a weight whose gradient is postponed is a whole tensor, and not watched");
  postpones_.insert(weight.storage().get());
}

bool Tape::postpones(const Tensor& weight) const {
  return postpones_.contains(weight.storage().get());
}

void Tape::record(const Tensor& output, std::function<void(const Tensor&)> backward) {
  steps_.push_back({output, std::move(backward)});
}

void Tape::seed(const Tensor& x, const Tensor& gradient) {
  const bool added = gradients_.emplace(x.storage().get(), Entry{gradient, false, false}).second;
  check(added, "tensor has a gradient before its seed");
}

Tape::Entry& Tape::entry(const Tensor& x) {
  auto [found, added] = gradients_.try_emplace(x.storage().get());
  if (added) found->second.whole = pool_.tensor(x.shape(), x.dtype());
  return found->second;
}

GradientSlot Tape::slot(const Tensor& x) {
  Entry& e = entry(x);
  const bool whole = x.size() == e.whole.size();
  if (e.fresh && !whole) {
    zero(e.whole);
    e.fresh = false;
  }
  const Write write = e.fresh ? Write::overwrite : Write::accumulate;
  e.fresh = false;
  if (whole) return {e.whole.reshape(x.shape()), write};
  check(e.watched, "only parameters are differentiated through views");
  return {Tensor(e.whole.storage(), x.shape(), x.dtype(), e.whole.offset() + x.offset()), write};
}

Tensor Tape::sum_slot(const Tensor& x) {
  const GradientSlot place = slot(x);
  if (place.write == Write::overwrite) zero(place.tensor);
  return place.tensor;
}

void Tape::backward() {
  while (!steps_.empty()) {
    const Step step = std::move(steps_.back());
    steps_.pop_back();
    const auto found = gradients_.find(step.output.storage().get());
    if (found == gradients_.end()) continue;  // nothing depends on this output
    const Tensor doutput = found->second.whole;
    gradients_.erase(found);
    step.backward(doutput);
  }
  for (auto& [storage, e] : gradients_)
    if (e.watched && e.fresh) zero(e.whole);
  gradients_.clear();
}

}  // namespace heed
