#include <algorithm>

#include "heed/core/utf8.h"
#include "heed/serve/api/document_call.h"
#include "heed/serve/api/handlers.h"
#include "heed/serve/api/parameters.h"
#include "heed/serve/api/plain_html.h"

namespace heed::libretranslate {
namespace {

using nlohmann::ordered_json;

// The text or texts of `q`. HttpError 400 if it is missing.
Parameters::Texts texts_of(const Parameters& parameters) {
  const auto texts = parameters.texts("q");
  if (!texts) throw HttpError(400, "Invalid request: missing q parameter");
  return *texts;
}

enum class TextFormat { text, html };

// The format of the texts. HttpError 400 for an unknown one, and for HTML with mark-up.
TextFormat format_of(const Parameters& parameters, const std::vector<std::string>& texts) {
  const std::string format = parameters.text("format");
  if (format.empty() || format == "text") return TextFormat::text;
  if (format != "html")
    throw HttpError(
        400, fmt::format("{} format is not supported: expected text or html", excerpt(format)));
  for (const std::string& text : texts)
    if (const auto at = find_markup(text))
      throw HttpError(400,
                      fmt::format("format html: mark-up is not supported, got '{}' at byte {}: "
                                  "expected texts without tags and character references",
                                  excerpt(std::string_view(text).substr(*at), 20), *at + 1));
  return TextFormat::html;
}

ordered_json language_json(const DetectedLanguage& language) {
  return {{"confidence", language.confidence}, {"language", language.code}};
}

struct AnswerOptions {
  bool array = false;  // whether the texts came as an array
  int64_t alternatives = 0;
  TextFormat format = TextFormat::text;
};

class TranslateCall : public DocumentCall {
 public:
  TranslateCall(const ApiClient& client, std::vector<std::string> texts, DocumentOptions options,
                const AnswerOptions& answer)
      : DocumentCall(client, std::move(texts), std::move(options)), answer_(answer) {}

 protected:
  HttpResponse answer() const override {
    const bool detects = options().chosen.detects;
    ordered_json body;
    ordered_json translations = ordered_json::array(), alternatives = translations,
                 languages = translations;
    for (size_t i = 0; i < document().texts(); ++i) {
      translations.push_back(translation_of(i, 0));
      alternatives.push_back(alternatives_of(i));
      if (detects) languages.push_back(language_json(*options().chosen.texts[i].detected));
    }
    const auto shaped = [&](ordered_json all) { return answer_.array ? all : all.at(0); };
    body["translatedText"] = shaped(translations);
    if (answer_.alternatives > 0) body["alternatives"] = shaped(alternatives);
    if (detects) body["detectedLanguage"] = shaped(languages);
    return json_answer(body);
  }

 private:
  // A text that is returned unchanged is HTML already.
  std::string translation_of(size_t text, size_t rank) const {
    std::string translation = document().translation(text, translations(), rank);
    const bool escapes = answer_.format == TextFormat::html && options().chosen.texts[text].model;
    return escapes ? escape_html(translation) : translation;
  }

  // Other translations of a text, different from the first and from each other.
  ordered_json alternatives_of(size_t text) const {
    const auto [begin, end] = document().lines_of(text);
    size_t ranks = 0;
    for (size_t i = begin; i < end; ++i) ranks = std::max(ranks, translations()[i].size());
    std::vector<std::string> seen = {translation_of(text, 0)};
    for (size_t rank = 1; rank < ranks && int64_t(seen.size()) <= answer_.alternatives; ++rank) {
      std::string other = translation_of(text, rank);
      if (std::ranges::find(seen, other) == seen.end()) seen.push_back(std::move(other));
    }
    return std::vector<std::string>(seen.begin() + 1, seen.end());
  }

  const AnswerOptions answer_;
};

// The codes of all sources, then those of targets.
std::vector<std::string> all_codes(const ServedModels& models) {
  const auto translators = translators_of(models);
  std::vector<std::string> codes = source_codes(translators);
  for (const auto& model : translators) add_code(codes, model->languages.target);
  return codes;
}

ordered_json language_json(const std::string& code) {
  return {{"code", code}, {"name", language_name(code)}};
}

}  // namespace

void translate(const ApiCall& call) {
  const ServeOptions& options = call.api.options;
  Parameters::Texts texts = texts_of(call.parameters);
  for (const char* name : {"source", "target"})
    if (!call.parameters.has(name))
      throw HttpError(400, fmt::format("Invalid request: missing {} parameter", name));
  check_characters(options, texts.texts);
  AnswerOptions answer = {.array = texts.array};
  answer.alternatives = call.parameters.integer("alternatives").value_or(0);
  answer.format = format_of(call.parameters, texts.texts);
  DocumentOptions document;
  document.decode.search = options.search;
  document.alternatives = answer.alternatives;
  translate_texts<TranslateCall>(call, std::move(texts.texts), document, answer);
}

void detect(const ApiCall& call) {
  std::string all;
  for (const std::string& text : texts_of(call.parameters).texts) {
    if (all.size() >= kMaxDetectedBytes) break;
    all += text + "\n";
  }
  std::vector<DetectedLanguage> languages =
      LanguageDetector(all_codes(call.api.models)).detect(all);
  // Clients expect one at least.
  if (languages.empty())
    languages.push_back({source_codes(translators_of(call.api.models)).front(), 0});
  ordered_json body = ordered_json::array();
  for (const DetectedLanguage& language : languages) body.push_back(language_json(language));
  call.exchange->respond(json_answer(body));
}

HttpResponse languages(const Api& api) {
  ordered_json body = ordered_json::array();
  const auto translators = api.models.of_task(LearningTask::translation);
  for (const std::string& code : source_codes(translators)) {
    ordered_json language = language_json(code);
    language["targets"] = ordered_json::array();
    for (const auto& model : translators)
      if (model->languages.source == code) language["targets"].push_back(model->languages.target);
    body.push_back(std::move(language));
  }
  return json_answer(body);
}

HttpResponse frontend_settings(const Api& api) {
  const ServeOptions& options = api.options;
  const auto translators = api.models.of_task(LearningTask::translation);
  const bool keys = options.api_keys.has_value();
  ordered_json language = nullptr;
  if (!translators.empty()) {
    const LanguagePair& first = translators.front()->languages;
    language = {{"source", language_json(first.source)}, {"target", language_json(first.target)}};
  }
  return json_answer({{"apiKeys", keys},
                      {"attentionLimit", options.max_attention},
                      {"charLimit", options.max_characters > 0 ? options.max_characters : -1},
                      {"filesTranslation", false},
                      {"frontendTimeout", 500},
                      {"keyRequired", keys},
                      {"language", language},
                      {"suggestions", false},
                      {"supportedFilesFormat", ordered_json::array()}});
}

}  // namespace heed::libretranslate
