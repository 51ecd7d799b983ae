#include "heed/serve/api/api_error.h"

#include <new>

namespace heed {
namespace {

// "--length-penalty" as "length_penalty".
std::string with_api_names(std::string_view text) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string renamed;
  for (size_t at = 0; at < text.size();) {
    const bool flag = (at == 0 || text[at - 1] == ' ' || text[at - 1] == '(') &&
                      text.substr(at, 2) == "--" && at + 2 < text.size() && is_letter(text[at + 2]);
    if (!flag) {
      renamed += text[at++];
      continue;
    }
    for (at += 2; at < text.size() && (is_letter(text[at]) || text[at] == '-'); ++at)
      renamed += text[at] == '-' ? '_' : text[at];
  }
  return renamed;
}

}  // namespace

HttpResponse error_response(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const ApiError& e) {
    HttpResponse response = error_response(e.status, e.what());
    response.headers = e.headers;
    return response;
  } catch (const Overloaded& e) {
    return overloaded_response(e);
  } catch (const DeadlinePassed& e) {
    return error_response(504, e.what());
  } catch (const Error& e) {
    return error_response(400, with_api_names(e.what()));
  } catch (const std::bad_alloc&) {
    return error_response(503, "out of memory");
  } catch (const std::exception&) {
    return error_response(500, "internal error");
  }
}

HttpResponse overloaded_response(const Overloaded& error) {
  HttpResponse response = error_response(429, error.what());
  response.headers = {{"Retry-After", std::to_string(error.retry_after.count())}};
  return response;
}

}  // namespace heed
