#include "heed/core/options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <sstream>

#include "heed/core/ascii.h"
#include "heed/core/json_text.h"
#include "heed/core/strict_json.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

bool within(double value, const OptionInfo& info) {
  return std::isfinite(value) && value >= info.minimum && value <= info.maximum &&
         value > info.above && value < info.below;
}

template <class Number>
bool number_from_text(const std::string& text, const OptionInfo& info, Number& value) {
  Number parsed{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc{} || stop != end || !within(double(parsed), info)) return false;
  value = parsed;
  return true;
}

std::string range(const OptionInfo& info) {
  std::vector<std::string> bounds;
  if (std::isfinite(info.above)) bounds.push_back(fmt::format("above {}", info.above));
  const bool low = std::isfinite(info.minimum), high = std::isfinite(info.maximum);
  if (low && high) bounds.push_back(fmt::format("from {} to {}", info.minimum, info.maximum));
  if (low && !high) bounds.push_back(fmt::format("of at least {}", info.minimum));
  if (!low && high) bounds.push_back(fmt::format("of at most {}", info.maximum));
  if (std::isfinite(info.below)) bounds.push_back(fmt::format("below {}", info.below));
  std::string text;
  for (const std::string& bound : bounds) text += (text.empty() ? " " : " and ") + bound;
  return text;
}

std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string plain(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

// Edits (insert, delete, replace, swap of neighbours) from one word to another.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  std::iota(cost[0].begin(), cost[0].end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string joined(const std::vector<std::string>& texts) {
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, " "));
}

// The values that an option takes, for a message about these. For a whole number without a bound of
// its own, this names the bound of its type or, with an exponent, of what a double holds exactly.
std::string expectation_of(const Option& option, const std::vector<std::string>& texts) {
  const OptionInfo& info = option.info;
  double number = 0;
  if (option.kind != OptionKind::integer || texts.size() != 1 || std::isfinite(info.maximum) ||
      std::isfinite(info.below) || !number_from_text(texts[0], info, number) ||
      number != std::floor(number))
    return option.expectation();
  const bool digits_only = texts[0].find_first_of(".eE") == std::string::npos;
  return fmt::format("{}, at most {}", option.expectation(),
                     digits_only ? INT64_MAX : int64_t{1} << 53);
}

// The message about values that an option does not take.
std::string complaint(const Option& option, const std::vector<std::string>& texts) {
  const bool meant = option.kind == OptionKind::choice && texts.size() == 1;
  return fmt::format("expected {}, got '{}'{}", expectation_of(option, texts),
                     excerpt(joined(texts)), meant ? suggestion(texts[0], option.choices) : "");
}

nlohmann::json json_of(const Option& option) {
  const std::vector<std::string> texts = option.read();
  if (option.record) {
    nlohmann::json objects = nlohmann::json::array();
    for (const std::string& text : texts) objects.push_back(nlohmann::json::parse(text));
    return objects;
  }
  if (option.list) return texts;
  if (texts.empty()) return nullptr;
  const bool is_text = option.kind == OptionKind::text || option.kind == OptionKind::choice;
  return is_text ? nlohmann::json(texts[0]) : nlohmann::json::parse(texts[0]);
}

std::vector<std::string> texts_of(const nlohmann::json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return {value.get<std::string>()};
  if (!value.is_array()) return {value.dump()};
  std::vector<std::string> texts;
  for (const auto& item : value)
    texts.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return texts;
}

}  // namespace

std::string Option::flag() const {
  std::string text = "--" + name;
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::string Option::expectation() const {
  switch (kind) {
    case OptionKind::flag:
      return "true or false";
    case OptionKind::integer:
      return "a whole number" + range(info);
    case OptionKind::number:
      return "a number" + range(info);
    case OptionKind::choice:
      return alternatives(choices);
    case OptionKind::text:
      break;
  }
  if (record) return fmt::format("a JSON object, or in a configuration a table [[{}]]", name);
  return list ? "one or more texts" : "one text";
}

bool names_choice(std::string_view text, std::string_view name) {
  return lower_ascii(text) == lower_ascii(name);
}

bool from_text(const std::string& text, const OptionInfo&, bool& value) {
  const bool is_true = names_choice(text, "true");
  if (!is_true && !names_choice(text, "false")) return false;
  value = is_true;
  return true;
}

bool from_text(const std::string& text, const OptionInfo& info, int64_t& value) {
  if (number_from_text(text, info, value)) return true;
  // "1e3", which a TOML file may say as well, up to where a double holds every whole number.
  double number = 0;
  if (!number_from_text(text, info, number) || number != std::floor(number) ||
      std::abs(number) > 0x1p53)
    return false;
  value = int64_t(number);
  return true;
}

bool from_text(const std::string& text, const OptionInfo& info, double& value) {
  return number_from_text(text, info, value);
}

bool from_text(const std::string& text, const OptionInfo&, std::string& value) {
  value = text;
  return true;
}

void OptionCollector::operator()(std::string_view name, std::vector<std::string>& field,
                                 OptionInfo info) {
  Option& option = add<std::string>(name, info);
  option.list = true;
  option.read = [&field] { return field; };
  option.store = [&field](const std::vector<std::string>& texts) {
    field = texts;
    return true;
  };
}

const Option* find_option(const Options& options, std::string_view name) {
  const std::string wanted = plain(name);
  for (const Option& option : options) {
    if (option.name == wanted) return &option;
  }
  return nullptr;
}

void assign(const Option& option, const std::vector<std::string>& texts, std::string_view where) {
  if (option.store(texts)) return;
  fail_usage("{}: {}", where, complaint(option, texts));
}

void validate(const Options& options) {
  for (const Option& option : options) {
    const std::vector<std::string> texts = option.read();
    const bool empty = texts.empty() || (texts.size() == 1 && texts[0].empty());
    if (option.info.required && empty) {
      fail_usage("{} is missing: {}", option.flag(), option.info.help);
    }
    if (!texts.empty()) assign(option, texts, option.flag());
  }
}

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  constexpr size_t kLongestName = 100;  // beyond it, the comparison takes long and finds nothing
  if (name.size() > kLongestName) return "";
  const std::string wanted = lower_ascii(plain(name));
  std::string best;
  size_t least = std::max<size_t>(2, wanted.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const size_t distance = edit_distance(wanted, lower_ascii(plain(candidate)));
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  if (!best.empty() || wanted.size() < 4) return best;
  // The last words of a longer name.
  const auto longer = std::ranges::find_if(
      known, [&](const std::string& candidate) { return plain(candidate).ends_with(wanted); });
  return longer == known.end() ? "" : *longer;
}

std::vector<std::string> split_at_commas(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    std::string spaced = text;
    std::ranges::replace(spaced, ',', ' ');
    std::istringstream words(spaced);
    for (std::string name; words >> name;) names.push_back(name);
  }
  return names;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known,
                       std::string_view prefix) {
  const std::string best = nearest(name, known);
  return best.empty() ? "" : fmt::format("; did you mean '{}{}'?", prefix, best);
}

std::string suggestion(const Options& options, std::string_view name, std::string_view prefix) {
  std::vector<std::string> known;
  for (const Option& option : options) {
    known.push_back(prefix.empty() ? option.name : option.flag().substr(2));
  }
  return suggestion(name, known, prefix);
}

std::vector<OptionDifference> differences(const Options& left, const Options& right) {
  check(left.size() == right.size(), "options of two types compared");
  std::vector<OptionDifference> found;
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].info.ignored_in_comparison) continue;
    const auto values = [](const Option& o) { return o.compared ? o.compared() : o.read(); };
    const auto a = values(left[i]), b = values(right[i]);
    if (a != b) found.push_back({left[i].name, joined(a), joined(b)});
  }
  return found;
}

std::string to_json(const Options& options) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const Option& option : options) object[option.name] = json_of(option);
  return json_text(object, 2);
}

namespace {

// As in JSON, but for one character that only TOML escapes.
template <class Json>
std::string toml_value(const Json& json) {
  std::string value = json_text(json);
  for (size_t at = 0; (at = value.find('\x7f', at)) != std::string::npos;)
    value.replace(at, 1, "\\u007f");
  return value;
}

}  // namespace

std::string to_toml(const Options& options) {
  std::string lines, tables;
  for (const Option& option : options) {
    if (option.read() == option.defaults || option.read().empty()) continue;
    if (!option.record) {
      lines += fmt::format("{} = {}\n", option.name, toml_value(json_of(option)));
      continue;
    }
    for (const std::string& text : option.read()) {
      tables += fmt::format("\n[[{}]]\n", option.name);
      const auto object = nlohmann::ordered_json::parse(text);
      for (const auto& [name, value] : object.items())
        tables += fmt::format("{} = {}\n", name, toml_value(value));
    }
  }
  return lines + tables;
}

std::string record_text(const Options& options, RecordParts parts) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const Option& option : options) {
    const bool left_out = parts == RecordParts::compared && option.info.ignored_in_comparison;
    if (!left_out && option.read() != option.defaults) object[option.name] = json_of(option);
  }
  return json_text(object);
}

void from_json(const Options& options, std::string_view text, std::string_view where) {
  const nlohmann::json object = detail::parse_json(text, std::string(where));
  if (!object.is_object()) fail("{}: expected a JSON object of options, got other text", where);
  for (const auto& [name, value] : object.items()) {
    const Option* option = find_option(options, name);
    if (!option) {
      fail("{}: unknown option '{}'{}", where, excerpt(name), suggestion(options, name, ""));
    }
    if (!option->store(texts_of(value))) {
      fail("{}: {}: {}", where, name, complaint(*option, texts_of(value)));
    }
  }
}

std::string with_option_names(std::string_view message) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string renamed;
  for (size_t at = 0; at < message.size();) {
    const bool flag = (at == 0 || message[at - 1] == ' ' || message[at - 1] == '(') &&
                      message.substr(at, 2) == "--" && at + 2 < message.size() &&
                      is_letter(message[at + 2]);
    if (!flag) {
      renamed += message[at++];
      continue;
    }
    for (at += 2; at < message.size() && (is_letter(message[at]) || message[at] == '-'); ++at)
      renamed += message[at] == '-' ? '_' : message[at];
  }
  return renamed;
}

}  // namespace heed
