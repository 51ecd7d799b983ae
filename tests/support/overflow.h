// A model whose weights are finite and whose predictions are not.
#pragma once

#include <algorithm>
#include <string>

#include "heed/model/sequence_model.h"

namespace heed::testing {

// Such a file loads: only what its weights are multiplied with overflows, in the encoder alone or
// the decoder alone, or in both.
inline void make_overflow(SequenceModel& model, const std::string& part = "") {
  for (Parameter& parameter : parameters(model))
    if (parameter.name.starts_with(part) && parameter.name.find("norm") != std::string::npos &&
        parameter.name.find("bias") == std::string::npos)
      copy(tensor_of<float>(parameter.tensor.shape(),
                            std::vector<float>(size_t(parameter.tensor.size()), 3e38f)),
           parameter.tensor);
}

}  // namespace heed::testing
