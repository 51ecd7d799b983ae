// The parts that the functions of the API share. Private to the sources of the server.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>

#include "heed/core/json_text.h"
#include "heed/serve/http/exchange.h"
#include "heed/serve/models.h"
#include "heed/serve/options.h"
#include "heed/serve/scheduler.h"

namespace heed {

class Parameters;

// All that requests are answered from. Outlives every request.
struct Api {
  const ServeOptions& options;
  const ServedModels& models;
  std::shared_ptr<Scheduler> scheduler;
  // One for each request to /v1/attention that is computed at a time.
  std::shared_ptr<std::counting_semaphore<>> attention_slots;
};

// A client that waits for an answer.
struct ApiClient {
  const Api& api;
  std::string client;  // who shares the scheduler's turns: an address or the name of a key
  std::shared_ptr<HttpExchange> exchange;
};

// A request with its parameters, which last until its handler returns.
struct ApiCall : ApiClient {
  const Parameters& parameters;
};

inline HttpResponse json_answer(const nlohmann::ordered_json& json) {
  return {.body = json_text(json)};
}

// The answer to a request that ended with this exception. Errors of options name them as the API
// does ("length_penalty" for "--length-penalty"); a bug of heed is a 500 that says no more.
HttpResponse error_response(const std::exception_ptr& error);

// The deadline of a request that begins now.
std::optional<std::chrono::steady_clock::time_point> deadline_of(const ServeOptions& options);

// Begins a translation or a task, which is cancelled if the client goes away.
void start(const ApiClient& client, TranslationRequest request,
           const std::shared_ptr<TranslationObserver>& observer);
void start(const ApiClient& client, const std::shared_ptr<ScheduledTask>& task, int64_t cost);

// The memory of lines of text that wait, with this many bytes in all: in the document, in the
// scheduler, and as token ids, since a byte may be a token of its own.
size_t bytes_of_lines(size_t lines, size_t bytes);

// Throws HttpError 400 where the texts have more characters than a request may have. Returns how
// many they have.
int64_t check_characters(const ServeOptions& options, const std::vector<std::string>& texts);
// Throws HttpError 400 if there is a prefix and `lines` is not 1.
void check_prefix(const std::string& prefix, size_t lines);

}  // namespace heed
