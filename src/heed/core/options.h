// Options, declared once. A plain struct with defaults visits its fields, and from that one visit
// come flags, TOML keys, --help, the saved configuration, docs/options.md and comparisons:
//
//   struct DecodeOptions {
//     int64_t beam = 4;
//     template <class Self, class Visitor>
//     static void visit(Self& self, Visitor&& v) {
//       v.group("Search");
//       v("beam", self.beam, {.help = "Hypotheses kept at each step", .minimum = 1, .maximum =
//       64});
//     }
//   };
//
// A field is bool, int64_t, double, std::string, an enum, an optional of one of these, or a list
// (std::vector) of texts or of structs that have options themselves, which a configuration has as
// tables: [[corpus]]. An enum has a function beside it, found by argument-dependent lookup:
//
//   constexpr auto enum_names(Schedule) {
//     return std::array<std::pair<std::string_view, Schedule>, 2>{
//         {{"noam", Schedule::noam}, {"constant", Schedule::constant}}};
//   }
//
// A nested struct is visited by its own function: Inner::visit(self.inner, v).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "heed/core/error.h"

namespace heed {

// The declaration of a field, besides its name.
struct OptionInfo {
  static constexpr double unbounded = std::numeric_limits<double>::infinity();
  std::string_view help = "";          // one sentence without a full stop
  std::string_view unit = "";          // of a number: "tokens", "minutes"
  std::string_view value = "";         // placeholder of the value in --help: "FILE", "DIR"
  std::string_view default_text = "";  // shown as the default of an unset field: "by preset"
  double minimum = -unbounded;         // the least allowed value
  double maximum = unbounded;          // the greatest allowed value
  double above = -unbounded;           // an excluded lower bound: a rate above 0
  double below = unbounded;            // an excluded upper bound: a probability below 1
  std::string_view excluded = "";      // a name of the enum that this option does not take
  bool required = false;               // an empty value is an error
  // Left out of differences(), and so of the comparison on --resume: the option does not change the
  // result (threads), or what it names is compared by content (files of text).
  bool ignored_in_comparison = false;
};

// `threads` is the same option everywhere: an optional<int64_t>, all of the machine's by default.
inline constexpr OptionInfo kThreadsOption{.help = "Number of threads; does not affect the result",
                                           .default_text = "all",
                                           .minimum = 1,
                                           .maximum = 1024,
                                           .ignored_in_comparison = true};

// `strict` of commands that replace invalid UTF-8 by default.
inline constexpr OptionInfo kStrictOption{
    .help = "Fail on invalid UTF-8 instead of replacing it by U+FFFD",
    .ignored_in_comparison = true};

enum class OptionKind { flag, integer, number, text, choice };

struct Option;
using Options = std::vector<Option>;

// One option of one struct, bound to its field: the struct must outlive it.
struct Option {
  std::string name;   // as visited: "length_penalty"
  std::string group;  // the heading above it
  OptionInfo info;
  OptionKind kind = OptionKind::text;
  bool list = false;
  std::vector<std::string> choices;   // the names of an enum
  std::vector<std::string> defaults;  // read() of a default-constructed struct

  // The field's values as strings: none for an unset optional or an empty list, several only for a
  // list, otherwise one.
  std::function<std::vector<std::string>()> read;
  // Sets the field; false if the texts are not an allowed value (the field is then unchanged).
  std::function<bool(const std::vector<std::string>&)> store;
  // The text of a struct whose options `fill` sets, a JSON object: an element of a list of structs.
  // Not set for other options.
  std::function<std::string(const std::function<void(const Options&)>& fill)> record;
  // read() without the parts of structs that are ignored in comparisons; set as `record` is.
  std::function<std::vector<std::string>()> compared;

  // "--length-penalty"
  std::string flag() const;
  // The allowed values, for messages: "a whole number from 1 to 64".
  std::string expectation() const;
};

// Text to value, within the bounds of `info`; false if it is not one. to_text is the exact inverse.
bool from_text(const std::string& text, const OptionInfo& info, bool& value);
bool from_text(const std::string& text, const OptionInfo& info, int64_t& value);
bool from_text(const std::string& text, const OptionInfo& info, double& value);
bool from_text(const std::string& text, const OptionInfo& info, std::string& value);

// Whether `text` means this name of a choice: the case of ASCII letters does not matter.
bool names_choice(std::string_view text, std::string_view name);

template <class Enum>
requires std::is_enum_v<Enum>
bool from_text(const std::string& text, const OptionInfo& info, Enum& value) {
  for (const auto& [name, item] : enum_names(Enum{})) {
    if (name != info.excluded && names_choice(text, name)) {
      value = item;
      return true;
    }
  }
  return false;
}

// The options that differ from their defaults as a JSON object on one line; `compared` leaves out
// those that comparisons ignore.
enum class RecordParts { all, compared };
std::string record_text(const Options& options, RecordParts parts);
// Sets options from a JSON object; those it does not name stay. `where` (a file's path) begins the
// Error for text that is not a JSON object, an unknown name or a value that is not allowed.
void from_json(const Options& options, std::string_view text, std::string_view where);

template <class T>
std::string to_text(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    for (const auto& [name, item] : enum_names(T{}))
      if (item == value) return std::string(name);
    check(false, "an enum value without a name in enum_names");
    return {};
  } else {
    return fmt::format("{}", value);
  }
}

// The visitor that makes Options of a struct.
class OptionCollector {
 public:
  explicit OptionCollector(Options& options) : options_(options) {}

  void group(std::string_view name) { group_ = name; }

  template <class T>
  void operator()(std::string_view name, T& field, OptionInfo info) {
    Option& option = add<T>(name, info);
    option.read = [&field] { return std::vector<std::string>{to_text(field)}; };
    option.store = [&field, info](const std::vector<std::string>& texts) {
      return texts.size() == 1 && from_text(texts[0], info, field);
    };
  }

  template <class T>
  void operator()(std::string_view name, std::optional<T>& field, OptionInfo info) {
    Option& option = add<T>(name, info);
    option.read = [&field] {
      return field ? std::vector<std::string>{to_text(*field)} : std::vector<std::string>{};
    };
    option.store = [&field, info](const std::vector<std::string>& texts) {
      if (texts.empty()) {
        field.reset();
        return true;
      }
      T value{};
      if (texts.size() != 1 || !from_text(texts[0], info, value)) return false;
      field = value;
      return true;
    };
  }

  void operator()(std::string_view name, std::vector<std::string>& field, OptionInfo info);

  template <class T>
  void operator()(std::string_view name, std::vector<T>& field, OptionInfo info);

 private:
  template <class T>
  Option& add(std::string_view name, const OptionInfo& info) {
    Option& option = options_.emplace_back();
    option.name = name;
    option.group = group_;
    option.info = info;
    if constexpr (std::is_enum_v<T>) {
      option.kind = OptionKind::choice;
      for (const auto& [choice, item] : enum_names(T{}))
        if (choice != info.excluded) option.choices.emplace_back(choice);
    } else {
      option.kind = std::is_same_v<T, bool>      ? OptionKind::flag
                    : std::is_same_v<T, int64_t> ? OptionKind::integer
                    : std::is_same_v<T, double>  ? OptionKind::number
                                                 : OptionKind::text;
    }
    return option;
  }

  Options& options_;
  std::string group_;
};

// The options of `target`, which must outlive them.
template <class T>
Options options_of(T& target) {
  Options options;
  OptionCollector collector(options);
  T::visit(target, collector);
  const auto fresh = std::make_unique<T>();
  Options defaults;
  OptionCollector default_collector(defaults);
  T::visit(*fresh, default_collector);
  check(defaults.size() == options.size(), "a visit that depends on values");
  for (size_t i = 0; i < options.size(); ++i) options[i].defaults = defaults[i].read();
  return options;
}

template <class T>
void OptionCollector::operator()(std::string_view name, std::vector<T>& field, OptionInfo info) {
  const auto texts_of = [&field](RecordParts parts) {
    std::vector<std::string> texts;
    texts.reserve(field.size());
    for (T& item : field) texts.push_back(record_text(options_of(item), parts));
    return texts;
  };
  Option& option = add<std::string>(name, info);
  option.list = true;
  option.read = [texts_of] { return texts_of(RecordParts::all); };
  option.compared = [texts_of] { return texts_of(RecordParts::compared); };
  option.store = [&field, where = std::string(name)](const std::vector<std::string>& texts) {
    std::vector<T> items(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) from_json(options_of(items[i]), texts[i], where);
    field = std::move(items);
    return true;
  };
  option.record = [](const std::function<void(const Options&)>& fill) {
    T item;
    const Options fields = options_of(item);
    fill(fields);
    return record_text(fields, RecordParts::all);
  };
}

// The option of that name, '-' and '_' alike; nullptr if there is none.
const Option* find_option(const Options& options, std::string_view name);

// Sets an option. `where` names it in the UsageError that a value not allowed causes: "--beam",
// "run.toml:3: beam".
void assign(const Option& option, const std::vector<std::string>& texts, std::string_view where);

// Throws UsageError where a required option is empty or a value is out of its range: for structs
// that code filled. The command line checks as it reads.
void validate(const Options& options);
template <class T>
void validate(const T& target) {
  T copy = target;
  validate(options_of(copy));
}

// A message with its flags as names of fields: "--length-penalty" becomes "length_penalty". For
// callers that set options by name.
std::string with_option_names(std::string_view message);

// The name among `known` that `name` most likely meant; empty if none is near.
std::string nearest(std::string_view name, const std::vector<std::string>& known);

// The values of a list, of which each may be several with commas between them; empty ones are left
// out.
std::vector<std::string> split_at_commas(const std::vector<std::string>& texts);

// `; did you mean '--beam'?`, or nothing. `prefix` precedes the suggestion: "--" or "".
std::string suggestion(std::string_view name, const std::vector<std::string>& known,
                       std::string_view prefix = "");
std::string suggestion(const Options& options, std::string_view name, std::string_view prefix);

// An option whose values differ.
struct OptionDifference {
  std::string name;
  std::string left;  // as a reader would write it, "none" where there is no value
  std::string right;
};

// The options that differ between two structs of one type, but for those ignored in comparisons.
std::vector<OptionDifference> differences(const Options& left, const Options& right);
template <class T>
std::vector<OptionDifference> differences(const T& left, const T& right) {
  T a = left, b = right;
  return differences(options_of(a), options_of(b));
}

// One JSON object of all options: numbers, booleans, strings, arrays of strings or objects, null.
std::string to_json(const Options& options);
template <class T>
std::string to_json(const T& target) {
  T copy = target;
  return to_json(options_of(copy));
}

// The options whose values are not their defaults, as lines of TOML: "heads = 8\n". Lists of
// structs come last, as tables.
std::string to_toml(const Options& options);

template <class T>
void from_json(T& target, std::string_view text, std::string_view where) {
  from_json(options_of(target), text, where);
}

}  // namespace heed
