// The native part of the Python package heed: what python/heed/*.py gives names, documentation and
// types.
#include "heed/core/version.h"
#include "python.h"

heed::python::nb::str heed::python::repr_of(nb::handle result) {
  return nb::str(nb::module_::import_("heed._results").attr("repr_of")(result));
}

NB_MODULE(_heed, m) {
  using namespace heed::python;
  // Objects that a program still has at its end are no error of the binding.
  nb::set_leak_warnings(false);
  m.doc() = "The native part of heed. Use the package heed.";
  m.attr("version") = std::string(heed::version());
  bind_errors(m);
  bind_options(m);
  bind_model(m);
  bind_rerank(m);
  bind_explanation(m);
  bind_training(m);
  bind_evaluation(m);
  bind_paper(m);
}
