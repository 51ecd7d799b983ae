#include "heed/serve/api/libretranslate.h"

#include <algorithm>

#include "heed/core/utf8.h"
#include "heed/serve/api/api_error.h"
#include "heed/serve/api/document_call.h"
#include "heed/serve/api/json_answer.h"
#include "heed/serve/api/model_choice.h"
#include "heed/serve/api/parameters.h"
#include "heed/serve/api/plain_html.h"

namespace heed::libretranslate {
namespace {

using nlohmann::ordered_json;

// The texts of `q`, of which there must be one.
Parameters::Texts texts_of(const Parameters& parameters) {
  const auto texts = parameters.texts("q");
  if (!texts) throw HttpError(400, "Invalid request: missing q parameter");
  return *texts;
}

enum class TextFormat { text, html };

// The format of the texts. HttpError 400 for one that is not known, and for HTML with mark-up.
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
  bool array = false;  // whether the texts came as one
  int64_t alternatives = 0;
  TextFormat format = TextFormat::text;
  std::optional<std::vector<DetectedLanguage>> detected = {};  // of each text
};

class TranslateCall : public DocumentCall {
 public:
  TranslateCall(const ApiClient& client, std::vector<std::string> texts, DocumentOptions options,
                AnswerOptions how)
      : DocumentCall(client, std::move(texts), std::move(options)), how_(std::move(how)) {}

 protected:
  HttpResponse answer() const override {
    ordered_json body;
    ordered_json translations = ordered_json::array(), alternatives = translations,
                 languages = translations;
    for (size_t i = 0; i < document().texts(); ++i) {
      translations.push_back(translation_of(i, 0));
      alternatives.push_back(alternatives_of(i));
      if (how_.detected) languages.push_back(language_json((*how_.detected)[i]));
    }
    const auto shaped = [&](ordered_json all) { return how_.array ? all : all.at(0); };
    body["translatedText"] = shaped(translations);
    if (how_.alternatives > 0) body["alternatives"] = shaped(alternatives);
    if (how_.detected) body["detectedLanguage"] = shaped(languages);
    return json_answer(body);
  }

 private:
  // A text that comes back as it is, is HTML already.
  std::string translation_of(size_t text, size_t rank) const {
    std::string translation = document().translation(text, translations(), rank);
    const bool escapes = how_.format == TextFormat::html && options().models[text];
    return escapes ? escape_html(translation) : translation;
  }

  // Other translations of a text, different from the first and from each other.
  ordered_json alternatives_of(size_t text) const {
    const auto [begin, end] = document().lines_of(text);
    size_t ranks = 0;
    for (size_t i = begin; i < end; ++i) ranks = std::max(ranks, translations()[i].size());
    std::vector<std::string> seen = {translation_of(text, 0)};
    for (size_t rank = 1; rank < ranks && int64_t(seen.size()) <= how_.alternatives; ++rank) {
      std::string other = translation_of(text, rank);
      if (std::find(seen.begin(), seen.end(), other) == seen.end())
        seen.push_back(std::move(other));
    }
    return std::vector<std::string>(seen.begin() + 1, seen.end());
  }

  const AnswerOptions how_;
};

// Searches for so many translations besides the best one, which is that of a request without
// alternatives: a larger beam, or more samples, are a search of their own.
void add_alternatives(DocumentOptions& document, int64_t alternatives) {
  SearchOptions& search = document.decode.search;
  const int64_t wanted = alternatives + 1;
  if (!search.sample) search.nbest = std::min(wanted, search.beam_size());
  if (search.nbest == wanted) return;
  document.more = search;
  document.more->nbest = wanted;
  if (!search.sample) document.more->beam = wanted;
}

void add_code(std::vector<std::string>& codes, const std::string& code) {
  if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
}

std::vector<std::string> source_codes(const ServedModels& models) {
  std::vector<std::string> codes;
  for (const auto& model : models.all()) add_code(codes, model->languages().source);
  return codes;
}

// Of sources, then of targets.
std::vector<std::string> all_codes(const ServedModels& models) {
  std::vector<std::string> codes = source_codes(models);
  for (const auto& model : models.all()) add_code(codes, model->languages().target);
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
  AnswerOptions how = {.array = texts.array};
  how.alternatives = call.parameters.integer("alternatives", 0, 0, options.max_hypotheses - 1);
  how.format = format_of(call.parameters, texts.texts);
  ModelChoice choice(call.api.models, call.parameters.text("source"),
                     call.parameters.text("target"));
  if (choice.detects()) how.detected.emplace();
  DocumentOptions document;
  document.decode.search = options.search;
  add_alternatives(document, how.alternatives);
  const ApiClient& client = call;  // is copied: the request is gone when the models are known
  choose_models(client, std::move(choice), std::move(texts.texts),
                [client, how = std::move(how), document = std::move(document)](
                    std::vector<std::string> all, const ChosenModels& chosen) mutable {
                  for (const ChosenModel& text : chosen.texts) {
                    document.models.push_back(text.model);
                    if (how.detected) how.detected->push_back(*text.detected);
                  }
                  DocumentCall::start(
                      client, std::make_shared<TranslateCall>(client, std::move(all),
                                                              std::move(document), std::move(how)));
                });
}

HttpResponse detect(const ApiCall& call) {
  std::string all;
  for (const std::string& text : texts_of(call.parameters).texts) {
    if (all.size() >= kMostDetectedBytes) break;
    all += text + "\n";
  }
  std::vector<DetectedLanguage> languages = detect_language(all, all_codes(call.api.models));
  // Clients expect one at least.
  if (languages.empty()) languages.push_back({source_codes(call.api.models).front(), 0});
  ordered_json body = ordered_json::array();
  for (const DetectedLanguage& language : languages) body.push_back(language_json(language));
  return json_answer(body);
}

HttpResponse languages(const Api& api) {
  ordered_json body = ordered_json::array();
  for (const std::string& code : source_codes(api.models)) {
    ordered_json language = language_json(code);
    language["targets"] = ordered_json::array();
    for (const auto& model : api.models.all())
      if (model->languages().source == code)
        language["targets"].push_back(model->languages().target);
    body.push_back(std::move(language));
  }
  return json_answer(body);
}

HttpResponse frontend_settings(const Api& api) {
  const ServeOptions& options = api.options;
  const LanguagePair first = api.models.all().front()->languages();
  const bool keys = options.api_keys.has_value();
  return json_answer(
      {{"apiKeys", keys},
       {"attentionLimit", options.max_attention},
       {"charLimit", options.max_characters > 0 ? options.max_characters : -1},
       {"filesTranslation", false},
       {"frontendTimeout", 500},
       {"keyRequired", keys},
       {"language",
        {{"source", language_json(first.source)}, {"target", language_json(first.target)}}},
       {"suggestions", false},
       {"supportedFilesFormat", ordered_json::array()}});
}

}  // namespace heed::libretranslate
