// heed version: the build, and the instruction sets of this machine.
#include "heed/core/version.h"

#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "heed/backend/cpu/cpu_backend.h"
#include "heed/core/parallel.h"

namespace heed {
namespace {

struct VersionSettings {
  bool json = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
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

class VersionCommand : public CommandOf<VersionSettings> {
 public:
  std::string name() const override { return "version"; }
  std::string summary() const override { return "Shows the build and the instruction sets"; }
  std::string description() const override {
    return "heed uses the best instruction set of the machine; the environment variable "
           "HEED_INSTRUCTION_SET selects another by name.";
  }

  int run(const std::vector<std::string>&, Console& console) override {
    const std::vector<std::string> found = cpu_instruction_sets();
    const std::string asked = instruction_set_from_environment();
    make_cpu_backend(asked);  // fails for a name that is not among those found
    const std::string chosen = asked.empty() ? found.front() : asked;
    if (settings_.json) {
      const nlohmann::ordered_json object{
          {"version", version()},      {"compiler", compiler()}, {"build_type", HEED_BUILD_TYPE},
          {"instruction_sets", found}, {"chosen", chosen},       {"threads", available_threads()}};
      console.out().write(object.dump() + "\n");
      return 0;
    }
    std::string names;
    for (const std::string& name : found) names += (names.empty() ? "" : ", ") + name;
    console.out().write(fmt::format(
        "heed {}\nbuilt by {} ({})\ninstruction sets found: {}\nchosen: {}{}\nthreads: {}\n",
        version(), compiler(), HEED_BUILD_TYPE, names, chosen,
        asked.empty() ? "" : " (by HEED_INSTRUCTION_SET)", available_threads()));
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_version_command() {
  return std::make_unique<VersionCommand>();
}

}  // namespace heed
