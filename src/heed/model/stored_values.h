// Values of parameters in the tensors of a weights' file. Internal to the model layer.
#pragma once

#include <filesystem>
#include <string>

#include "heed/model/checkpoint_layout.h"

namespace heed::detail {

inline constexpr const char* kWeightsFile = "model.safetensors";

// The name of the logits' bias, if a model has one.
inline constexpr const char* kOutputBias = "embeddings.output_bias";

// The tensor with one scale for each row of an int8 matrix.
std::string scale_name(const std::string& tensor);

// The shape of the tensor that has this parameter, perhaps beside others.
Shape shape_in_file(const LayoutTensor& tensor);
// Copies the values of a parameter to their places in a tensor of the file, or from there. All
// fp32.
void put(const Tensor& values, const Placement& placement, Tensor& file);
void take(const Tensor& file, const Placement& placement, Tensor& values);

// Error for a value that is infinite or NaN. `what` introduces the message: the file or the deed.
void require_finite(const Tensor& values, const std::string& what, const std::string& name);

// The path of this file in a model directory. Throws an Error that names the directory, or the file
// of it, that is missing.
std::filesystem::path expect_file(const std::filesystem::path& directory, const char* name);

}  // namespace heed::detail
