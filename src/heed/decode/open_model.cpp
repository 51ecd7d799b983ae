#include "heed/decode/open_model.h"

#include "heed/decode/classifier.h"
#include "heed/decode/language_model.h"
#include "heed/decode/model.h"
#include "heed/decode/parser.h"

namespace heed {

std::unique_ptr<const OpenedModel> open_model(const std::filesystem::path& directory,
                                              LearningTask task, Computation computation) {
  if (task == LearningTask::language_model)
    return std::make_unique<LanguageModel>(directory, computation);
  if (task == LearningTask::parse) return std::make_unique<Parser>(directory, computation);
  if (task == LearningTask::translation) return std::make_unique<Model>(directory, computation);
  if (computation.compute == ComputeChoice::automatic) computation.compute = ScoreOptions().compute;
  return std::make_unique<Classifier>(
      directory, computation, task == LearningTask::tag ? ClassesOf::words : ClassesOf::texts);
}

}  // namespace heed
