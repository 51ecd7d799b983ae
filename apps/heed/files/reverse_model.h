// A model that translates back, for the confidence of another one (--reverse-model).
#pragma once

#include <memory>
#include <string>

#include "heed/decode/model.h"
#include "heed/decode/scorer.h"

namespace heed {

// Keeps the model that it scores by; null for an empty name.
std::shared_ptr<const Scorer> open_reverse_model(const std::string& directory,
                                                 const Computation& computation);

// The same for a model that was calibrated with it; Error, naming its directory, if it was not.
std::shared_ptr<const Scorer> open_reverse_model(const std::string& directory,
                                                 const Computation& computation,
                                                 const Model& forward,
                                                 const std::string& forward_directory);

}  // namespace heed
