#include "heed/model/parameters.h"

#include <cmath>

#include "heed/core/rng.h"

namespace heed {
namespace {

// Elements of a matrix, drawn uniformly.
double uniform_bound(const Tensor& matrix, InitialWeights weights) {
  const double in = double(matrix.columns()), out = double(matrix.rows());
  return weights == InitialWeights::fan_in ? 1 / std::sqrt(in) : std::sqrt(6.0 / (in + out));
}

}  // namespace

void initialize(const std::vector<Parameter>& parameters, uint64_t seed, TokenId pad_id,
                InitialWeights weights) {
  for (const Parameter& p : parameters) {
    Random random(detail::mix(seed, p.name));
    const int64_t columns = p.tensor.columns();
    const double bound = uniform_bound(p.tensor, weights);
    const auto draw = [&](int64_t i) -> double {
      switch (p.role) {
        case ParameterRole::small_matrix:
          return (2 * random.uniform() - 1) / std::sqrt(double(columns));
        case ParameterRole::matrix:
          return bound * (2 * random.uniform() - 1);
        case ParameterRole::embedding:
          if (i / columns == pad_id) return 0;
          return random.normal() / std::sqrt(double(columns));
        case ParameterRole::position_table:
          return random.normal() / std::sqrt(double(columns));
        case ParameterRole::gain:
          return 1;
        case ParameterRole::bias:
          break;
      }
      return 0;
    };
    Tensor tensor = p.tensor;  // a handle
    for (int64_t i = 0; i < tensor.size(); ++i) set_element(tensor, i, draw(i));
  }
}

void pack(const std::vector<Parameter>& parameters, Backend& backend, Purpose purpose,
          Workers* workers) {
  const auto one = [&](int64_t i, int) {
    const Parameter& p = parameters[size_t(i)];
    if (p.is_packed()) p.tensor.storage()->packed = backend.pack(p.tensor, purpose);
  };
  if (workers != nullptr) {
    workers->run(int64_t(parameters.size()), one);
  } else {
    for (size_t i = 0; i < parameters.size(); ++i) one(int64_t(i), 0);
  }
}

}  // namespace heed
