#include "heed/core/strict_json.h"

#include <set>
#include <vector>

#include "heed/core/error.h"

namespace heed {

using nlohmann::json;

namespace {
constexpr int kDeepest = 32;
}

nlohmann::json parse_json(std::string_view text, const std::string& place) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    // Whoever prints a value recurses into it.
    if (depth > kDeepest) fail("{}: nested deeper than {} levels", place, kDeepest);
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key &&
        !keys.back().insert(parsed.get_ref<const std::string&>()).second)
      fail("{}: the key {} stands twice", place, quote(parsed));
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& e) {
    fail("{}: byte {} is no valid JSON", place, e.byte);
  } catch (const json::exception&) {
    fail("{}: no valid JSON: a number is out of range", place);
  }
}

std::string quote(const json& value) {
  constexpr size_t kLongest = 120;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

}  // namespace heed
