#include "heed/decode/model.h"

#include "heed/model/directory.h"

namespace heed {

Model::Model(const std::filesystem::path& directory, const Computation& computation)
    : OpenedModel(directory, computation, read_translator_config) {}

std::vector<std::string> Model::translate(const std::vector<std::string>& lines,
                                          const DecodeOptions& options) const {
  return best_translations(*kept_translator(options), lines);
}

std::vector<PairScore> Model::score(const std::vector<std::string>& sources,
                                    const std::vector<std::string>& targets,
                                    const ScoreOptions& options) const {
  if (sources.size() != targets.size())
    fail_usage("{} sources and {} targets: expected equal numbers", sources.size(), targets.size());
  std::vector<TextPair> pairs;
  pairs.reserve(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) pairs.push_back({sources[i], targets[i]});
  return scorer(options).score(pairs);
}

}  // namespace heed
