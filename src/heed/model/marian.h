// The MarianMTModel layout: config.json and the names of tensors, as transformers writes and reads
// them. Private to the model layer's sources.
#pragma once

#include <string>
#include <vector>

#include "heed/core/strict_json.h"
#include "heed/model/config.h"
#include "heed/model/safetensors.h"
#include "heed/model/transformer.h"

namespace heed {

// A tensor of model.safetensors, and the parameter of heed's that it holds.
struct MarianTensor {
  std::vector<std::string> names;  // the first is written; files may hold equal copies under others
  Shape shape;
  std::string parameter;  // as parameters() calls it
  ParameterRole role = ParameterRole::matrix;
};

// All tensors but final_logits_bias, in the order of the file.
std::vector<MarianTensor> marian_tensors(const ModelConfig& config);

// [1, vocabulary]: added to the logits.
inline constexpr const char* kLogitsBias = "final_logits_bias";

// Whether this is a table of positions. Some files carry one of sinusoids, which is recomputed, not
// read.
bool is_position_table(std::string_view name);

// config.json of a model whose weights are stored as fp32, bf16 or int8. transformers can read
// neither int8 nor variants of the model in this layout, so these have the "model_type" "heed".
nlohmann::ordered_json to_marian(const ModelConfig& config, DType weights = DType::fp32);
// `place` names the file in messages. Error for a model that heed cannot run.
ModelConfig from_marian(const nlohmann::json& object, const std::string& place);

}  // namespace heed
