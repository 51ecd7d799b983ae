#include "heed/serve/api/api_error.h"
#include "heed/serve/api/json_answer.h"
#include "heed/serve/api/model_choice.h"
#include "heed/serve/api/parameters.h"
#include "heed/serve/api/v1.h"

namespace heed::v1 {
namespace {

using nlohmann::ordered_json;

// A decoding thread is busy with a request of scores until it is done.
constexpr size_t kMostPairs = 256;
// What is held for a byte of text: its pieces with their numbers, and these as JSON.
constexpr size_t kBytesOfScores = 200;

ordered_json json_of(const PairScore& score) {
  return {{"log_probability", score.log_probability},
          {"pieces", score.pieces},
          {"log_probabilities", score.log_probabilities},
          {"status", score.status.text()}};
}

HttpResponse scores_of(const ServedModel& model, const std::vector<TextPair>& pairs) {
  ScoreOptions options;
  options.threads = 1;
  ordered_json scores = ordered_json::array();
  for (const PairScore& score : model.model().scorer(options).score(pairs))
    scores.push_back(json_of(score));
  const LanguagePair& languages = model.languages();
  return json_answer(
      {{"source", languages.source}, {"target", languages.target}, {"scores", scores}});
}

}  // namespace

void score(const ApiCall& call) {
  const Parameters& parameters = call.parameters;
  parameters.expect_only({"source_text", "target_text", "source", "target", "api_key"});
  const auto sources = parameters.texts("source_text"), targets = parameters.texts("target_text");
  if (!sources || !targets)
    throw ApiError(400, "source_text and target_text: expected a text or an array of texts each");
  const size_t count = sources->texts.size();
  if (count != targets->texts.size())
    throw ApiError(400, fmt::format("source_text and target_text: expected as many, got {} and {}",
                                    count, targets->texts.size()));
  if (count > kMostPairs)
    throw ApiError(400,
                   fmt::format("{} pairs: expected at most {} in a request", count, kMostPairs));
  check_characters(call.api.options, sources->texts);
  check_characters(call.api.options, targets->texts);
  std::vector<TextPair> pairs;
  int64_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    pairs.push_back({sources->texts[i], targets->texts[i]});
    bytes += int64_t(sources->texts[i].size() + targets->texts[i].size());
  }
  const ModelChoice choice(call.api.models, parameters.text("source"), parameters.text("target"));
  const auto model = choose_one_model(choice, sources->texts);
  const std::shared_ptr<HttpExchange> exchange = call.exchange;
  if (!exchange->hold(kBytesOfScores * size_t(bytes)))
    throw ApiError(503, "the server has no memory left for this request: try again later",
                   {{"Retry-After", "1"}});
  constexpr int64_t kBytesPerToken = 3;
  call.api.scheduler->run(call.client, bytes / kBytesPerToken, [model, pairs, exchange] {
    try {
      exchange->respond(scores_of(*model, pairs));
    } catch (...) {
      exchange->respond(error_response(std::current_exception()));
    }
  });
}

}  // namespace heed::v1
