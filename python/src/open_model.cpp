#include "open_model.h"

#include "heed/core/options.h"

namespace heed::python {

OpenModel::OpenModel(const std::string& directory, const std::string& compute) {
  ComputeChoice choice{};
  if (!from_text(compute, {}, choice)) {
    DecodeOptions defaults;
    assign(*find_option(options_of(defaults), "compute"), {compute}, "compute");
  }
  model_ = std::make_unique<const Model>(directory, choice);
}

OpenModel::~OpenModel() {
  // The threads that its destructor would wait for are those of another process.
  if (!process_.is_this()) static_cast<void>(model_.release());
}

const Model& OpenModel::model() const {
  process_.expect_this("Model");
  return *model_;
}

}  // namespace heed::python
