#include "options.h"

#include "heed/data/cleaning.h"
#include "heed/evaluate/metric_options.h"
#include "heed/run/train_options.h"

namespace heed::python {
namespace {

nb::object checked(PyObject* object) {
  if (!object) throw nb::python_error();
  return nb::steal(object);
}

// A text or a path, in the bytes of the file system.
std::optional<std::string> text_of(nb::handle value) {
  nb::object text = nb::borrow(value);
  if (!nb::isinstance<nb::str>(text)) {
    if (!nb::hasattr(text, "__fspath__")) return {};
    text = checked(PyOS_FSPath(text.ptr()));
  }
  if (nb::isinstance<nb::str>(text)) text = checked(PyUnicode_EncodeFSDefault(text.ptr()));
  const auto bytes = nb::cast<nb::bytes>(text);
  return std::string(bytes.c_str(), bytes.size());
}

// One value as the table's text; none if it is of a type that the option does not take.
std::optional<std::string> option_text(const Option& option, nb::handle value) {
  const bool is_bool = PyBool_Check(value.ptr());
  switch (option.kind) {
    case OptionKind::flag:
      if (!is_bool) return {};
      return to_text(nb::cast<bool>(value));
    case OptionKind::integer:
      if (is_bool || !PyIndex_Check(value.ptr())) return {};
      return std::string(nb::str(checked(PyNumber_Index(value.ptr()))).c_str());
    case OptionKind::number:
      if (is_bool || !PyNumber_Check(value.ptr()) || nb::isinstance<nb::str>(value)) return {};
      return to_text(nb::cast<double>(checked(PyNumber_Float(value.ptr()))));
    case OptionKind::text:
    case OptionKind::choice:
      return text_of(value);
  }
  return {};
}

std::vector<std::string> option_texts(const Option& option, nb::handle value);

// A dictionary as a struct of a list: its keys are the names of options.
std::string record_of(const Option& option, const nb::dict& fields) {
  return option.record([&](const Options& options) {
    for (const auto& [key, value] : fields) {
      const std::string name = nb::cast<std::string>(nb::str(key));
      const Option* field = find_option(options, name);
      if (!field)
        fail_usage("{}: unknown key '{}'{}", option.name, name, suggestion(options, name, ""));
      assign(*field, option_texts(*field, value), fmt::format("{}: {}", option.name, name));
    }
  });
}

std::vector<std::string> option_texts(const Option& option, nb::handle value) {
  const auto wrong_type = [&](nb::handle given) {
    fail_usage("{}: expected {}, got {}", option.name, option.expectation(),
               nb::repr(given).c_str());
  };
  if (value.is_none()) return {};
  if (option.record && nb::isinstance<nb::dict>(value))
    return {record_of(option, nb::cast<nb::dict>(value))};
  if (!option.list || option_text(option, value)) {
    const auto text = option_text(option, value);
    if (!text) wrong_type(value);
    return {*text};
  }
  if (!nb::isinstance<nb::iterable>(value)) wrong_type(value);
  std::vector<std::string> texts;
  for (const nb::handle item : value) {
    if (option.record && nb::isinstance<nb::dict>(item)) {
      texts.push_back(record_of(option, nb::cast<nb::dict>(item)));
      continue;
    }
    const auto text = option_text(option, item);
    if (!text) wrong_type(item);
    texts.push_back(*text);
  }
  return texts;
}

const char* name_of(OptionKind kind) {
  switch (kind) {
    case OptionKind::flag:
      return "flag";
    case OptionKind::integer:
      return "integer";
    case OptionKind::number:
      return "number";
    case OptionKind::text:
      return "text";
    case OptionKind::choice:
      return "choice";
  }
  return "";
}

template <class T>
nb::list description_of() {
  T target;
  nb::list all;
  for (const Option& option : options_of(target)) {
    nb::dict one;
    one["name"] = option.name;
    one["group"] = option.group;
    one["help"] = std::string(option.info.help);
    one["unit"] = std::string(option.info.unit);
    one["value"] = std::string(option.info.value);
    one["kind"] = name_of(option.kind);
    one["list"] = option.list;
    one["record"] = bool(option.record);
    one["choices"] = option.choices;
    one["defaults"] = option.defaults;
    one["default_text"] = std::string(option.info.default_text);
    all.append(one);
  }
  return all;
}

nb::list describe_options(const std::string& call) {
  if (call == "train") return description_of<TrainOptions>();
  if (call == "translate") return description_of<DecodeOptions>();
  if (call == "generate") return description_of<GenerateOptions>();
  if (call == "parse") return description_of<ParseOptions>();
  if (call == "score") return description_of<ScoreOptions>();
  if (call == "evaluate") return description_of<MetricOptions>();
  if (call == "inspect_data") return description_of<InspectionOptions>();
  if (call == "clean") return description_of<CleaningOptions>();
  fail_usage("no options of '{}'", call);
}

}  // namespace

void set_options(const Options& options, const nb::dict& arguments, std::string_view call) {
  for (const auto& [key, value] : arguments) {
    const std::string name = nb::cast<std::string>(key);
    const Option* option = find_option(options, name);
    if (!option || option->name != name)
      fail_usage("{}() has no argument '{}'{}", call, name, suggestion(options, name, ""));
    assign(*option, option_texts(*option, value), name);
  }
}

void bind_options(nb::module_& m) {
  m.def("describe_options", &describe_options, nb::arg("call"),
        "The options of train, translate, generate, parse, score, evaluate, inspect_data or clean, "
        "as dictionaries.");
}

}  // namespace heed::python
