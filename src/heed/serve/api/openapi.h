// A description of the API for programs.
#pragma once

#include <string>

#include "heed/serve/options.h"

namespace heed {

// An OpenAPI 3.1 document. The options of the search are those of the option table.
std::string openapi_document(const ServeOptions& options);

}  // namespace heed
