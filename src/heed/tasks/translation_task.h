// Learning to translate: the cross entropy of a target, given its source; or of a text alone, for a
// model without an encoder.
#pragma once

#include <optional>

#include "heed/tasks/guided_alignment.h"
#include "heed/tasks/model_task.h"

namespace heed {

class TranslationTask : public ModelTask {
 public:
  // The smoothing is that of section 5.4. Without `scores` a validation reports the loss alone.
  // With `guided` the attention follows the links of the examples that have some.
  TranslationTask(SequenceModel model, double label_smoothing, TaskScores scores = {},
                  std::optional<GuidedAlignment> guided = {})
      : ModelTask(std::move(model)),
        label_smoothing_(label_smoothing),
        scores_(std::move(scores)),
        guided_(guided) {}

  Loss loss(ForwardPass& pass, const std::vector<Example>& examples,
            double gradient_factor) const override;
  std::vector<Score> scores(Backend& backend) const override {
    return scores_ ? scores_({model(), backend}) : std::vector<Score>();
  }

 private:
  const double label_smoothing_;
  const TaskScores scores_;
  const std::optional<GuidedAlignment> guided_;
};

}  // namespace heed
