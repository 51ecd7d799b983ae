#include "heed/serve/api/search_parameters.h"

#include <algorithm>

#include "heed/core/strict_json.h"

namespace heed {

SearchOptions search_of(const Parameters& parameters, const ServeOptions& options,
                        std::initializer_list<std::string_view> others) {
  SearchOptions search = options.search;
  nlohmann::json named = nlohmann::json::object();
  for (const auto& [name, value] : parameters.object().items()) {
    if (value.is_null() || std::find(others.begin(), others.end(), name) != others.end()) continue;
    // Of a list, from_json() would take the values of an option that has several: none has here.
    if (value.is_array())
      throw HttpError(400,
                      fmt::format("{}: expected one value, got {}", name, detail::quote(value)));
    named[name] = value;
  }
  if (parameters.flag("sample")) search.beam.reset();
  from_json(search, named.dump(), "the request");
  check_options(search);
  if (search.hypothesis_count() > options.max_hypotheses)
    throw HttpError(400,
                    fmt::format("{}: expected at most {}, got {}", search.sample ? "nbest" : "beam",
                                options.max_hypotheses, search.hypothesis_count()));
  return search;
}

}  // namespace heed
