// The interface of what is trained: parameters, the loss of examples, and what a validation
// reports.
#pragma once

#include <span>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/data/dataset.h"
#include "heed/model/parameters.h"
#include "heed/train/reports.h"

namespace heed {

class Task {
 public:
  virtual ~Task() = default;
  // Each once, always in the same order.
  virtual std::vector<Parameter> parameters() = 0;
  // The linear layers whose gradients may be deferred (train/deferred_gradients.h).
  virtual std::vector<Linear> linear_layers() = 0;
  // The loss of these examples, of which there may be none; called from any thread. On a pass with
  // a tape, backward() will start from the gradient of this loss times `gradient_factor`.
  virtual Loss loss(ForwardPass& pass, const std::vector<Example>& examples,
                    double gradient_factor) const = 0;
  // The scores that a validation reports besides the loss; the parameters are packed.
  virtual std::vector<Score> scores(Backend&) const { return {}; }
};

}  // namespace heed
