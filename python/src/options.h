// Keyword arguments, by the one table of options (core/options.h).
#pragma once

#include "heed/core/options.h"
#include "heed/decode/options.h"
#include "python.h"

namespace heed::python {

// Those of a language model, with their own help texts.
struct GenerateOptions : DecodeOptions {
  static void visit(GenerateOptions& self, OptionCollector& v) {
    DecodeOptions::visit_to_generate(self, v);
  }
};

// Those of a parser.
struct ParseOptions : DecodeOptions {
  static void visit(ParseOptions& self, OptionCollector& v) {
    DecodeOptions::visit_to_parse(self, v);
  }
};

// Sets options from keyword arguments; `call` names the function in the UsageError for an argument
// that is not an option, or whose value is not allowed. None unsets an option.
void set_options(const Options& options, const nb::dict& arguments, std::string_view call);

template <class T>
T options_from(const nb::dict& arguments, std::string_view call, T target = {}) {
  set_options(options_of(target), arguments, call);
  return target;
}

// The options of a call of a model, which has its compute type and device: it was opened with them.
template <class T>
T options_of_call(const nb::dict& arguments, std::string_view call) {
  for (const char* name : {"compute", "device"})
    if (arguments.contains(name))
      fail_usage("{}() has no argument '{}': it belongs to Model(path, {}=...)", call, name, name);
  return options_from<T>(arguments, call);
}

}  // namespace heed::python
