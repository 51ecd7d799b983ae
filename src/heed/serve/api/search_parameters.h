// Parameters of requests that search for translations. Private to the sources of the server.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "heed/serve/api/api_error.h"
#include "heed/serve/api/parameters.h"
#include "heed/serve/options.h"

namespace heed {

// The parameter of this name as one of an enum's; `missing` where it is missing. HttpError 400 for
// another text.
template <class Choice>
Choice choice_of(const Parameters& parameters, const char* name, Choice missing) {
  if (!parameters.has(name)) return missing;
  Choice value = missing;
  if (!from_text(parameters.text(name), {}, value)) {
    std::string names;
    for (const auto& [known, item] : enum_names(Choice{}))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", known);
    throw HttpError(400, fmt::format("{}: expected one of {}", name, names));
  }
  return value;
}

// The server's search options with those that the request names. `others` are its parameters that
// are no options of the search. Errors are those of from_json() and check_options(); HttpError 400
// for more hypotheses than a request may ask for.
SearchOptions search_of(const Parameters& parameters, const ServeOptions& options,
                        std::initializer_list<std::string_view> others);

}  // namespace heed
