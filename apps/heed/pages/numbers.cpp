#include "pages/numbers.h"

#include <fmt/format.h>

#include <cmath>

namespace heed {

std::string grouped(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t sign = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > 3 + sign;) digits.insert(at -= 3, ",");
  return digits;
}

std::string grouped(int64_t value, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(value), noun, value == 1 ? "" : "s");
}

std::string percent(int64_t part, int64_t whole) {
  const double share = whole > 0 ? 100.0 * double(part) / double(whole) : 0;
  if (share == 0 || share >= 10) return fmt::format("{:.0f}%", share);
  return share >= 1 ? fmt::format("{:.1f}%", share) : fmt::format("{:.2g}%", share);
}

nlohmann::ordered_json json_number(const std::optional<double>& value) {
  if (value && std::isfinite(*value)) return *value;
  return nullptr;
}

}  // namespace heed
