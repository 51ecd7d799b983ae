// Strict parsing of untrusted JSON. Private to the sources of the layers.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heed::detail {

// Parses `text`; broken syntax, or a key that occurs twice in one object, is an Error that
// names `place` (a file, or a part of one).
nlohmann::json parse_json(std::string_view text, const std::string& place);

// Text of an unknown origin for a message: quoted, on one line, cut where it is long.
std::string quote(const nlohmann::json& value);

}  // namespace heed::detail
