#include "layers/self_attention.h"

#include <cmath>

namespace heed {
namespace {

AttentionOptions attention_options(int64_t d_model, int64_t heads, std::optional<int64_t> window) {
  const int64_t d_head = d_model / heads;
  AttentionOptions options;
  options.scores = {.heads = heads, .scale = 1 / std::sqrt(double(d_head)), .window = window};
  return options;
}

}  // namespace

SelfAttention::SelfAttention(Backend& backend, const SequenceShape& shape, int64_t heads,
                             std::optional<int64_t> window)
    : backend_(backend),
      options_(attention_options(shape.d_model, heads, window)),
      logsumexp_(shape.columns(heads)),
      y_(shape.tensor()),
      dx_(shape.tensor()),
      dkey_(shape.tensor()),
      dvalue_(shape.tensor()) {
  sequence_.add(shape.length);
  keys_.lengths = sequence_;
}

void SelfAttention::attend(const AttentionInput& input, Tensor& out) {
  backend_.attention(input, {sequence_, keys_}, options_, {out, logsumexp_});
}

void SelfAttention::gradient(const Tensor& dout, const AttentionInput& input, const Tensor& out,
                             const AttentionGradient& gradient) {
  backend_.attention_gradient(dout, input, {sequence_, keys_}, options_, {out, logsumexp_},
                              gradient);
}

const Tensor& SelfAttention::forward(const Tensor& x) {
  x_ = x;
  attend({x_, x_, x_}, y_);
  return y_;
}

const Tensor& SelfAttention::backward(const Tensor& dy) {
  gradient(dy, {x_, x_, x_}, y_, {dx_, dkey_, dvalue_});
  backend_.add(dkey_, dx_);
  backend_.add(dvalue_, dx_);
  return dx_;
}

ProjectedSelfAttention::ProjectedSelfAttention(Backend& backend, const SequenceShape& shape,
                                               int64_t heads, std::optional<int64_t> window)
    : backend_(backend),
      attention_(backend, shape, heads, window),
      wq_(backend, {shape.d_model, shape.d_model}, shape.type, 1),
      wk_(backend, {shape.d_model, shape.d_model}, shape.type, 2),
      wv_(backend, {shape.d_model, shape.d_model}, shape.type, 3),
      wo_(backend, {shape.d_model, shape.d_model}, shape.type, 4) {
  for (Tensor* tensor :
       {&query_, &key_, &value_, &mixed_, &y_, &dmixed_, &dquery_, &dkey_, &dvalue_, &dx_})
    *tensor = shape.tensor();
}

const Tensor& ProjectedSelfAttention::forward(const Tensor& x) {
  x_ = x;
  wq_.multiply(backend_, x, query_);
  wk_.multiply(backend_, x, key_);
  wv_.multiply(backend_, x, value_);
  attention_.attend({query_, key_, value_}, mixed_);
  wo_.multiply(backend_, mixed_, y_);
  return y_;
}

const Tensor& ProjectedSelfAttention::backward(const Tensor& dy) {
  wo_.gradient(backend_, dy, mixed_);
  backend_.linear_input_gradient(dy, wo_.weight, dmixed_, WriteMode::overwrite);
  attention_.gradient(dmixed_, {query_, key_, value_}, mixed_, {dquery_, dkey_, dvalue_});
  wq_.gradient(backend_, dquery_, x_);
  wk_.gradient(backend_, dkey_, x_);
  wv_.gradient(backend_, dvalue_, x_);
  backend_.linear_input_gradient(dquery_, wq_.weight, dx_, WriteMode::overwrite);
  backend_.linear_input_gradient(dkey_, wk_.weight, dx_, WriteMode::accumulate);
  backend_.linear_input_gradient(dvalue_, wv_.weight, dx_, WriteMode::accumulate);
  return dx_;
}

std::vector<LayerWeight*> ProjectedSelfAttention::weights() {
  return {&wq_, &wk_, &wv_, &wo_};
}

}  // namespace heed
