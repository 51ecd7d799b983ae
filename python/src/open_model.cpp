#include "open_model.h"

#include "heed/core/options.h"

namespace heed::python {

OpenModel::OpenModel(const std::string& directory, const std::string& compute,
                     const std::string& device) {
  DecodeOptions options;
  const Options table = options_of(options);
  assign(*find_option(table, "compute"), {compute}, "compute");
  assign(*find_option(table, "device"), {device}, "device");
  model_ = std::make_unique<const Model>(directory, Computation(options.compute, options.device));
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
