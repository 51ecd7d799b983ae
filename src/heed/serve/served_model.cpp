#include "heed/serve/served_model.h"

namespace heed {

ServedModel::ServedModel(const std::filesystem::path& directory, LanguagePair languages,
                         ComputeChoice compute)
    : languages_(std::move(languages)),
      model_(directory, compute),
      processor_(model_.tokenizers(), model_.config().max_positions) {}

}  // namespace heed
