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

// Where the number of threads matters: measurements, and training for a number of minutes.
inline constexpr OptionInfo kThreadCountOption = [] {
  OptionInfo info = kThreadsOption;
  info.help = "Number of threads";
  return info;
}();

}  // namespace heed
