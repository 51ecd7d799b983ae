#include "heed/serve/api/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "heed/core/strict_json.h"
#include "heed/serve/api/api_error.h"
#include "heed/serve/http/header_text.h"
#include "heed/serve/http/multipart.h"

namespace heed {
namespace {

// Each takes memory, also if it is empty.
constexpr size_t kMostTexts = 65536;

// "application/json" of "application/JSON; charset=utf-8".
std::string media_type(const HttpRequest& request) {
  std::string_view type = request.header("content-type");
  return detail::lower_ascii(detail::take_element(type, ';'));
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

Parameters Parameters::of(const HttpRequest& request) {
  const std::string type = media_type(request);
  if (type == "application/json") {
    nlohmann::json object = detail::parse_json(request.body, "the body");
    if (!object.is_object()) throw HttpError(400, "the body: expected a JSON object");
    return {std::move(object), Kind::json};
  }
  if (type == "multipart/form-data")
    return {of_pairs(parse_multipart(request.header("content-type"), request.body)), Kind::form};
  if (type == "application/x-www-form-urlencoded" && !request.body.empty())
    return {of_pairs(parse_query(request.body)), Kind::form};
  if (!request.body.empty())
    throw HttpError(415,
                    "Content-Type: expected application/json, application/x-www-form-urlencoded or "
                    "multipart/form-data");
  return {of_pairs(parse_query(request.query)), Kind::form};
}

const nlohmann::json* Parameters::find(const char* name) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void Parameters::expect_only(std::initializer_list<std::string_view> names) const {
  for (const auto& [name, value] : object_.items())
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw HttpError(400, fmt::format("unknown field {}: expected {}", detail::quote(name),
                                       fmt::join(names.begin(), names.end(), ", ")));
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
  if (value->size() > kMostTexts)
    throw HttpError(400, fmt::format("{}: expected at most {} texts in a request, got {}", name,
                                     kMostTexts, value->size()));
  Texts all{{}, true};
  for (const nlohmann::json& item : *value) {
    if (!item.is_string())
      throw HttpError(400, fmt::format("{}: expected an array of texts", name));
    all.texts.push_back(item.get<std::string>());
  }
  return all;
}

int64_t Parameters::integer(const char* name, int64_t missing, int64_t minimum,
                            int64_t maximum) const {
  const nlohmann::json* value = find(name);
  if (!value) return missing;
  int64_t number = 0;
  bool good = false;
  if (value->is_number_unsigned()) {
    good = value->get<uint64_t>() <= uint64_t(INT64_MAX);
    number = good ? value->get<int64_t>() : 0;
  } else if (value->is_number_integer()) {
    good = true;
    number = value->get<int64_t>();
  } else if (value->is_string()) {
    const auto& text = value->get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    good = error == std::errc{} && end == text.data() + text.size();
  }
  if (good && number >= minimum && number <= maximum) return number;
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

}  // namespace heed
