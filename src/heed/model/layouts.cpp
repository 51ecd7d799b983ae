#include "heed/model/layouts.h"

#include "heed/core/strict_json.h"
#include "heed/model/gpt2.h"
#include "heed/model/marian.h"

namespace heed {

const CheckpointLayout& layout_of_config(std::string_view text, const std::string& place) {
  const nlohmann::json object = detail::parse_json(text, place);
  const bool gpt2 = object.is_object() && object.value("model_type", nlohmann::json()) == "gpt2";
  return gpt2 ? gpt2_layout() : marian_layout();
}

const CheckpointLayout& layout_to_write(const ModelConfig& config, DType weights) {
  return weights != DType::int8 && is_gpt2(config) ? gpt2_layout() : marian_layout();
}

}  // namespace heed
