// Learning to translate: the cross entropy of a target, given its source.
#pragma once

#include "heed/model/transformer.h"
#include "heed/train/task.h"

namespace heed {

class TranslationTask : public Task {
 public:
  // The smoothing is that of section 5.4.
  TranslationTask(Transformer model, double label_smoothing)
      : model_(std::move(model)), label_smoothing_(label_smoothing) {}

  std::vector<Parameter> parameters() override { return heed::parameters(model_); }
  std::vector<Linear> linear_layers() override { return heed::linear_layers(model_); }
  Loss loss(ForwardPass& pass, const std::vector<Example>& examples,
            double gradient_factor) const override;

  Transformer& model() { return model_; }
  const Transformer& model() const { return model_; }

 private:
  Transformer model_;
  const double label_smoothing_;
};

}  // namespace heed
