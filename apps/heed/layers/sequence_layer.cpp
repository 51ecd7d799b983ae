#include "layers/sequence_layer.h"

#include <cmath>

#include "heed/core/rng.h"

namespace heed {

Tensor random_values(const Shape& shape, DType type, double range, uint64_t seed) {
  Tensor tensor(shape, type);
  Random random(seed);
  with_element_type(type, [&]<class T>() {
    for (T& value : tensor.span<T>()) value = T(range * (2 * random.uniform() - 1));
  });
  return tensor;
}

LayerWeight::LayerWeight(Backend& backend, const Shape& shape, DType type, uint64_t seed)
    : weight(random_values(shape, type, 1 / std::sqrt(double(shape[1])), seed)),
      bias(random_values({shape[0]}, type, 1 / std::sqrt(double(shape[1])), ~seed)),
      dweight(shape, type),
      dbias({shape[0]}, type) {
  weight.storage()->packed = backend.pack(weight, Purpose::training);
}

void LayerWeight::multiply(Backend& backend, const Tensor& x, Tensor& y) const {
  backend.linear(x, weight, bias, Activation::none, y);
}

void LayerWeight::gradient(Backend& backend, const Tensor& dy, const Tensor& x) {
  backend.linear_weight_gradient(dy, x, 0, dweight, &dbias, WriteMode::overwrite);
}

}  // namespace heed
