// Options that several commands have.
#pragma once

#include "heed/core/options.h"

namespace heed {

inline constexpr OptionInfo kModelOption{
    .help = "Model directory", .value = "DIR", .required = true};

// For TextOutput.
inline constexpr OptionInfo kOutputOption{
    .help = "Output file, written atomically, gzip if its name ends in .gz; - is standard output",
    .value = "FILE",
    .default_text = "standard output"};

}  // namespace heed
