// JSON, and config.json, which is made of it.
#include "fuzz.h"
#include "heed/core/strict_json.h"
#include "heed/model/marian.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  fuzzing::read_or_refuse([&] {
    const nlohmann::json json = detail::parse_json(fuzzing::text_of(data, size), "config.json");
    fuzzing::require(detail::quote(json).find('\n') == std::string::npos);
    const ModelConfig config = from_marian(json, "config.json");
    fuzzing::require(from_marian(to_marian(config), "written") == config);
  });
  return 0;
}
