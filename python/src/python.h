// The common parts of the binding: nanobind, errors, signals, and processes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <chrono>
#include <string_view>

#include "heed/core/error.h"

namespace heed::python {

namespace nb = nanobind;

// heed.Error and heed.UsageError, which C++'s errors become. Their messages name options as keyword
// arguments.
void bind_errors(nb::module_& m);
void bind_options(nb::module_& m);
void bind_model(nb::module_& m);
void bind_rerank(nb::module_& m);
void bind_explanation(nb::module_& m);
void bind_training(nb::module_& m);
void bind_evaluation(nb::module_& m);
void bind_paper(nb::module_& m);

// `heed.Translation(index=0, text='...')`, by heed/_results.py.
nb::str repr_of(nb::handle result);

// Runs Python's handlers of signals that have come, for Ctrl-C; at most every 50 ms. Without the
// GIL, on the thread that Python called. Throws what a handler raised: KeyboardInterrupt.
class SignalCheck {
 public:
  void operator()();

 private:
  std::chrono::steady_clock::time_point last_ = {};
};

// An object with threads belongs to the process that made it: a fork has none of them.
class OwnProcess {
 public:
  bool is_this() const { return ::getpid() == process_; }
  // Error in another process.
  void expect_this(std::string_view what) const;

 private:
  pid_t process_ = ::getpid();
};

}  // namespace heed::python
