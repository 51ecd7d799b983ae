#include "heed/serve/api/answers.h"

#include <new>

#include "heed/core/options.h"

namespace heed {

HttpResponse error_response(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const HttpError& e) {
    return error_response(e);
  } catch (const Overloaded& e) {
    return overloaded_response(e);
  } catch (const DeadlinePassed& e) {
    return error_response({504, e.what()});
  } catch (const Error& e) {
    return error_response({400, with_option_names(e.what())});
  } catch (const std::bad_alloc&) {
    return error_response({503, "out of memory"});
  } catch (const std::exception&) {
    return error_response({500, "internal error"});
  }
}

HttpResponse overloaded_response(const Overloaded& error) {
  return error_response(
      {429, error.what(), {{"Retry-After", std::to_string(error.retry_after.count())}}});
}

}  // namespace heed
