// Learning classes of words or of texts: the cross entropy of the labels that a text has.
#pragma once

#include "heed/model/classes.h"
#include "heed/tasks/model_task.h"

namespace heed {

// The classes of an example's target, which has ids of a vocabulary of labels
// (text/word_encoding.h), one for each source token or one for the text. </s> and <unk>, a label
// that the model does not have, are no class.
std::vector<int32_t> classes_of_target(const std::vector<TokenId>& target);

class ClassesTask : public ModelTask {
 public:
  // The model is an encoder alone. A validation reports the accuracy on `validation`, if it is not
  // null: the percentage of labels that are the likeliest class.
  ClassesTask(SequenceModel model, double label_smoothing, const Dataset* validation = nullptr)
      : ModelTask(std::move(model)), label_smoothing_(label_smoothing), validation_(validation) {}

  Loss loss(ForwardPass& pass, const std::vector<Example>& examples,
            double gradient_factor) const override;
  std::vector<Score> scores(Backend& backend) const override;

 private:
  ClassBatch batch_of(const std::vector<Example>& examples) const;

  const double label_smoothing_;
  const Dataset* const validation_;
};

}  // namespace heed
