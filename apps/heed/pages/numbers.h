// Formatting of numbers.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

// 18944000 as "18,944,000".
std::string grouped(int64_t value);
// "1 pair", "1,000 pairs". `noun` is one whose plural ends in -s.
std::string grouped(int64_t value, std::string_view noun);

// The share of `part` in `whole`: "0.04%", "12%", "0%". Of nothing: "0%".
std::string percent(int64_t part, int64_t whole);

// Null for nothing, and for infinity and NaN, which JSON cannot express.
nlohmann::ordered_json json_number(const std::optional<double>& value);

}  // namespace heed
