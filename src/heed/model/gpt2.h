// The GPT2LMHeadModel layout: config.json and the names of tensors, as transformers writes and
// reads them (docs/gpt2_layout.md).
#pragma once

#include "heed/model/checkpoint_layout.h"

namespace heed {

// GPT-2 does not scale embeddings: where heed does, the file has scaled embeddings, and a last norm
// divided by the scale, since the embeddings are also the output projection.
const CheckpointLayout& gpt2_layout();

// Whether the layout can express the model: a decoder alone with learned positions and pre-norm,
// and no bias of the logits.
bool is_gpt2(const ModelConfig& config);

}  // namespace heed
