// What the functions of the API share.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "heed/serve/api/access.h"
#include "heed/serve/api/metrics.h"
#include "heed/serve/api/places.h"
#include "heed/serve/http/exchange.h"
#include "heed/serve/models.h"
#include "heed/serve/options.h"
#include "heed/serve/scheduler.h"

namespace heed {

class Parameters;

// What a request is answered from. Outlives every request.
struct Api {
  const ServeOptions& options;
  const ServedModels& models;
  std::shared_ptr<Scheduler> scheduler;
  std::shared_ptr<Places> attention_places;  // of /v1/attention
};

// Who waits for an answer.
struct ApiClient {
  const Api& api;
  std::string client;  // whose turn it is: an address or the name of a key
  std::shared_ptr<HttpExchange> exchange;
};

// A request with its parameters, which last until its handler returns.
struct ApiCall : ApiClient {
  const Parameters& parameters;
};

// The deadline of a request that begins now.
std::optional<std::chrono::steady_clock::time_point> deadline_of(const ServeOptions& options);

// Cancels what the scheduler does for a client (Scheduler::cancel()) if it goes away.
void cancel_when_gone(const ApiClient& client, uint64_t id);

// Throws HttpError 400 where the texts have more characters than a request may have. Returns how
// many they have.
int64_t check_characters(const ServeOptions& options, const std::vector<std::string>& texts);
int64_t count_characters(std::string_view text);

}  // namespace heed
