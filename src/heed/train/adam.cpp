#include "heed/train/adam.h"

#include <algorithm>

namespace heed {
namespace {

// `count` elements of x from `begin` on, as a vector.
Tensor elements(Tensor& x, int64_t begin, int64_t count) {
  return x.reshape({x.size()}).slice(begin, begin + count);
}

}  // namespace

Adam::Adam(std::vector<Parameter> parameters, Backend& backend, Workers& workers, Ema ema)
    : parameters_(std::move(parameters)), backend_(backend), workers_(workers) {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i].tensor;
    const auto new_tensor = [&] { return Tensor(p.shape(), p.dtype(), backend.memory()); };
    first_.push_back(new_tensor());
    second_.push_back(new_tensor());
    // New tensors read as zeros already. Memory that is read before it is written costs a second
    // page fault, so the zeros are written.
    for (Tensor* moment : {&first_.back(), &second_.back()}) fill_zeros(*moment);
    if (ema == Ema::on) {
      ema_.push_back(new_tensor());
      copy(p, ema_.back());
    }
    const int64_t block = backend.tuning().task_elements;
    for (int64_t begin = 0; begin < p.size(); begin += block)
      blocks_.push_back({i, begin, std::min(p.size(), begin + block)});
  }
}

void Adam::update(const AdamStep& step, const Tensor& gradient,
                  const std::vector<int64_t>& offsets) {
  workers_.run(int64_t(blocks_.size()), [&](int64_t i, int) {
    const Block& block = blocks_[size_t(i)];
    const int64_t offset = offsets[block.parameter];
    if (offset >= gradient.size()) return;
    update_part(step, block.parameter, block.begin,
                gradient.slice(offset + block.begin, offset + block.end));
  });
}

void Adam::update_part(const AdamStep& step, size_t parameter, int64_t begin,
                       const Tensor& gradient) {
  const auto part = [&](Tensor& x) { return elements(x, begin, gradient.size()); };
  Tensor values = part(parameters_[parameter].tensor), ema;
  Tensor first = part(first_[parameter]), second = part(second_[parameter]);
  if (has_ema()) ema = part(ema_[parameter]);
  AdamStep of_this = step;
  if (!is_decayed(parameters_[parameter].role)) of_this.weight_decay = 0;
  backend_.adam(of_this, gradient, values, first, second, has_ema() ? &ema : nullptr);
}

void Adam::swap_ema() {
  if (!has_ema()) return;
  workers_.run(int64_t(blocks_.size()), [&](int64_t i, int) {
    const Block& block = blocks_[size_t(i)];
    const int64_t count = block.end - block.begin;
    Tensor parameter = elements(parameters_[block.parameter].tensor, block.begin, count);
    Tensor ema = elements(ema_[block.parameter], block.begin, count);
    Tensor former({parameter.size()}, parameter.dtype(), backend_.memory());
    copy(parameter, former);
    copy(ema, parameter);
    copy(former, ema);
  });
}

}  // namespace heed
