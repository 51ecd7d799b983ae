#include "heed/serve/api/libretranslate.h"

#include <algorithm>

#include "heed/serve/api/api_error.h"
#include "heed/serve/api/document_call.h"
#include "heed/serve/api/json_answer.h"
#include "heed/serve/api/parameters.h"
#include "heed/serve/detect.h"
#include "heed/serve/languages.h"

namespace heed::libretranslate {
namespace {

using nlohmann::ordered_json;

// The texts of `q`, of which there must be one.
Parameters::Texts texts_of(const Parameters& parameters) {
  const auto texts = parameters.texts("q");
  if (!texts) throw ApiError(400, "Invalid request: missing q parameter");
  return *texts;
}

class TranslateCall : public DocumentCall {
 public:
  TranslateCall(const ApiCall& call, Parameters::Texts texts, DocumentOptions options,
                int64_t alternatives, std::optional<DetectedLanguage> detected)
      : DocumentCall(call, std::move(texts.texts), std::move(options)),
        array_(texts.array),
        alternatives_(alternatives),
        detected_(std::move(detected)) {}

 protected:
  HttpResponse answer() const override {
    ordered_json body;
    ordered_json translations = ordered_json::array(), alternatives = translations,
                 languages = translations;
    for (size_t i = 0; i < document().texts(); ++i) {
      translations.push_back(document().translation(i, this->translations(), 0));
      alternatives.push_back(alternatives_of(i));
      if (detected_)
        languages.push_back({{"confidence", detected_->confidence}, {"language", detected_->code}});
    }
    const auto shaped = [&](ordered_json all) { return array_ ? all : all.at(0); };
    body["translatedText"] = shaped(translations);
    if (alternatives_ > 0) body["alternatives"] = shaped(alternatives);
    if (detected_) body["detectedLanguage"] = shaped(languages);
    return json_answer(body);
  }

 private:
  // Other translations of a text, different from the first and from each other.
  ordered_json alternatives_of(size_t text) const {
    const auto [begin, end] = document().lines_of(text);
    size_t ranks = 0;
    for (size_t i = begin; i < end; ++i) ranks = std::max(ranks, translations()[i].size());
    std::vector<std::string> seen = {document().translation(text, translations(), 0)};
    for (size_t rank = 1; rank < ranks && int64_t(seen.size()) <= alternatives_; ++rank) {
      std::string other = document().translation(text, translations(), rank);
      if (std::find(seen.begin(), seen.end(), other) == seen.end())
        seen.push_back(std::move(other));
    }
    return std::vector<std::string>(seen.begin() + 1, seen.end());
  }

  const bool array_;
  const int64_t alternatives_;
  const std::optional<DetectedLanguage> detected_;
};

std::vector<std::string> source_codes(const ServedModels& models) {
  std::vector<std::string> codes;
  for (const auto& model : models.all()) {
    const std::string& code = model->languages().source;
    if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
  }
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
      throw ApiError(400, fmt::format("Invalid request: missing {} parameter", name));
  const std::string format = call.parameters.text("format");
  if (!format.empty() && format != "text")
    throw ApiError(400, fmt::format("format {} is not supported: expected text", format));
  check_characters(options, texts.texts);
  const int64_t alternatives =
      call.parameters.integer("alternatives", 0, 0, options.max_hypotheses - 1);
  const ChosenModel chosen = choose_model(call.api.models, call.parameters.text("source"),
                                          call.parameters.text("target"), texts.texts);
  DocumentOptions document;
  document.model = chosen.model;
  document.decode.search = options.search;
  SearchOptions& search = document.decode.search;
  if (alternatives > 0) {
    search.nbest = alternatives + 1;
    if (!search.sample) search.beam = std::max(search.beam_size(), search.nbest);
  }
  std::optional<DetectedLanguage> detected;
  if (chosen.confidence)
    detected = DetectedLanguage{chosen.model->languages().source, *chosen.confidence};
  DocumentCall::start(call,
                      std::make_shared<TranslateCall>(call, std::move(texts), std::move(document),
                                                      alternatives, std::move(detected)));
}

HttpResponse detect(const ApiCall& call) {
  ordered_json body = ordered_json::array();
  for (const DetectedLanguage& language :
       detect_source(texts_of(call.parameters).texts, source_codes(call.api.models)))
    body.push_back({{"confidence", language.confidence}, {"language", language.code}});
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
