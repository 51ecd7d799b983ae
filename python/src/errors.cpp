#include "heed/core/options.h"
#include "python.h"

namespace heed::python {
namespace {

// Kept for the life of the process, as the module is.
PyObject* new_exception(nb::module_& m, const char* name, const char* doc, PyObject* bases) {
  const std::string full_name = std::string("heed.") + name;
  PyObject* exception = PyErr_NewExceptionWithDoc(full_name.c_str(), doc, bases, nullptr);
  if (!exception) throw nb::python_error();
  m.attr(name) = nb::handle(exception);
  return exception;
}

// Set once, when the module is loaded.
struct Exceptions {
  PyObject* error;
  PyObject* usage_error;
};

void raise(PyObject* exception, const std::exception& error) {
  PyErr_SetString(exception, with_option_names(error.what()).c_str());
}

}  // namespace

void bind_errors(nb::module_& m) {
  PyObject* error = new_exception(
      m, "Error", "Bad input or environment, for the user to fix. The message is one line.",
      PyExc_RuntimeError);
  const nb::tuple bases = nb::make_tuple(nb::handle(error), nb::handle(PyExc_ValueError));
  PyObject* usage_error = new_exception(
      m, "UsageError", "Wrong options or arguments, for the caller to fix.", bases.ptr());
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* payload) {
        const auto* exceptions = static_cast<const Exceptions*>(payload);
        try {
          std::rethrow_exception(thrown);
        } catch (const UsageError& e) {
          raise(exceptions->usage_error, e);
        } catch (const Error& e) {
          raise(exceptions->error, e);
        }
      },
      new Exceptions{error, usage_error});
}

void SignalCheck::operator()() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(50)) return;
  last_ = now;
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void OwnProcess::expect_this(std::string_view what) const {
  if (is_this()) return;
  fail(
      "this {} was made before a fork, which keeps none of its threads: make it in this process "
      "(multiprocessing has the start method \"spawn\")",
      what);
}

}  // namespace heed::python
