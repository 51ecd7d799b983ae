#include "heed/tasks/translation_task.h"

#include "heed/model/pair_batch.h"

namespace heed {

Loss TranslationTask::loss(ForwardPass& pass, const std::vector<Example>& examples,
                           double gradient_factor) const {
  PairBatch batch;
  for (const Example& pair : examples) batch.add(pair.source, pair.target, model().config());
  const LossOptions options{label_smoothing_, gradient_factor};
  if (!guided_) return loss_of(model(), pass, batch, options);
  return guided_loss(model(), pass, batch, examples, *guided_, options);
}

}  // namespace heed
