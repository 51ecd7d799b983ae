// Learning to translate: the cross entropy of a target, given its source.
#pragma once

#include <functional>

#include "heed/model/transformer.h"
#include "heed/train/task.h"

namespace heed {

class TranslationTask : public Task {
 public:
  using Scores = std::function<std::vector<Score>(const ModelOnBackend& on)>;
  // The smoothing is that of section 5.4. Without `scores` a validation reports the loss alone.
  TranslationTask(Transformer model, double label_smoothing, Scores scores = {})
      : model_(std::move(model)), label_smoothing_(label_smoothing), scores_(std::move(scores)) {}

  std::vector<Parameter> parameters() override { return heed::parameters(model_); }
  std::vector<Linear> linear_layers() override { return heed::linear_layers(model_); }
  Loss loss(ForwardPass& pass, const std::vector<Example>& examples,
            double gradient_factor) const override;
  std::vector<Score> scores(Backend& backend) const override {
    return scores_ ? scores_({model_, backend}) : std::vector<Score>();
  }

  Transformer& model() { return model_; }
  const Transformer& model() const { return model_; }

 private:
  Transformer model_;
  const double label_smoothing_;
  const Scores scores_;
};

}  // namespace heed
