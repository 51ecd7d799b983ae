// A model directory in memory, ready to compute: the base of the models of all tasks.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>

#include "heed/backend/compute.h"
#include "heed/decode/explanation.h"
#include "heed/decode/translator.h"
#include "heed/model/config.h"

namespace heed {

// Const once opened: any number of threads may use one.
class OpenedModel {
 public:
  // read_translator_config() or its like: an Error for a model of another kind.
  using ReadConfig = std::function<ModelConfig(const std::filesystem::path& directory)>;

  // Uses the best instruction set of this CPU. All calls compute in the type and on the device of
  // `computation`: the fields `compute` and `device` of DecodeOptions and ScoreOptions are for the
  // commands, and ignored here. If the model in the directory is replaced while it is read, it is
  // read again, so that files of two models are never mixed.
  OpenedModel(const std::filesystem::path& directory, const Computation& computation,
              const ReadConfig& read_config);
  virtual ~OpenedModel() = default;
  OpenedModel(const OpenedModel&) = delete;
  OpenedModel& operator=(const OpenedModel&) = delete;

  const ModelConfig& config() const { return parts().config(); }
  const TokenizerPair& tokenizers() const { return parts().tokenizers; }
  Backend& backend() const { return parts().backend; }
  ModelParts parts() const;

  // How the result for a line comes about: a translation, the continuation of a prompt, a tree or
  // labels. `number` counts from 0.
  Explanation explain(const TranslationInput& line, const DecodeOptions& options = {},
                      int64_t number = 0) const {
    return heed::explain(parts(), line, options, number);
  }

 protected:
  // A translator with these options, which is kept for the next call with the same ones.
  std::shared_ptr<const Translator> kept_translator(const DecodeOptions& options) const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
  mutable std::mutex mutex_;
  mutable DecodeOptions last_options_;
  mutable std::shared_ptr<const Translator> last_translator_;  // for last_options_; may be null
};

}  // namespace heed
