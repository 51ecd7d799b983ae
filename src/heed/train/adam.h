// Adam (Kingma & Ba, 2015) over all parameters of a model, section 5.3.
#pragma once

#include "heed/core/parallel.h"
#include "heed/model/transformer.h"

namespace heed {

class Adam {
 public:
  // Moments are zero. The model and backend must outlive it.
  Adam(Transformer& model, Backend& backend, Workers& workers);

  // Updates every parameter from the flat gradient of GradientTree, then prepares the model anew.
  void update(const AdamStep& step, const Tensor& gradient, const std::vector<int64_t>& offsets);

  // The norm of a flat gradient: sums over fixed blocks in a fixed order.
  double norm(const Tensor& gradient);

  // The moments of parameter i of parameters(model), of its shape.
  const Tensor& first_moment(size_t i) const { return first_[i]; }
  const Tensor& second_moment(size_t i) const { return second_[i]; }

 private:
  struct Block {
    size_t parameter;
    int64_t begin, end;
  };

  Transformer& model_;
  Backend& backend_;
  Workers& workers_;
  std::vector<Parameter> parameters_;
  std::vector<Tensor> first_, second_;
  std::vector<Block> blocks_;
};

}  // namespace heed
