#include "loaded_model.h"

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/directory.h"

namespace heed {

std::unique_ptr<LoadedModel> open_model(const std::string& directory) {
  read_config(directory);  // what is no model directory at all is told first
  auto loaded = std::make_unique<LoadedModel>(
      LoadedModel{make_cpu_backend(), TokenizerPair::load(directory), load_model(directory)});
  prepare(loaded->model, *loaded->backend);
  return loaded;
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
