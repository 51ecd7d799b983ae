#include "heed/pages/translation_json.h"
#include "heed/serve/api/document_call.h"
#include "heed/serve/api/handlers.h"
#include "heed/serve/api/parameters.h"

namespace heed::v1 {
namespace {

using nlohmann::ordered_json;

struct AnswerOptions {
  Alignments alignments = Alignments::none;
  bool probabilities = false;
  bool stream = false;
};

class TranslateCall : public DocumentCall {
 public:
  TranslateCall(const ApiClient& client, std::vector<std::string> texts, DocumentOptions options,
                const AnswerOptions& answer)
      : DocumentCall(client, std::move(texts), std::move(options)),
        answer_(answer),
        sentences_(document().lines().size()),
        sent_(answer_.stream ? document().lines().size() : 0) {}

  void translated(Translation translation) override {
    if (!answer_.stream) return DocumentCall::translated(std::move(translation));
    const auto line = size_t(translation.line);
    std::string events = token_events(translation);
    ordered_json position = position_of(line);
    if (options().decode.search.sample)
      for (const TextHypothesis& sample : translation.hypotheses)
        position["hypotheses"].push_back(sample.number);
    DocumentCall::translated(std::move(translation));
    send(events + event_text("sentence", joined(position, sentences_[line])));
  }

  void finished() override {
    if (!answer_.stream) return DocumentCall::finished();
    send(event_text("done", whole()));
    exchange().end();
  }

  void failed(std::exception_ptr error) override {
    if (!has_begun_) return DocumentCall::failed(error);
    send(event_text("error", error_response(error).body));
    exchange().end();
  }

  bool follows_progress() const override { return answer_.stream; }

  void progress(const Translation& so_far) override {
    const std::string events = token_events(so_far);
    if (!events.empty()) send(events);
  }

 protected:
  HttpResponse answer() const override { return {.body = whole()}; }
  size_t keep(const Translation& translation) override {
    std::string& text = sentences_[size_t(translation.line)];
    text = json_text(sentence(translation));
    return text.capacity();
  }
  // A weight as a number of JSON: first a value, then its text, which grows by doubling.
  size_t bytes_to_keep(const Translation& translation) const override {
    constexpr size_t kBytesOfWeight = 40;
    if (answer_.alignments != Alignments::weights) return 0;
    size_t weights = 0;
    for (const TextHypothesis& hypothesis : translation.hypotheses)
      for (const AttentionRow& row : hypothesis.attention) weights += row.weights.size();
    return kBytesOfWeight * weights;
  }

 private:
  ordered_json position_of(size_t line) const {
    const Document::Line& place = document().lines()[line];
    return {{"text", place.text}, {"sentence", place.index}};
  }

  // The text of an object that has the fields of both.
  static std::string joined(const ordered_json& object, const std::string& other) {
    std::string text = json_text(object);
    text.back() = ',';
    return text + other.substr(1);
  }

  // Concatenated from texts: as a value of JSON it would take several times as much memory.
  std::string whole() const {
    const ChosenModels& chosen = options().chosen;
    std::string all =
        joined({{"source", chosen.source}, {"target", chosen.target}}, R"({"translations":[)");
    for (size_t text = 0; text < document().texts(); ++text) {
      if (text > 0) all += ',';
      all += joined(head_of(text), R"({"sentences":[)");
      const auto [begin, end] = document().lines_of(text);
      for (size_t i = begin; i < end; ++i) {
        if (i > begin) all += ',';
        all += sentences_[i];
      }
      all += "]," + json_text({{"after", document().after(text)}}).substr(1);
    }
    return all + "]}";
  }

  ordered_json head_of(size_t text) const {
    ordered_json head = {{"text", document().translation(text, translations(), 0)}};
    if (const auto& detected = options().chosen.texts[text].detected)
      head["detected"] = {{"language", detected->code}, {"confidence", detected->confidence}};
    return head;
  }

  ordered_json sentence(const Translation& translation) const {
    const Document::Line& place = document().lines()[size_t(translation.line)];
    ordered_json object = {{"before", place.before}, {"source", place.source}};
    add_translation(translation,
                    {.alignments = answer_.alignments,
                     .pairs = TranslationFields::Pairs::arrays,
                     .nbest = options().decode.search.nbest > 1,
                     .log_probabilities = answer_.probabilities},
                    object);
    return object;
  }

  // The parts of a hypothesis that were sent in events.
  struct Sent {
    size_t pieces = 0, bytes = 0;
  };

  // The events for what is not sent yet of a translation: of each sample, or of the best
  // hypothesis.
  std::string token_events(const Translation& translation) {
    const bool samples = options().decode.search.sample;
    std::vector<Sent>& sent = sent_[size_t(translation.line)];
    std::string events;
    for (const TextHypothesis& hypothesis : translation.hypotheses) {
      const auto number = samples ? size_t(hypothesis.number) : 0;
      sent.resize(std::max(sent.size(), number + 1));
      ordered_json event = position_of(size_t(translation.line));
      event["hypothesis"] = number;
      events += token_events(std::move(event), hypothesis, sent[number]);
      if (!samples) break;
    }
    return events;
  }

  // An event for each piece; the text comes with the last one.
  static std::string token_events(ordered_json event, const TextHypothesis& hypothesis,
                                  Sent& sent) {
    check(sent.pieces <= hypothesis.pieces.size() && sent.bytes <= hypothesis.text.size(),
          "a translation that has become shorter");
    std::string events;
    const bool has_text = sent.bytes < hypothesis.text.size();
    while (sent.pieces < hypothesis.pieces.size()) {
      event["piece"] = hypothesis.pieces[sent.pieces++];
      if (has_text && sent.pieces == hypothesis.pieces.size()) break;
      event["delta"] = "";
      events += event_text("token", json_text(event));
    }
    if (!has_text) return events;
    event["delta"] = hypothesis.text.substr(sent.bytes);
    event["translation"] = hypothesis.text;
    sent.bytes = hypothesis.text.size();
    return events + event_text("token", json_text(event));
  }

  // An event of text/event-stream; JSON has no line breaks.
  static std::string event_text(const char* name, const std::string& data) {
    return fmt::format("event: {}\ndata: {}\n\n", name, data);
  }

  void send(std::string events) {
    if (has_begun_) return exchange().write(std::move(events));
    has_begun_ = true;
    exchange().begin({.content_type = "text/event-stream",
                      .body = std::move(events),
                      .headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}}});
  }

  const AnswerOptions answer_;
  std::vector<std::string> sentences_;   // of each line that is translated: its object in JSON
  bool has_begun_ = false;               // the stream
  std::vector<std::vector<Sent>> sent_;  // of each line: its hypotheses by their numbers
};

}  // namespace

void translate(const ApiCall& call) {
  constexpr size_t kBytesOfTerms = 20;  // that a byte of the parameter takes as a list
  const Parameters& parameters = call.parameters;
  const auto texts = parameters.texts("text");
  if (!texts) throw HttpError(400, "text: expected a text or an array of texts");
  check_characters(call.api.options, texts->texts);
  const AnswerOptions answer = {.alignments = parameters.choice("alignments", Alignments::none),
                                .probabilities = parameters.flag("probabilities"),
                                .stream = parameters.flag("stream")};
  DocumentOptions options;
  options.unit = parameters.choice("split", TextUnit::sentences);
  options.decode.search = parameters.search(call.api.options);
  options.decode.terms = parameters.terms();
  options.bytes = kBytesOfTerms * parameters.text("terms").size();
  check_options(options.decode);
  options.decode.attention = answer.alignments != Alignments::none;
  options.prefix = parameters.text("prefix");
  options.decode.strict = !options.prefix.empty();  // one that is too long is an error
  translate_texts<TranslateCall>(call, texts->texts, options, answer);
}

}  // namespace heed::v1
