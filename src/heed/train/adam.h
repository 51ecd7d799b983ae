// Adam (Kingma & Ba, 2015) over all parameters of a model, section 5.3.
#pragma once

#include "heed/core/parallel.h"
#include "heed/model/transformer.h"

namespace heed {

// Whether a moving average of the parameters is kept beside the moments.
enum class MovingAverage { none, kept };

class Adam {
 public:
  // Moments are zero, the average is the parameters. The model and backend must outlive it.
  Adam(Transformer& model, Backend& backend, Workers& workers,
       MovingAverage average = MovingAverage::none);

  // Updates every parameter from the flat gradient of GradientTree, then prepares the model anew.
  // Parameters whose offset is behind the gradient's end are left to update_part(). Weight decay is
  // of matrices and embedding tables alone: biases, gains and the output bias keep theirs.
  void update(const AdamStep& step, const Tensor& gradient, const std::vector<int64_t>& offsets);

  // Updates elements of parameter number `parameter` of parameters(model) from `begin` on, as many
  // as there are gradients. Runs on the calling thread; several may update different parts.
  void update_part(const AdamStep& step, size_t parameter, int64_t begin, const Tensor& gradient);

  // Exchanges the values of the parameters and of their moving average, bit for bit: what the
  // backend prepared is then of the others. Nothing where no average is kept.
  void swap_average();

  // The moments of parameter i of parameters(model), of its shape.
  const Tensor& first_moment(size_t i) const { return first_[i]; }
  const Tensor& second_moment(size_t i) const { return second_[i]; }
  // And the moving average.
  bool has_average() const { return !average_.empty(); }
  const Tensor& average(size_t i) const { return average_[i]; }

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
  std::vector<Tensor> average_;  // none, or one a parameter
  std::vector<Block> blocks_;
};

}  // namespace heed
