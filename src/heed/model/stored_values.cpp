#include "heed/model/stored_values.h"

#include <algorithm>
#include <cmath>

#include "heed/core/strict_json.h"

namespace heed::detail {
namespace {

// Calls f(index of a value in the parameter, index in the file's tensor) for every value.
template <class F>
void for_each_place(const Shape& shape, const Placement& placement, const F& f) {
  const int64_t rows = shape[0], columns = shape.size() == 1 ? 1 : shape[1];
  const int64_t first = placement.part * rows;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      f(r * columns + c,
        placement.transposed ? c * placement.parts * rows + first + r : (first + r) * columns + c);
}

}  // namespace

std::string scale_name(const std::string& tensor) {
  return tensor + "_scale";
}

Shape shape_in_file(const LayoutTensor& tensor) {
  Shape shape = tensor.parameter.tensor.shape();
  shape[0] *= tensor.placement.parts;
  if (tensor.placement.transposed && shape.size() == 2) std::swap(shape[0], shape[1]);
  return shape;
}

void put(const Tensor& values, const Placement& placement, Tensor& file) {
  const auto* from = values.data<float>();
  auto* to = file.data<float>();
  for_each_place(values.shape(), placement, [&](int64_t value, int64_t place) {
    to[place] = float(double(from[value]) * placement.factor);
  });
}

void take(const Tensor& file, const Placement& placement, Tensor& values) {
  const auto* from = file.data<float>();
  auto* to = values.data<float>();
  for_each_place(values.shape(), placement, [&](int64_t value, int64_t place) {
    to[value] = float(double(from[place]) / placement.factor);
  });
}

void require_finite(const Tensor& values, const std::string& what, const std::string& name) {
  const auto span = values.span<float>();
  const auto bad =
      std::find_if(span.begin(), span.end(), [](float x) { return !std::isfinite(x); });
  if (bad != span.end())
    fail("{}: tensor {} holds {} at index {}, expected finite values", what, quote(name), *bad,
         bad - span.begin());
}

}  // namespace heed::detail
