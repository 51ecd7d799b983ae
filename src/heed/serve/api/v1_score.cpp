#include <algorithm>

#include "heed/pages/translation_json.h"
#include "heed/serve/api/handlers.h"
#include "heed/serve/api/model_choice.h"
#include "heed/serve/api/parameters.h"

namespace heed::v1 {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMaxPairs = 256;
// Memory for a byte of text: its pieces with their numbers, and these as JSON.
constexpr size_t kBytesOfScores = 200;

// Scores some pairs in each turn of the client, so that other lines are translated between them.
class ScoreCall : public ScheduledTask {
 public:
  ScoreCall(std::shared_ptr<HttpExchange> exchange, std::shared_ptr<const ServedModel> model,
            std::vector<TextPair> pairs)
      : exchange_(std::move(exchange)), model_(std::move(model)), pairs_(std::move(pairs)) {}

  // The cost of the next turn, in tokens.
  int64_t next_cost() const { return next_turn().tokens; }

  std::optional<int64_t> turn() override {
    ScoreOptions options;
    options.threads = 1;
    const auto begin = pairs_.begin() + std::ptrdiff_t(next_);
    next_ = next_turn().end;
    const std::vector<TextPair> some(begin, pairs_.begin() + std::ptrdiff_t(next_));
    for (const PairScore& score : Scorer(model_->model.parts(), options).score(some))
      scores_.push_back(score_json(score));
    if (next_ < pairs_.size()) return next_cost();
    const LanguagePair& languages = model_->languages;
    exchange_->respond(json_answer({{"source", languages.source},
                                    {"target", languages.target},
                                    {"scores", std::move(scores_)}}));
    return {};
  }

  void failed(std::exception_ptr error) override { exchange_->respond(error_response(error)); }

 private:
  struct Turn {
    size_t end;
    int64_t tokens;
  };
  Turn next_turn() const {
    Turn turn = {next_, 0};
    while (turn.end < pairs_.size() && turn.tokens < kTokensOfTurn) {
      const TextPair& pair = pairs_[turn.end++];
      turn.tokens += likely_tokens(pair.source) + likely_tokens(pair.target);
    }
    return turn;
  }
  // The likely number of tokens of a side; the model reads no more than its positions.
  int64_t likely_tokens(const std::string& text) const {
    constexpr int64_t kBytesPerToken = 3;
    return std::min(int64_t(text.size()) / kBytesPerToken + 1,
                    model_->model.config().max_positions);
  }

  const std::shared_ptr<HttpExchange> exchange_;
  const std::shared_ptr<const ServedModel> model_;
  const std::vector<TextPair> pairs_;
  size_t next_ = 0;  // of pairs_
  ordered_json scores_ = ordered_json::array();
};

}  // namespace

void score(const ApiCall& call) {
  const Parameters& parameters = call.parameters;
  parameters.refuse_others();
  const auto sources = parameters.texts("source_text"), targets = parameters.texts("target_text");
  if (!sources || !targets)
    throw HttpError(400, "source_text and target_text: expected a text or an array of texts each");
  const size_t count = sources->texts.size();
  if (count != targets->texts.size())
    throw HttpError(
        400, fmt::format("source_text and target_text: expected equal numbers, got {} and {}",
                         count, targets->texts.size()));
  if (count > kMaxPairs)
    throw HttpError(400,
                    fmt::format("{} pairs: expected at most {} in a request", count, kMaxPairs));
  check_characters(call.api.options, sources->texts);
  check_characters(call.api.options, targets->texts);
  std::vector<TextPair> pairs;
  int64_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    pairs.push_back({sources->texts[i], targets->texts[i]});
    bytes += int64_t(sources->texts[i].size() + targets->texts[i].size());
  }
  const auto model = choose_one_model(call, sources->texts);
  call.exchange->hold(kBytesOfScores * size_t(bytes));
  const auto task = std::make_shared<ScoreCall>(call.exchange, model, std::move(pairs));
  start(call, task, task->next_cost());
}

}  // namespace heed::v1
