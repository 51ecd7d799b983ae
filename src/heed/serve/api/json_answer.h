// JSON as the body of an answer. Private to the sources of the server.
#pragma once

#include <string>

#include "heed/core/json_text.h"
#include "heed/serve/http/message.h"

namespace heed {

inline HttpResponse json_answer(const nlohmann::ordered_json& json) {
  return {.body = json_text(json)};
}

}  // namespace heed
