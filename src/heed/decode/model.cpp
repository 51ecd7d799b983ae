#include "heed/decode/model.h"

#include "heed/model/directory.h"
#include "heed/model/transformer.h"

namespace heed {

Model::Opened Model::open(const std::filesystem::path& directory, const Computation& computation) {
  return read_unchanged(directory, [&] {
    read_translator_config(directory);  // first: its errors say what the directory is not
    TokenizerPair tokenizers = TokenizerPair::load(directory);
    std::unique_ptr<Backend> backend = make_backend(computation, Purpose::inference);
    auto model = load_model(directory, *backend);
    return Opened{std::move(tokenizers), std::move(backend),
                  std::make_shared<decltype(model)>(std::move(model))};
  });
}

Model::Model(const std::filesystem::path& directory, const Computation& computation)
    : opened_(open(directory, computation)) {}

std::vector<std::string> Model::translate(const std::vector<std::string>& lines,
                                          const DecodeOptions& options) const {
  return best_translations(*kept_translator(options), lines);
}

std::shared_ptr<const Translator> Model::kept_translator(const DecodeOptions& options) const {
  std::lock_guard lock(mutex_);
  if (!last_translator_ || options != last_options_) {
    last_translator_ = std::make_shared<const Translator>(parts(), options);
    last_options_ = options;
  }
  return last_translator_;
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
