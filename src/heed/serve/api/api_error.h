// Errors as answers of the API.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "heed/core/error.h"
#include "heed/serve/http/message.h"
#include "heed/serve/scheduling.h"

namespace heed {

// An error that is answered with this HTTP status.
class ApiError : public Error {
 public:
  ApiError(int status, const std::string& text, std::vector<HttpHeader> headers = {})
      : Error(text), status(status), headers(std::move(headers)) {}
  int status;
  std::vector<HttpHeader> headers;  // Allow, Retry-After, WWW-Authenticate
};

// The answer to a request that ended with this exception. Errors of options name them as the API
// does ("length_penalty" for "--length-penalty"); a bug of heed is a 500 that says no more.
HttpResponse error_response(const std::exception_ptr& error);
// 429 with Retry-After.
HttpResponse overloaded_response(const Overloaded& error);

}  // namespace heed
