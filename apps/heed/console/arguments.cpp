#include "console/arguments.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "console/other_names.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

// Whether an argument is meant as a flag: not "-" (standard input), not "-5".
bool is_flag(const std::string& text) {
  return text.size() > 1 && text[0] == '-' && !std::isdigit(uint8_t(text[1])) && text[1] != '.';
}

class Reader {
 public:
  Reader(const std::vector<std::string>& arguments, const Options& options,
         const std::string& command)
      : arguments_(arguments), options_(options), command_(command) {}

  Arguments read() {
    while (next_ < arguments_.size()) {
      const std::string& argument = arguments_[next_++];
      if (argument == "--") {
        while (next_ < arguments_.size()) result_.words.push_back(arguments_[next_++]);
      } else if (argument == "--help" || argument == "-h") {
        result_.help = true;
      } else if (is_flag(argument)) {
        single_value_ = nullptr;
        read_flag(argument);
      } else {
        if (result_.words.empty()) result_.before_words = single_value_;
        result_.words.push_back(argument);
      }
    }
    return result_;
  }

 private:
  void read_flag(const std::string& argument) {
    const size_t equals = argument.find('=');
    const std::string flag = argument.substr(0, equals);
    const Option* option = flag.starts_with("--") ? find_option(options_, flag.substr(2)) : nullptr;
    if (option) {
      std::vector<std::string> texts;
      if (equals != std::string::npos) {
        texts = {argument.substr(equals + 1)};
      } else if (option->kind == OptionKind::flag) {
        texts = {"true"};
      } else {
        texts = values_of(*option);
        if (!option->list) single_value_ = option;
      }
      if (option->kind == OptionKind::text && std::ranges::count(texts, "") > 0)
        fail_usage("{}: expected {}, got an empty text (an unset variable of the shell?)",
                   option->flag(), option->expectation());
      result_.assignments.push_back({option, texts, option->flag()});
      return;
    }
    if (flag.starts_with("--no-") && equals == std::string::npos) {
      const Option* negated = find_option(options_, flag.substr(5));
      if (negated && negated->kind == OptionKind::flag) {
        result_.assignments.push_back({negated, {"false"}, flag});
        return;
      }
    }
    const std::string name = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
    fail_usage("unknown option '{}'{} (heed {} --help lists all)", excerpt(flag),
               option_hint(command_, options_, name, "--"), command_);
  }

  std::vector<std::string> values_of(const Option& option) {
    std::vector<std::string> texts;
    const size_t most = option.list ? arguments_.size() : 1;
    while (texts.size() < most && next_ < arguments_.size() && !is_flag(arguments_[next_])) {
      texts.push_back(arguments_[next_++]);
    }
    if (texts.empty()) fail_without_value(option);
    return texts;
  }

  // Names what was given instead of a value: nothing, an option, or a text that begins with '-'.
  [[noreturn]] void fail_without_value(const Option& option) const {
    const std::string next = next_ < arguments_.size() ? arguments_[next_] : "";
    const size_t begin = std::min(next.find_first_not_of('-'), next.size());
    const std::string name = next.substr(begin, next.find('=') - begin);
    const bool is_option = name == "h" || name == "help" || find_option(options_, name) != nullptr;
    std::string got = "nothing", hint;
    if (!next.empty()) got = fmt::format("{}'{}'", is_option ? "the option " : "", excerpt(next));
    if (!next.empty() && !is_option && option.kind == OptionKind::text)
      hint = fmt::format("; a value that begins with '-' is given as {}={}", option.flag(),
                         excerpt(next));
    fail_usage("{}: expected {}, got {}{}", option.flag(), option.expectation(), got, hint);
  }

  const std::vector<std::string>& arguments_;
  const Options& options_;
  const std::string& command_;
  size_t next_ = 0;
  const Option* single_value_ = nullptr;  // whose value was read last
  Arguments result_;
};

}  // namespace

Arguments read_arguments(const std::vector<std::string>& arguments, const Options& options,
                         const std::string& command) {
  return Reader(arguments, options, command).read();
}

void apply(const std::vector<Assignment>& assignments) {
  std::map<const Option*, std::vector<std::string>> given;
  for (const auto& [option, texts, where] : assignments) {
    std::vector<std::string>& all = given[option];
    if (!option->list) all.clear();
    all.insert(all.end(), texts.begin(), texts.end());
    assign(*option, all, where);
  }
}

}  // namespace heed
