// A model of sequences that learns a task.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "heed/data/dataset.h"
#include "heed/model/sequence_model.h"
#include "heed/tasks/guided_alignment.h"
#include "heed/train/task.h"

namespace heed {

class ModelTask : public Task {
 public:
  explicit ModelTask(SequenceModel model) : model_(std::move(model)) {}

  std::vector<Parameter> parameters() override { return heed::parameters(model_); }
  std::vector<Linear> linear_layers() override { return heed::linear_layers(model_); }

  SequenceModel& model() { return model_; }
  const SequenceModel& model() const { return model_; }

 private:
  SequenceModel model_;
};

// The scores that a validation reports besides the loss, where the caller measures them.
using TaskScores = std::function<std::vector<Score>(const ModelOnBackend& on)>;

// The task of the model: choosing among classes, of which a validation reports the accuracy on
// `validation` (may be null), or the prediction of tokens, with these scores and this attention.
std::unique_ptr<ModelTask> make_task(SequenceModel model, double label_smoothing, TaskScores scores,
                                     const Dataset* validation,
                                     std::optional<GuidedAlignment> guided = {});

}  // namespace heed
