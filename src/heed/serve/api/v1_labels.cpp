#include <algorithm>
#include <deque>
#include <iterator>

#include "heed/pages/translation_json.h"
#include "heed/serve/api/handlers.h"
#include "heed/serve/api/result_list.h"

namespace heed::v1 {
namespace {

using nlohmann::ordered_json;
using JsonOfLine = ordered_json (*)(const ClassifiedLine&);

// Memory for a byte of a line while it has words without labels: words, labels and probabilities,
// and these as JSON.
constexpr size_t kBytesOfLabels = 200;
constexpr size_t kLinesOfTurn = 512;

// Chooses the labels of some parts of lines in each turn of the client, so that other lines are
// translated between them.
class LabelCall : public ScheduledTask {
 public:
  LabelCall(const ApiClient& client, ResultRequest request, JsonOfLine to_json)
      : results_(client, request),
        model_(std::move(request.model)),
        texts_(std::move(request.texts)),
        labels_(model_->model.parts(), model_->classifier->labels()),
        to_json_(to_json) {}

  static void start(const ApiCall& call, ResultRequest request, JsonOfLine to_json) {
    const auto labelling = std::make_shared<LabelCall>(call, std::move(request), to_json);
    if (labelling->texts_.empty()) return labelling->results_.respond();
    heed::start(call, labelling, labelling->next_cost());
  }

  std::optional<int64_t> turn() override {
    // Lines without words have no tokens.
    while (tokens_ < kTokensOfTurn && lines_.size() < kLinesOfTurn && next_ < texts_.size())
      encode_next();
    choose();
    while (!lines_.empty() && lines_.front().missing == 0) complete_first();
    if (next_ < texts_.size() || !lines_.empty()) return next_cost();
    results_.respond();
    return {};
  }

  void failed(std::exception_ptr error) override { results_.fail(error); }

 private:
  struct Line {
    ClassifiedLine labelled;
    size_t missing = 0;  // parts without labels
  };

  int64_t next_cost() const {
    constexpr int64_t kBytesPerToken = 3;
    int64_t tokens = tokens_;
    for (size_t i = next_; i < texts_.size() && tokens < kTokensOfTurn; ++i)
      tokens += int64_t(texts_[i].size()) / kBytesPerToken + 1;
    return std::min(tokens, kTokensOfTurn);
  }

  void hold_lines(size_t bytes) {
    results_.hold_temporarily(kBytesOfLabels * bytes);
    bytes_ = bytes;
  }

  void encode_next() {
    hold_lines(bytes_ + texts_[next_].size());
    EncodedForLabels encoded = labels_.encode(texts_[next_], {int64_t(next_), "input", false});
    lines_.push_back({std::move(encoded.line), encoded.parts.size()});
    for (LabelledPart& part : encoded.parts) {
      tokens_ += part.tokens();
      parts_.push_back(std::move(part));
    }
    ++next_;
  }

  // Chooses the labels of the first parts: of at least one, if there is any.
  void choose() {
    std::vector<LabelledPart> some;
    for (int64_t tokens = 0; !parts_.empty() && tokens < kTokensOfTurn; parts_.pop_front()) {
      tokens += parts_.front().tokens();
      some.push_back(std::move(parts_.front()));
    }
    if (some.empty()) return;
    TensorPool pool(model_->model.backend().memory());
    std::vector<ClassChoice> choices = labels_.choose(some, pool);
    auto next = std::move_iterator(choices.begin());
    for (const LabelledPart& part : some) {
      Line& line = lines_[size_t(part.line - lines_.front().labelled.line)];
      const auto end = next + part.choices();
      line.labelled.choices.insert(line.labelled.choices.end(), next, end);
      next = end;
      --line.missing;
      tokens_ -= part.tokens();
    }
  }

  void complete_first() {
    const ClassifiedLine& line = lines_.front().labelled;
    results_.set(size_t(line.line), to_json_(line));
    hold_lines(bytes_ - texts_[size_t(line.line)].size());
    lines_.pop_front();
  }

  ResultList results_;
  const std::shared_ptr<const ServedModel> model_;
  const std::vector<std::string> texts_;
  const LineLabels labels_;
  const JsonOfLine to_json_;
  size_t next_ = 0;                 // of texts_
  std::deque<Line> lines_;          // encoded and not complete
  std::deque<LabelledPart> parts_;  // without labels
  size_t bytes_ = 0;                // of lines_
  int64_t tokens_ = 0;              // of parts_
};

}  // namespace

void tag(const ApiCall& call) {
  LabelCall::start(call, ResultRequest(call, LearningTask::tag, "text"), tags_json);
}

void classify(const ApiCall& call) {
  LabelCall::start(call, ResultRequest(call, LearningTask::classify, "text"), class_json);
}

}  // namespace heed::v1
