// The version of heed.
#pragma once

#include <string_view>

namespace heed {

// The release, for example "0.1.0": the version of the CMake project.
std::string_view version();

}  // namespace heed
