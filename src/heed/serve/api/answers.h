// The answers of the API: JSON, and errors. Private to the sources of the server.
#pragma once

#include <exception>

#include "heed/core/json_text.h"
#include "heed/serve/http/message.h"
#include "heed/serve/scheduling.h"

namespace heed {

inline HttpResponse json_answer(const nlohmann::ordered_json& json) {
  return {.body = json_text(json)};
}

// The answer to a request that ended with this exception. Errors of options name them as the API
// does ("length_penalty" for "--length-penalty"); a bug of heed is a 500 that says no more.
HttpResponse error_response(const std::exception_ptr& error);
// 429 with Retry-After.
HttpResponse overloaded_response(const Overloaded& error);

}  // namespace heed
