// A Transformer under a search: it keeps the keys and values of sources and hypotheses.
#pragma once

#include <memory>

#include "heed/model/step_model.h"
#include "heed/model/transformer.h"

namespace heed {

// Both must outlive the result.
std::unique_ptr<StepModel> make_steps(const ModelOnBackend& on);

}  // namespace heed
