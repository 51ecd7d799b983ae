// JSON as the body of an answer. Private to the sources of the server.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "heed/serve/http/message.h"

namespace heed {

// Invalid UTF-8 becomes U+FFFD.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

inline HttpResponse json_answer(const nlohmann::ordered_json& json) {
  return {.body = json_text(json)};
}

}  // namespace heed
