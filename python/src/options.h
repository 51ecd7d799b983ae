// Keyword arguments, by the one table of options (core/options.h).
#pragma once

#include "heed/core/options.h"
#include "python.h"

namespace heed::python {

// Sets options from keyword arguments; `call` names the function in the UsageError for an argument
// that is not an option, or whose value is not allowed. None unsets an option.
void set_options(const Options& options, const nb::dict& arguments, std::string_view call);

template <class T>
T options_from(const nb::dict& arguments, std::string_view call, T target = {}) {
  set_options(options_of(target), arguments, call);
  return target;
}

// The options of a call of a model, which has its compute type: it was opened with it.
template <class T>
T options_of_call(const nb::dict& arguments, std::string_view call) {
  if (arguments.contains("compute"))
    fail_usage("{}() has no argument 'compute': it belongs to Model(path, compute=...)", call);
  return options_from<T>(arguments, call);
}

}  // namespace heed::python
