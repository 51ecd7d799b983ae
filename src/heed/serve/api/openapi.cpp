#include <algorithm>
#include <cmath>
#include <map>

#include "heed/core/version.h"
#include "heed/decode/alignment.h"
#include "heed/documents/formatted_document.h"
#include "heed/serve/api/handlers.h"
#include "heed/text/sentences.h"

namespace heed {
namespace {

using nlohmann::ordered_json;

constexpr const char* kTextHelp = "What to translate";

ordered_json reference(const char* schema) {
  return {{"$ref", fmt::format("#/components/schemas/{}", schema)}};
}

ordered_json typed(const char* type, std::string_view description = "") {
  ordered_json schema = {{"type", type}};
  if (!description.empty()) schema["description"] = description;
  return schema;
}

ordered_json text(std::string_view description = "") {
  return typed("string", description);
}

ordered_json array_of(const ordered_json& items) {
  return {{"type", "array"}, {"items", items}};
}

ordered_json one_or_many_texts(std::string_view description) {
  return {{"description", description}, {"oneOf", {text(), array_of(text())}}};
}

template <class Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& [name, value] : enum_names(Enum{})) names.emplace_back(name);
  return names;
}

ordered_json choice(const std::vector<std::string>& names, std::string_view description) {
  ordered_json schema = text(description);
  schema["enum"] = names;
  return schema;
}

// The JSON schema of an option.
ordered_json option_schema(const Option& option) {
  static const std::map<OptionKind, const char*> kTypes = {{OptionKind::flag, "boolean"},
                                                           {OptionKind::integer, "integer"},
                                                           {OptionKind::number, "number"},
                                                           {OptionKind::text, "string"},
                                                           {OptionKind::choice, "string"}};
  ordered_json schema = typed(kTypes.at(option.kind), option.info.help);
  const auto bound = [&](const char* name, double value) {
    if (!std::isfinite(value)) return;
    if (option.kind == OptionKind::integer)
      schema[name] = int64_t(value);
    else
      schema[name] = value;
  };
  bound("minimum", option.info.minimum);
  bound("maximum", option.info.maximum);
  bound("exclusiveMinimum", option.info.above);
  bound("exclusiveMaximum", option.info.below);
  if (option.kind == OptionKind::choice) schema["enum"] = option.choices;
  return schema;
}

ordered_json object_schema(const ordered_json& properties,
                           const std::vector<std::string>& required = {}) {
  ordered_json schema = {{"type", "object"}, {"properties", properties}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

// The parameters of a request: any that is not required may also be null, which counts as missing.
ordered_json parameters_schema(ordered_json properties, const std::vector<std::string>& required) {
  properties["api_key"] = {{"description", "Ignored where the server needs none"}};
  for (auto& [name, schema] : properties.items()) {
    if (std::ranges::find(required, name) != required.end()) continue;
    if (schema.contains("type")) schema["type"] = {schema["type"], "null"};
    if (schema.contains("enum")) schema["enum"].push_back(nullptr);
  }
  return object_schema(properties, required);
}

ordered_json language_properties() {
  return {{"source", text("Code of the source language, such as zh, zh-Hans or zh_CN; auto: the "
                          "language of each text is detected")},
          {"target", text("Code of the target language")}};
}

using VisitSearch = void (*)(SearchOptions&, OptionCollector&);

// Adds the options of the search.
void add_search(const ServeOptions& options, VisitSearch visit, ordered_json& properties) {
  SearchOptions search = options.search;
  Options all;
  OptionCollector collector(all);
  visit(search, collector);
  for (const Option& option : all) {
    ordered_json schema = option_schema(option);
    if (option.name == "beam" || option.name == "nbest" || option.name == "beam_groups")
      schema["maximum"] = options.max_hypotheses;
    properties[option.name] = std::move(schema);
  }
}

// The schema of parameters, others than which are refused.
ordered_json closed_request(const ordered_json& properties,
                            const std::vector<std::string>& required) {
  ordered_json schema = parameters_schema(properties, required);
  schema["additionalProperties"] = false;
  return schema;
}

// A request for translations, with the options of the search, which follow its own parameters.
ordered_json search_request(const ServeOptions& options, const ordered_json& translated,
                            std::string_view split_help, const ordered_json& others) {
  ordered_json properties = {{"text", translated}};
  properties.update(language_properties());
  properties["split"] = choice(names_of<TextUnit>(), split_help);
  properties["prefix"] = text("Forced beginning of the translation of one sentence or line");
  properties["terms"] = text(
      "Words of the texts and what they must be called, as lines of the file of heed translate "
      "--terms: a source, a tab, and its forms in the translation separated by |");
  properties.update(others);
  properties["api_key"] = {};  // its place; parameters_schema() sets it
  add_search(options, SearchOptions::visit, properties);
  return closed_request(properties, {"text"});
}

// A request of which each text has a result of its own: the parameter `field` has the texts.
ordered_json result_request(const char* field, std::string_view help,
                            const ordered_json& others = ordered_json::object()) {
  ordered_json properties = {{field, one_or_many_texts(help)}};
  properties["model"] = text("Name of the model (/v1/models), needed where several have the task");
  properties.update(others);
  return closed_request(properties, {field});
}

ordered_json generate_request(const ServeOptions& options) {
  ordered_json search = ordered_json::object();
  add_search(options, SearchOptions::visit_to_generate, search);
  return result_request("prompt", "Texts to continue; an empty one begins a text", search);
}

ordered_json parse_request(const ServeOptions& options) {
  ordered_json search = ordered_json::object();
  add_search(options, SearchOptions::visit_to_parse, search);
  return result_request("text", "Sentences, their words separated by white space", search);
}

// The answer to it: a result for each text, in order.
ordered_json result_answer(const ordered_json& properties,
                           const std::vector<std::string>& required) {
  ordered_json result = properties;
  result["status"] = text("ok, or what happened to the text");
  result["unknown_characters"] = array_of(text());
  std::vector<std::string> all = required;
  all.emplace_back("status");
  return object_schema(
      {{"model", text("Name of the model")}, {"results", array_of(object_schema(result, all))}},
      {"model", "results"});
}

// That of a search, whose hypotheses have their text in the field of this name.
ordered_json hypotheses_answer(const char* name) {
  ordered_json hypothesis = {{name, text()},
                             {"score", typed("number", "Log-probability over the length penalty")},
                             {"pieces", array_of(text())}};
  const std::vector<std::string> required = {name, "score", "pieces"};
  ordered_json result = hypothesis;
  result["nbest"] = array_of(object_schema(hypothesis, required));
  return result_answer(result, required);
}

ordered_json models_answer() {
  const ordered_json model = object_schema(
      {{"name", text()},
       {"task", choice(names_of<LearningTask>(), "Task of heed train")},
       {"path", text("Path that answers with this model")},
       {"source", text("Code of the source language")},
       {"target", text("Code of the target language")},
       {"alignments", typed("boolean", "Whether words of its translations can be aligned")},
       {"examples", array_of(text("A line of the kind that the model was trained on"))}},
      {"name", "task", "path"});
  return object_schema({{"models", array_of(model)}}, {"models"});
}

ordered_json translate_request(const ServeOptions& options) {
  return search_request(
      options, one_or_many_texts(kTextHelp), "Unit of translation",
      {{"alignments", choice(names_of<Alignments>(),
                             "Which source and target words, or tokens, belong together")},
       {"probabilities", typed("boolean", "Whether to give the log-probability of each token")},
       {"stream", typed("boolean", "Whether to answer by server-sent events")}});
}

ordered_json attention_request(const ServeOptions& options) {
  ordered_json translated = text(kTextHelp);
  translated["maxLength"] = options.max_attention;
  return search_request(
      options, translated, "Unit of translation; each is a row of the page",
      {{"page_language", choice({"en", "zh"}, "Language of the page; by the browser if missing")},
       {"page_theme", choice({"light", "dark"}, "Theme of the page; by the browser if missing")}});
}

ordered_json hypothesis_properties() {
  return {{"translation", text()},
          {"score", typed("number", "Log-probability over the length penalty")},
          {"pieces", array_of(text())},
          {"log_probabilities", array_of(typed("number"))},
          {"alignment", array_of(array_of(typed("integer")))},
          {"attention", array_of(array_of(typed("number")))},
          {"attention_offsets", array_of(typed("integer"))}};
}

ordered_json score_request() {
  return closed_request({{"source_text", one_or_many_texts("Source sentences")},
                         {"target_text", one_or_many_texts("Their translations")},
                         {"source", text()},
                         {"target", text()}},
                        {"source_text", "target_text"});
}

ordered_json translate_answer() {
  const ordered_json hypothesis =
      object_schema(hypothesis_properties(), {"translation", "score", "pieces"});
  ordered_json sentence = hypothesis_properties();
  sentence["before"] = text("White space before it");
  sentence["source"] = text();
  sentence["status"] = text("ok, or what happened to the sentence");
  sentence["confidence"] =
      typed("number",
            "Probability that the translation is good, of a model that heed calibrate measured");
  sentence["source_pieces"] = array_of(text());
  sentence["nbest"] = array_of(hypothesis);
  ordered_json detected = object_schema({{"language", text()}, {"confidence", typed("number")}},
                                        {"language", "confidence"});
  detected["description"] = "Of a text whose language was detected";
  const ordered_json translation = object_schema(
      {{"text", text("The whole translation")},
       {"detected", detected},
       {"sentences",
        array_of(object_schema(sentence, {"before", "source", "translation", "score", "status"}))},
       {"after", text("White space at the end")}},
      {"text", "sentences", "after"});
  return object_schema({{"source", text("auto if the texts are in several languages")},
                        {"target", text()},
                        {"translations", array_of(translation)}},
                       {"source", "target", "translations"});
}

ordered_json token_event() {
  return object_schema({{"text", typed("integer", "Index of the text")},
                        {"sentence", typed("integer", "Index of the sentence in its text")},
                        {"hypothesis", typed("integer", "Number of the sample; 0 in beam search")},
                        {"piece", text("The token that is added, if any")},
                        {"delta", text("The text that is added")},
                        {"translation", text("The text so far; only if it has grown")}},
                       {"text", "sentence", "hypothesis", "delta"});
}

ordered_json schemas(const ServeOptions& options) {
  ordered_json alternatives = typed("integer", "How many other translations to give at most");
  alternatives["minimum"] = 0;
  alternatives["maximum"] = options.max_hypotheses - 1;
  ordered_json libretranslate = {{"q", one_or_many_texts(kTextHelp)}};
  libretranslate.update(language_properties());
  std::vector<std::string> formats = {"text"};
  for (const auto& [name, format] : enum_names(DocumentFormat())) formats.emplace_back(name);
  libretranslate["format"] =
      choice(formats, "Of each text; all but text are documents, of which the text is translated");
  libretranslate["alternatives"] = alternatives;
  const ordered_json detected = object_schema(
      {{"confidence", typed("number")}, {"language", text()}}, {"confidence", "language"});
  const ordered_json language =
      object_schema({{"code", text()}, {"name", text()}, {"targets", array_of(text())}},
                    {"code", "name", "targets"});
  const ordered_json score = object_schema({{"log_probability", typed("number")},
                                            {"tokens", typed("integer")},
                                            {"status", text()},
                                            {"pieces", array_of(text())},
                                            {"log_probabilities", array_of(typed("number"))}});
  return {
      {"Error", object_schema({{"error", text()}}, {"error"})},
      {"LibreTranslateRequest", parameters_schema(libretranslate, {"q", "source", "target"})},
      {"LibreTranslateAnswer",
       object_schema({{"translatedText", one_or_many_texts("The translation")},
                      {"alternatives", typed("array")},
                      {"detectedLanguage", {{"oneOf", {detected, array_of(detected)}}}}},
                     {"translatedText"})},
      {"DetectRequest",
       parameters_schema({{"q", one_or_many_texts("Text to detect the language of")}}, {"q"})},
      {"Detected", array_of(detected)},
      {"Languages", array_of(language)},
      {"TranslateRequest", translate_request(options)},
      {"TranslateAnswer", translate_answer()},
      {"TokenEvent", token_event()},
      {"AttentionRequest", attention_request(options)},
      {"GenerateRequest", generate_request(options)},
      {"GenerateAnswer", hypotheses_answer("text")},
      {"ParseRequest", parse_request(options)},
      {"ParseAnswer", hypotheses_answer("tree")},
      {"TagRequest", result_request("text", "Lines to tag, their words separated by white space")},
      {"TagAnswer", result_answer({{"words", array_of(text())},
                                   {"labels", array_of(text())},
                                   {"probabilities", array_of(typed("number"))}},
                                  {"words", "labels", "probabilities"})},
      {"ClassifyRequest", result_request("text", "Lines to classify")},
      {"ClassifyAnswer", result_answer({{"label", text()}, {"probability", typed("number")}},
                                       {"label", "probability"})},
      {"Models", models_answer()},
      {"ScoreRequest", score_request()},
      {"ScoreAnswer",
       object_schema({{"source", text()}, {"target", text()}, {"scores", array_of(score)}},
                     {"source", "target", "scores"})},
  };
}

ordered_json content(const char* type, const ordered_json& schema) {
  return {{type, {{"schema", schema}}}};
}

// The answers that every path has, with this one.
ordered_json responses(const ordered_json& answer) {
  ordered_json all = {{"200", {{"description", "The answer"}, {"content", answer}}}};
  static const std::vector<std::pair<const char*, const char*>> kErrors = {
      {"400", "Parameters that are missing or not allowed"},
      {"401", "The server needs an API key"},
      {"403", "An unknown API key, host or origin"},
      {"405", "Another method"},
      {"413", "A body over the limit, or more text than the API key may send in a minute"},
      {"415", "Another type of content"},
      {"429", "Too many requests; Retry-After says when to try again"},
      {"500", "An error of heed"},
      {"503", "The server is stopping, or has no memory left"},
      {"504", "The request took too long"}};
  for (const auto& [status, meaning] : kErrors)
    all[status] = {{"description", meaning},
                   {"content", content("application/json", reference("Error"))}};
  return all;
}

ordered_json get_path(const char* summary, const ordered_json& content) {
  return {{"get", {{"summary", summary}, {"responses", responses(content)}}}};
}

ordered_json post_path(const char* summary, const ordered_json& body, const ordered_json& answer) {
  return {{"post",
           {{"summary", summary},
            {"requestBody", {{"required", true}, {"content", body}}},
            {"responses", responses(answer)}}}};
}

ordered_json paths() {
  const auto json = [](const char* schema) {
    return content("application/json", reference(schema));
  };
  const auto json_or_form = [&](const char* schema) {
    ordered_json both = json(schema);
    both.update(content("application/x-www-form-urlencoded", reference(schema)));
    both.update(content("multipart/form-data", reference(schema)));
    return both;
  };
  ordered_json streamed = json("TranslateAnswer");
  streamed.update(
      content("text/event-stream", {{"description",
                                     "With stream: the events token (TokenEvent), sentence, "
                                     "done (TranslateAnswer) and error (Error)"}}));
  const ordered_json status =
      content("application/json", object_schema({{"status", text()}}, {"status"}));
  return {
      {"/translate",
       post_path("Translates, with LibreTranslate's parameters",
                 json_or_form("LibreTranslateRequest"), json("LibreTranslateAnswer"))},
      {"/detect",
       post_path("Detects the language", json_or_form("DetectRequest"), json("Detected"))},
      {"/languages", get_path("The languages of the models", json("Languages"))},
      {"/frontend/settings",
       get_path("LibreTranslate's settings", content("application/json", typed("object")))},
      {"/v1/translate", post_path("Translates, with every option of the search",
                                  json("TranslateRequest"), streamed)},
      {"/v1/generate", post_path("Continues texts with a language model", json("GenerateRequest"),
                                 json("GenerateAnswer"))},
      {"/v1/tag",
       post_path("Labels each word of lines with a tagger", json("TagRequest"), json("TagAnswer"))},
      {"/v1/classify", post_path("Labels lines with a classifier", json("ClassifyRequest"),
                                 json("ClassifyAnswer"))},
      {"/v1/parse",
       post_path("Parses sentences into trees", json("ParseRequest"), json("ParseAnswer"))},
      {"/v1/models", get_path("The models and their tasks", json("Models"))},
      {"/v1/score", post_path("The log-probabilities of given translations", json("ScoreRequest"),
                              json("ScoreAnswer"))},
      {"/v1/attention",
       post_path("A page of how a text is translated: its attention, probabilities and search",
                 json("AttentionRequest"), content("text/html", text()))},
      {"/health", get_path("Whether the server runs", status)},
      {"/ready", get_path("Whether the server takes requests", status)},
      {"/metrics", get_path("Metrics for Prometheus", content("text/plain", text()))},
  };
}

}  // namespace

ordered_json openapi_document(const ServeOptions& options) {
  ordered_json offered = paths();
  if (options.max_attention == 0) offered.erase("/v1/attention");
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "heed"}, {"version", version()}}},
          // Where the document is: also below a proxy's path.
          {"servers", {{{"url", "."}}}},
          {"paths", offered},
          {"components", {{"schemas", schemas(options)}}}};
}

const ordered_json& request_schema(const ordered_json& document, const std::string& path) {
  const ordered_json& content =
      document.at("paths").at(path).at("post").at("requestBody").at("content");
  const auto place = content.at("application/json").at("schema").at("$ref").get<std::string>();
  return document.at(ordered_json::json_pointer(place.substr(1)));  // after '#'
}

}  // namespace heed
