// The layouts of model directories: which one a directory has, and in which one a model is written.
#pragma once

#include <string>
#include <string_view>

#include "heed/model/checkpoint_layout.h"

namespace heed {

// The layout that the text of a config.json names: its model_type. `place` is for messages.
const CheckpointLayout& layout_of_config(std::string_view text, const std::string& place);

// GPT-2's for a language model that it can express (model/gpt2.h), Marian's for all others
// (model/marian.h).
const CheckpointLayout& layout_to_write(const ModelConfig& config, DType weights);

}  // namespace heed
