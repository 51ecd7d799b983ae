#include "heed/tasks/model_task.h"

#include "heed/tasks/classes_task.h"
#include "heed/tasks/translation_task.h"

namespace heed {

std::unique_ptr<ModelTask> make_task(SequenceModel model, double label_smoothing, TaskScores scores,
                                     const Dataset* validation,
                                     std::optional<GuidedAlignment> guided) {
  if (!model.config().has_decoder())
    return std::make_unique<ClassesTask>(std::move(model), label_smoothing, validation);
  return std::make_unique<TranslationTask>(std::move(model), label_smoothing, std::move(scores),
                                           guided);
}

}  // namespace heed
