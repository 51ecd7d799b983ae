#include "heed/serve/api/api.h"

#include <algorithm>
#include <new>

#include "heed/core/options.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

void cancel_when_gone(const ApiClient& client, uint64_t id) {
  // The scheduler may end before the connection.
  client.exchange->on_gone([scheduler = std::weak_ptr(client.api.scheduler), id] {
    if (const auto running = scheduler.lock()) running->cancel(id);
  });
}

}  // namespace

HttpResponse error_response(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const HttpError& e) {
    return error_response(e);
  } catch (const Overloaded& e) {
    return error_response(
        {429, e.what(), {{"Retry-After", std::to_string(e.retry_after.count())}}});
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

std::optional<std::chrono::steady_clock::time_point> deadline_of(const ServeOptions& options) {
  if (options.timeout <= 0) return {};
  return std::chrono::steady_clock::now() +
         std::chrono::milliseconds(int64_t(options.timeout * 1000));
}

void start(const ApiClient& client, TranslationRequest request,
           const std::shared_ptr<TranslationObserver>& observer) {
  request.client = client.client;
  request.deadline = deadline_of(client.api.options);
  cancel_when_gone(client, client.api.scheduler->submit(std::move(request), observer));
}

void start(const ApiClient& client, const std::shared_ptr<ScheduledTask>& task, int64_t cost) {
  const TaskRequest request = {client.client, cost, deadline_of(client.api.options)};
  cancel_when_gone(client, client.api.scheduler->run(task, request));
}

size_t bytes_of_lines(size_t lines, size_t bytes) {
  constexpr size_t kBytesOfLine = 1024;  // besides its text
  constexpr size_t kCopiesOfText = 8;
  return kCopiesOfText * bytes + kBytesOfLine * lines;
}

int64_t check_characters(const ServeOptions& options, const std::vector<std::string>& texts) {
  int64_t characters = 0;
  for (const std::string& text : texts) characters += count_characters(text);
  if (options.max_characters > 0 && characters > options.max_characters)
    throw HttpError(
        400, fmt::format("{} characters: expected at most {}", characters, options.max_characters));
  return characters;
}

void check_prefix(const std::string& prefix, size_t lines) {
  if (!prefix.empty() && lines != 1)
    throw HttpError(400,
                    fmt::format("prefix: expected a text of one line or sentence, got {} (with "
                                "split=lines a line counts as one)",
                                lines));
}

}  // namespace heed
