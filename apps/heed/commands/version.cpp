// heed version: the build, and the instruction sets of this machine.
#include "heed/core/version.h"

#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "heed/backend/cpu/cpu_backend.h"
#include "heed/backend/cuda/cuda_backend.h"
#include "heed/core/parallel.h"

namespace heed {
namespace {

struct VersionSettings {
  bool json = false;

  static void visit(auto& self, auto&& v) {
    v.group("Output");
    v("json", self.json, {.help = "Print one JSON object"});
  }
};

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

int run_version(const VersionSettings& settings, const Words&, Console& console) {
  const std::vector<std::string> found = cpu_instruction_sets();
  const std::string asked = instruction_set_from_environment();
  make_cpu_backend(asked);  // fails for a name that is not among those found
  const std::string chosen = asked.empty() ? found.front() : asked;
  const CudaDevice device = find_cuda_device();
  const std::string cuda = device.name.empty() ? "none: " + device.why_not : device.name;
  if (settings.json) {
    const nlohmann::ordered_json object{{"version", version()},
                                        {"compiler", compiler()},
                                        {"build_type", HEED_BUILD_TYPE},
                                        {"instruction_sets", found},
                                        {"chosen", chosen},
                                        {"threads", available_threads()},
                                        {"gpu", cuda}};
    console.out().write(object.dump() + "\n");
    return 0;
  }
  console.out().write(fmt::format(
      "heed {}\nbuilt by {} ({})\ninstruction sets found: {}\nchosen: {}{}\nthreads: {}\n"
      "GPU: {}\n",
      version(), compiler(), HEED_BUILD_TYPE, fmt::join(found, ", "), chosen,
      asked.empty() ? "" : " (by HEED_INSTRUCTION_SET)", available_threads(), cuda));
  return 0;
}

}  // namespace

Command make_version_command() {
  return with_settings(
      run_version,
      {.name = "version",
       .summary = "Shows the build and the instruction sets",
       .description = "heed uses the best instruction set of the machine; the environment variable "
                      "HEED_INSTRUCTION_SET selects another by name."});
}

}  // namespace heed
