#include <algorithm>

#include "heed/core/utf8.h"
#include "heed/decode/pair_aligner.h"
#include "heed/documents/formatted_document.h"
#include "heed/serve/api/document_call.h"
#include "heed/serve/api/handlers.h"
#include "heed/serve/api/parameters.h"

namespace heed::libretranslate {
namespace {

using nlohmann::ordered_json;

// The text or texts of `q`. HttpError 400 if it is missing.
Parameters::Texts texts_of(const Parameters& parameters) {
  const auto texts = parameters.texts("q");
  if (!texts) throw HttpError(400, "Invalid request: missing q parameter");
  return *texts;
}

// The format of the texts; nothing for plain text. HttpError 400 for an unknown one.
std::optional<DocumentFormat> format_of(const Parameters& parameters) {
  const std::string format = parameters.text("format");
  if (format.empty() || format == "text") return {};
  if (const auto known = document_format(format)) return known;
  throw HttpError(400, fmt::format("{} format is not supported: expected one of text, {}",
                                   excerpt(format), document_format_names()));
}

ordered_json language_json(const DetectedLanguage& language) {
  return {{"confidence", language.confidence}, {"language", language.code}};
}

struct AnswerOptions {
  bool array = false;  // whether the texts came as an array
  int64_t alternatives = 0;
};

// The answer, of which each part is a list with an element for each text, or that of the only text.
// `languages` are null if they were given.
HttpResponse answer_of(const AnswerOptions& options, const ordered_json& translations,
                       const ordered_json& alternatives, const ordered_json& languages) {
  const auto shaped = [&](const ordered_json& all) { return options.array ? all : all.at(0); };
  ordered_json body;
  body["translatedText"] = shaped(translations);
  if (options.alternatives > 0) body["alternatives"] = shaped(alternatives);
  if (!languages.is_null()) body["detectedLanguage"] = shaped(languages);
  return json_answer(body);
}

class TranslateCall : public DocumentCall {
 public:
  TranslateCall(const ApiClient& client, std::vector<std::string> texts, DocumentOptions options,
                const AnswerOptions& answer)
      : DocumentCall(client, std::move(texts), std::move(options)), answer_(answer) {}

 protected:
  HttpResponse answer() const override {
    const bool detects = options().chosen.detects;
    ordered_json translations = ordered_json::array(), alternatives = translations, languages;
    if (detects) languages = ordered_json::array();
    for (size_t i = 0; i < document().texts(); ++i) {
      translations.push_back(translation_of(i, 0));
      alternatives.push_back(alternatives_of(i));
      if (detects) languages.push_back(language_json(*options().chosen.texts[i].detected));
    }
    return answer_of(answer_, translations, alternatives, languages);
  }

 private:
  std::string translation_of(size_t text, size_t rank) const {
    return document().translation(text, translations(), rank);
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

using FormattedDocuments = std::vector<std::shared_ptr<const FormattedDocument>>;

// The texts of all documents, one after the other, each with the model of its document.
struct TextsOfDocuments {
  std::vector<std::string> texts;
  std::vector<ChosenModel> models;
};

TextsOfDocuments texts_of(const FormattedDocuments& documents, const ChosenModels& chosen) {
  TextsOfDocuments all;
  for (size_t i = 0; i < documents.size(); ++i)
    for (const MarkedText& text : documents[i]->texts()) {
      all.texts.push_back(text.text);
      all.models.push_back({chosen.texts[i].model});
    }
  return all;
}

// Translates the texts of documents, with the attention that places their tags.
class FormattedCall : public DocumentCall {
 public:
  // `texts` and `options` are those of texts_of(); `detected` are the languages of the documents,
  // or empty.
  FormattedCall(const ApiClient& client, std::vector<std::string> texts, DocumentOptions options,
                const AnswerOptions& answer, FormattedDocuments documents,
                std::vector<DetectedLanguage> detected)
      : DocumentCall(client, std::move(texts), std::move(options)),
        answer_(answer),
        documents_(std::move(documents)),
        detected_(std::move(detected)),
        links_(document().lines().size()) {}

 protected:
  size_t keep(const Translation& translation) override {
    if (translation.hypotheses.front().attention.empty()) return 0;
    std::vector<AlignedPair>& links = links_[size_t(translation.line)];
    links = aligned_pairs(translation, translation.hypotheses.front(), AlignmentUnit::words);
    return links.capacity() * sizeof(AlignedPair);
  }

  HttpResponse answer() const override {
    ordered_json translations = ordered_json::array(), alternatives = translations, languages;
    if (options().chosen.detects) languages = ordered_json::array();
    size_t text = 0;
    for (const auto& one : documents_) {
      std::vector<TranslatedText> translated;
      for (size_t i = 0; i < one->texts().size(); ++i)
        translated.push_back(translated_text(text++));
      translations.push_back(one->with(translated));
      alternatives.push_back(ordered_json::array());  // of a document there are none
    }
    for (const DetectedLanguage& language : detected_) languages.push_back(language_json(language));
    return answer_of(answer_, translations, alternatives, languages);
  }

 private:
  // The links of a text are those of its sentences, whose words follow each other.
  TranslatedText translated_text(size_t text) const {
    TranslatedText made{document().translation(text, translations(), 0)};
    const auto [begin, end] = document().lines_of(text);
    int64_t source = 0, target = 0;
    for (size_t line = begin; line < end; ++line) {
      for (const AlignedPair& link : links_[line])
        made.links.push_back({source + link.source, target + link.target});
      source += TextUnits(document().lines()[line].source).count();
      target += TextUnits(translations()[line].front()).count();
    }
    return made;
  }

  const AnswerOptions answer_;
  const FormattedDocuments documents_;
  const std::vector<DetectedLanguage> detected_;
  std::vector<std::vector<AlignedPair>> links_;  // of each line
};

void translate_documents(const ApiCall& call, const std::vector<std::string>& texts,
                         DocumentFormat format, DocumentOptions options,
                         const AnswerOptions& answer) {
  constexpr size_t kBytesOfDocument = 64;  // for each byte that it has, at most
  for (const std::string& text : texts) options.bytes += kBytesOfDocument * text.size();
  call.exchange->hold(options.bytes);
  FormattedDocuments documents;
  std::vector<std::string> plain;  // from which languages are detected
  for (const std::string& text : texts) {
    documents.push_back(std::make_shared<const FormattedDocument>(text, format));
    std::string& all = plain.emplace_back();
    for (const MarkedText& part : documents.back()->texts()) all += part.text + "\n";
    for (const MarkedText& part : documents.back()->texts())
      options.decode.attention = options.decode.attention || !part.spans.empty();
  }
  choose_models(
      call, std::move(plain),
      [options, answer, documents](const ApiClient& client, const std::vector<std::string>&,
                                   const ChosenModels& chosen) mutable {
        std::vector<DetectedLanguage> detected;
        for (const ChosenModel& one : chosen.texts) {
          if (chosen.detects) detected.push_back(*one.detected);
          if (one.model && !one.model->aligns()) options.decode.attention = false;
        }
        auto [all, models] = texts_of(documents, chosen);
        options.chosen = chosen;
        options.chosen.texts = std::move(models);
        DocumentCall::start(client, std::make_shared<FormattedCall>(client, std::move(all), options,
                                                                    answer, documents, detected));
      });
}

// The codes of all sources, then those of targets.
std::vector<std::string> all_codes(
    const std::vector<std::shared_ptr<const ServedModel>>& translators) {
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
  DocumentOptions document;
  document.decode.search = options.search;
  if (const auto format = format_of(call.parameters))
    return translate_documents(call, texts.texts, *format, document, answer);
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
      LanguageDetector(all_codes(translators_of(call.api.models))).detect(all);
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
  // Clients take a target only from this list, so it has those from which no model translates.
  for (const std::string& code : all_codes(translators)) {
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
