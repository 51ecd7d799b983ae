// LibreTranslate's API (https://docs.libretranslate.com), so that its clients can use heed.
#pragma once

#include "heed/serve/api/api.h"

namespace heed::libretranslate {

// POST /translate: q (a text or an array), source ("auto"), target, alternatives, format ("text",
// or "html" without mark-up).
void translate(const ApiCall& call);
// POST /detect: q.
HttpResponse detect(const ApiCall& call);
// GET /languages and /frontend/settings.
HttpResponse languages(const Api& api);
HttpResponse frontend_settings(const Api& api);

}  // namespace heed::libretranslate
