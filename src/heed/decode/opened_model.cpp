#include "heed/decode/opened_model.h"

#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"

namespace heed {

struct OpenedModel::Parts {
  TokenizerPair tokenizers;
  std::unique_ptr<Backend> backend;
  SequenceModel transformer;
};

OpenedModel::OpenedModel(const std::filesystem::path& directory, const Computation& computation,
                         const ReadConfig& read_config) {
  parts_ = read_unchanged(directory, [&] {
    read_config(directory);  // first, for its errors
    TokenizerPair tokenizers = TokenizerPair::load(directory);
    std::unique_ptr<Backend> backend = make_backend(computation, Purpose::inference);
    SequenceModel model = load_model(directory, *backend);
    return std::make_shared<const Parts>(
        Parts{std::move(tokenizers), std::move(backend), std::move(model)});
  });
}

ModelParts OpenedModel::parts() const {
  return {{parts_->transformer, *parts_->backend}, parts_->tokenizers};
}

std::shared_ptr<const Translator> OpenedModel::kept_translator(const DecodeOptions& options) const {
  std::lock_guard lock(mutex_);
  if (!last_translator_ || options != last_options_) {
    last_translator_ = std::make_shared<const Translator>(parts(), options);
    last_options_ = options;
  }
  return last_translator_;
}

}  // namespace heed
