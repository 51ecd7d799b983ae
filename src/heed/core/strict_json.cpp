#include "heed/core/strict_json.h"

#include <set>
#include <vector>

#include "heed/core/error.h"

namespace heed {

using nlohmann::json;

namespace {

constexpr size_t kDeepest = 32;

// Checks a text event by event. Not a callback of json::parse(), which searches an object from its
// beginning whenever a value in it ends.
class Checker : public nlohmann::json_sax<json> {
 public:
  explicit Checker(const std::string& place) : place_(place) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return open(); }
  bool start_array(size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second)
      fail("{}: the key {} is repeated", place_, detail::quote(json(name)));
    return true;
  }
  bool parse_error(size_t byte, const std::string&, const json::exception& error) override {
    constexpr int kNumberOutOfRange = 406;
    if (error.id == kNumberOutOfRange) fail("{}: no valid JSON: a number is out of range", place_);
    fail("{}: byte {} is no valid JSON", place_, byte);
  }

 private:
  bool open() {
    // Printing a value recurses into it.
    if (keys_.size() == kDeepest) fail("{}: nested deeper than {} levels", place_, kDeepest);
    keys_.emplace_back();
    return true;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  const std::string& place_;
  std::vector<std::set<std::string>> keys_;  // of each object or array that is open
};

}  // namespace

nlohmann::json detail::parse_json(std::string_view text, const std::string& place) {
  // The parser would end there, whatever follows.
  const size_t nul = text.find('\0');
  if (nul != text.npos) fail("{}: byte {} is no valid JSON", place, nul + 1);
  Checker checker(place);
  json::sax_parse(text.begin(), text.end(), &checker);
  return json::parse(text.begin(), text.end());
}

std::string detail::quote(const json& value) {
  constexpr size_t kLongest = 120;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

}  // namespace heed
