// JSON as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace heed {

// On one line, or indented. Invalid UTF-8 becomes U+FFFD.
template <class Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}
// The same of an initializer list.
inline std::string json_text(const nlohmann::ordered_json& json, int indent = -1) {
  return json_text<nlohmann::ordered_json>(json, indent);
}

}  // namespace heed
