// The parameters of a request, whether they come as JSON, as a form or in the query string.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/serve/http/message.h"
#include "heed/serve/options.h"

namespace heed {

// The names of an enum's values, in their order.
template <class Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& [name, value] : enum_names(Enum{})) names.emplace_back(name);
  return names;
}

// Access with checks: each function throws HttpError 400 that names the parameter. Private to the
// sources of the server.
class Parameters {
 public:
  // Reads a JSON body (application/json), a form (application/x-www-form-urlencoded or
  // multipart/form-data), or else the query string. Error for anything else.
  static Parameters of(const HttpRequest& request);

  // Parameters of JSON keep their types; those of forms are strings, and several of one name an
  // array.
  enum class Kind { json, form };
  Parameters(nlohmann::json object, Kind kind) : object_(std::move(object)), kind_(kind) {}

  // Error for a parameter of another name.
  void expect_only(std::initializer_list<std::string_view> names) const;

  // All of them, as JSON.
  const nlohmann::json& object() const { return object_; }
  bool has(const char* name) const;
  // Empty where it is missing or null.
  std::string text(const char* name) const;
  // One text or several; nothing where it is missing. A form has several as fields of one name, or
  // as one field that is an array of JSON: ["a", "b"].
  struct Texts {
    std::vector<std::string> texts;
    bool array = false;  // they came as an array
  };
  std::optional<Texts> texts(const char* name) const;
  // A whole number, also as a text ("3").
  int64_t integer(const char* name, int64_t missing, int64_t minimum, int64_t maximum) const;
  // true, false, or such a text.
  bool flag(const char* name) const;
  // One of these names, without regard to the case of its letters; empty where it is missing.
  std::string choice(const char* name, const std::vector<std::string>& names) const;
  // The value of an enum that has this name.
  template <class Enum>
  Enum choice(const char* name, Enum missing) const {
    from_text(choice(name, names_of<Enum>()), {}, missing);
    return missing;
  }
  // The server's search options with those that the request names. `others` are its parameters that
  // are no options of the search. Errors are those of from_json() and check_options(), and
  // HttpError 400 for more hypotheses than a request may ask for.
  SearchOptions search(const ServeOptions& options,
                       std::initializer_list<std::string_view> others) const;

 private:
  const nlohmann::json* find(const char* name) const;

  nlohmann::json object_;
  Kind kind_;
};

}  // namespace heed
