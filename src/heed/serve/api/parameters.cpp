#include "heed/serve/api/parameters.h"

#include <algorithm>

#include "heed/core/ascii.h"
#include "heed/core/strict_json.h"

namespace heed {
namespace {

// A text takes memory even if it is empty.
constexpr size_t kMaxTexts = 65536;

// "application/json" of "application/JSON; charset=utf-8".
std::string media_type(const HttpRequest& request) {
  std::string_view type = request.header("content-type");
  return lower_ascii(take_element(type, ';'));
}

nlohmann::json of_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [name, value] : pairs) {
    nlohmann::json& field = object[name];
    if (field.is_null()) {
      field = value;
    } else {
      if (!field.is_array()) field = nlohmann::json::array({field});
      field.push_back(value);
    }
  }
  return object;
}

// The texts of a form's field that is an array of them in JSON; nothing for any other text, also
// if it has brackets.
std::optional<nlohmann::json> array_of_texts(const std::string& field) {
  const size_t begin = field.find_first_not_of(" \t\r\n"), end = field.find_last_not_of(" \t\r\n");
  if (begin == field.npos || field[begin] != '[' || field[end] != ']') return {};
  try {
    nlohmann::json array = detail::parse_json(field, "the field");
    for (const nlohmann::json& item : array)
      if (!item.is_string()) return {};
    return array;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

Parameters Parameters::of(const HttpRequest& request, const nlohmann::ordered_json& schema) {
  const std::string type = media_type(request);
  if (type == "application/json") {
    nlohmann::json object = detail::parse_json(request.body, "the body");
    if (!object.is_object()) throw HttpError(400, "the body: expected a JSON object");
    return {std::move(object), Kind::json, schema};
  }
  const auto form = [&](const auto& pairs) {
    return Parameters(of_pairs(pairs), Kind::form, schema);
  };
  if (type == "multipart/form-data")
    return form(parse_multipart(request.header("content-type"), request.body));
  if (type == "application/x-www-form-urlencoded" && !request.body.empty())
    return form(parse_query(request.body));
  if (!request.body.empty())
    throw HttpError(415,
                    "Content-Type: expected application/json, application/x-www-form-urlencoded or "
                    "multipart/form-data");
  return form(parse_query(request.query));
}

const nlohmann::json* Parameters::find(const char* name) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void Parameters::refuse_others() const {
  std::vector<std::string> names;
  for (const auto& [name, schema] : properties_.items()) names.push_back(name);
  for (const auto& [name, value] : object_.items())
    if (!properties_.contains(name))
      throw HttpError(400, fmt::format("unknown field {}: expected {}", detail::quote(name),
                                       fmt::join(names, ", ")));
}

bool Parameters::has(const char* name) const {
  return find(name) != nullptr;
}

std::string Parameters::text(const char* name) const {
  const nlohmann::json* value = find(name);
  if (!value) return {};
  if (!value->is_string()) throw HttpError(400, fmt::format("{}: expected a text", name));
  return value->get<std::string>();
}

std::optional<Parameters::Texts> Parameters::texts(const char* name) const {
  const nlohmann::json* value = find(name);
  if (!value) return {};
  std::optional<nlohmann::json> of_form;
  if (value->is_string()) {
    if (kind_ == Kind::form) of_form = array_of_texts(value->get_ref<const std::string&>());
    if (!of_form) return Texts{{value->get<std::string>()}, false};
    value = &*of_form;
  }
  if (!value->is_array())
    throw HttpError(400, fmt::format("{}: expected a text or an array", name));
  if (value->size() > kMaxTexts)
    throw HttpError(400, fmt::format("{}: expected at most {} texts in a request, got {}", name,
                                     kMaxTexts, value->size()));
  Texts all{{}, true};
  for (const nlohmann::json& item : *value) {
    if (!item.is_string())
      throw HttpError(400, fmt::format("{}: expected an array of texts", name));
    all.texts.push_back(item.get<std::string>());
  }
  return all;
}

std::optional<int64_t> Parameters::integer(const char* name) const {
  const nlohmann::json* value = find(name);
  if (!value) return {};
  const auto bound = [&](const char* key) { return properties_.at(name).at(key).get<int64_t>(); };
  const int64_t minimum = bound("minimum"), maximum = bound("maximum");
  if (value->is_number_integer() || value->is_string()) {
    const std::string text = value->is_string() ? value->get<std::string>() : value->dump();
    if (const auto number = whole_number(text, minimum, maximum)) return number;
  }
  throw HttpError(400, fmt::format("{}: expected a whole number from {} to {}, got {}", name,
                                   minimum, maximum, detail::quote(*value)));
}

bool Parameters::flag(const char* name) const {
  const nlohmann::json* value = find(name);
  if (!value) return false;
  if (value->is_boolean()) return value->get<bool>();
  const std::string text = value->is_string() ? value->get<std::string>() : "neither";
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0" || text.empty()) return false;
  throw HttpError(400,
                  fmt::format("{}: expected true or false, got {}", name, detail::quote(*value)));
}

std::string Parameters::choice(const char* name) const {
  if (!has(name)) return {};
  const std::string given = text(name);
  std::vector<std::string> names;
  for (const auto& one : properties_.at(name).at("enum"))
    if (one.is_string()) names.push_back(one.get<std::string>());  // null counts as missing
  for (const std::string& one : names)
    if (names_choice(given, one)) return one;
  throw HttpError(400, fmt::format("{}: expected one of {}", name, fmt::join(names, ", ")));
}

SearchOptions Parameters::search(const ServeOptions& options) const {
  SearchOptions search = options.search;
  const Options known = options_of(search);
  const auto is_other = [&](const std::string& name) {
    return properties_.contains(name) && !find_option(known, name);
  };
  nlohmann::json named = nlohmann::json::object();
  for (const auto& [name, value] : object_.items()) {
    if (value.is_null() || is_other(name)) continue;
    // No option of the search has several values, which from_json() would read from a list.
    if (value.is_array())
      throw HttpError(400,
                      fmt::format("{}: expected one value, got {}", name, detail::quote(value)));
    named[name] = value;
  }
  if (flag("sample")) search.beam.reset();
  from_json(search, named.dump(), "the request");
  check_options(search);
  if (search.hypothesis_count() > options.max_hypotheses)
    throw HttpError(400,
                    fmt::format("{}: expected at most {}, got {}", search.sample ? "nbest" : "beam",
                                options.max_hypotheses, search.hypothesis_count()));
  return search;
}

std::shared_ptr<const TermList> Parameters::terms() const {
  const std::string given = text("terms");
  if (given.empty()) return nullptr;
  try {
    return std::make_shared<const TermList>(TermList::parse(given, "terms"));
  } catch (const Error& error) {
    throw HttpError(400, error.what());
  }
}

}  // namespace heed
