// What the functions of the API share.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "heed/serve/api/access.h"
#include "heed/serve/api/metrics.h"
#include "heed/serve/api/places.h"
#include "heed/serve/detect.h"
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

// A request with its parameters.
struct ApiCall {
  const Api& api;
  const Parameters& parameters;
  std::string client;  // whose turn it is: an address or the name of a key
  std::shared_ptr<HttpExchange> exchange;
};

// The deadline of a request that begins now.
std::optional<std::chrono::steady_clock::time_point> deadline_of(const ServeOptions& options);

// The languages of texts, of which the first 64 KB count, among those that models translate from.
std::vector<DetectedLanguage> detect_source(const std::vector<std::string>& texts,
                                            const std::vector<std::string>& among);

// The model for a request's `source` and `target`. `source` may be "auto" or empty: then the
// language of `texts` decides among the models for the target. An empty target is that of the only
// model for the source. ApiError 400 if no model fits.
struct ChosenModel {
  std::shared_ptr<const ServedModel> model;
  std::optional<double> confidence;  // percent; of a detected language
};
ChosenModel choose_model(const ServedModels& models, const std::string& source,
                         const std::string& target, const std::vector<std::string>& texts);

// Throws ApiError 400 where the texts have more characters than a request may have. Returns how
// many they have.
int64_t check_characters(const ServeOptions& options, const std::vector<std::string>& texts);
int64_t count_characters(std::string_view text);

}  // namespace heed
