// The parameters of a request, whether they come as JSON, as a form or in the query string.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/serve/http/message.h"
#include "heed/serve/options.h"
#include "heed/text/terms.h"

namespace heed {

// Access with checks: each function throws HttpError 400 that names the parameter. Private to the
// sources of the server.
class Parameters {
 public:
  // Reads a JSON body (application/json), a form (application/x-www-form-urlencoded or
  // multipart/form-data), or else the query string. Error for anything else. `schema`, which must
  // outlive them, is that of the request in the OpenAPI document: the names, ranges and choices
  // that are allowed.
  static Parameters of(const HttpRequest& request, const nlohmann::ordered_json& schema);

  // Error for a parameter that the schema does not have.
  void refuse_others() const;

  // All of them, as JSON. Parameters of JSON keep their types; those of forms are strings, and
  // several of one name an array.
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
  std::optional<int64_t> integer(const char* name) const;
  // true, false, or such a text.
  bool flag(const char* name) const;
  // One of the names that the schema has, without regard to the case of its letters; empty where it
  // is missing.
  std::string choice(const char* name) const;
  // The value of an enum that has this name.
  template <class Enum>
  Enum choice(const char* name, Enum missing) const {
    from_text(choice(name), {}, missing);
    return missing;
  }
  // The server's search options with those that the request names. Errors are those of from_json()
  // and check_options(), and HttpError 400 for more hypotheses than a request may ask for.
  SearchOptions search(const ServeOptions& options) const;
  // What the translations of a request must call words of its texts: the parameter `terms`; null
  // where it is missing.
  std::shared_ptr<const TermList> terms() const;

 private:
  enum class Kind { json, form };
  Parameters(nlohmann::json object, Kind kind, const nlohmann::ordered_json& schema)
      : object_(std::move(object)), kind_(kind), properties_(schema.at("properties")) {}

  const nlohmann::json* find(const char* name) const;

  nlohmann::json object_;
  Kind kind_;
  const nlohmann::ordered_json& properties_;  // of the schema
};

}  // namespace heed
