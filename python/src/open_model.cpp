#include "open_model.h"

#include "heed/core/options.h"

namespace heed::python {

Computation computation_of(const std::string& compute, const std::string& device) {
  DecodeOptions options;
  const Options table = options_of(options);
  assign(*find_option(table, "compute"), {compute}, "compute");
  assign(*find_option(table, "device"), {device}, "device");
  return {options.compute, options.device};
}

}  // namespace heed::python
