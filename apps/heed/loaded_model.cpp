#include "loaded_model.h"

#include "heed/model/directory.h"

namespace heed {

std::unique_ptr<LoadedModel> open_model(const std::string& directory, ComputeChoice compute) {
  auto backend = make_cpu_backend(compute, Task::infer);
  Transformer model = load_model(directory, *backend);
  return std::make_unique<LoadedModel>(
      LoadedModel{std::move(backend), TokenizerPair::load(directory), std::move(model)});
}

std::vector<std::string> best_translations(const Translator& translator,
                                           const std::vector<std::string>& lines) {
  std::vector<std::string> best;
  for (const Translation& translation : translator.translate(lines)) {
    best.push_back(translation.alternatives.front().text);
  }
  return best;
}

}  // namespace heed
