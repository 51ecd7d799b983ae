// JSON, and config.json, which is made of it.
#include "fuzz.h"
#include "heed/core/strict_json.h"
#include "heed/model/layouts.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  fuzzing::read_or_refuse([&] {
    const std::string_view text = fuzzing::text_of(data, size);
    const nlohmann::json json = detail::parse_json(text, "config.json");
    fuzzing::require(detail::quote(json).find('\n') == std::string::npos);
    const CheckpointLayout& layout = layout_of_config(text, "config.json");
    const ModelConfig config = layout.read_config(text, "config.json");
    fuzzing::require(layout.read_config(layout.write_config(config, DType::fp32), "") == config);
  });
  return 0;
}
