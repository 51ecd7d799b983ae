// The functions that answer requests to the API, by path.
#pragma once

#include "heed/serve/api/api.h"

namespace heed {

// GET /openapi.json: an OpenAPI 3.1 document. Its schemas of requests are the table from which
// their parameters are checked; the options of the search are those of the option table.
nlohmann::ordered_json openapi_document(const ServeOptions& options);
// The schema of the requests to a path of the document, which are POST.
const nlohmann::ordered_json& request_schema(const nlohmann::ordered_json& document,
                                             const std::string& path);

// LibreTranslate's API (https://docs.libretranslate.com), so that its clients can use heed.
namespace libretranslate {

// POST /translate: q (a text or an array), source ("auto"), target, alternatives, format ("text",
// or "html").
void translate(const ApiCall& call);
// POST /detect: q.
void detect(const ApiCall& call);
// GET /languages and /frontend/settings.
HttpResponse languages(const Api& api);
HttpResponse frontend_settings(const Api& api);

}  // namespace libretranslate

// heed's own API: the models of all tasks, every option of the search, n-best lists, alignments,
// probabilities, streams, attention.
namespace v1 {

// POST /v1/translate.
void translate(const ApiCall& call);
// POST /v1/score.
void score(const ApiCall& call);
// POST /v1/attention: a page of how a text is translated.
void attention(const ApiCall& call);
// POST /v1/generate, /v1/parse, /v1/tag and /v1/classify: the JSON lines of the commands.
void generate(const ApiCall& call);
void parse(const ApiCall& call);
void tag(const ApiCall& call);
void classify(const ApiCall& call);
// GET /v1/models: names and tasks.
HttpResponse models(const Api& api);

}  // namespace v1
}  // namespace heed
