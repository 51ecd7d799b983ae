// The MarianMTModel layout: config.json and the names of tensors, as transformers writes and reads
// them (docs/marian_layout.md).
#pragma once

#include "heed/model/checkpoint_layout.h"

namespace heed {

// transformers can read neither int8 nor variants of the model in this layout, so config.json of
// these has the "model_type" "heed".
const CheckpointLayout& marian_layout();

}  // namespace heed
