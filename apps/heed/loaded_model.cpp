#include "loaded_model.h"

#include "heed/model/directory.h"

namespace heed {

std::unique_ptr<LoadedModel> open_model(const std::string& directory, ComputeChoice compute) {
  read_config(directory);  // what is no model directory at all is told first
  TokenizerPair tokenizers = TokenizerPair::load(directory);
  auto backend = make_cpu_backend(compute, Task::infer);
  Transformer model = load_model(directory, *backend);
  return std::make_unique<LoadedModel>(
      LoadedModel{std::move(backend), std::move(tokenizers), std::move(model)});
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
