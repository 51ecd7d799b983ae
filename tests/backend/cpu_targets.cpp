// The CPU's instruction sets alone.
#include "backend/targets.h"
#include "heed/backend/cpu/cpu_backend.h"

namespace heed::testing {

std::vector<Computing> computings() {
  return cpu_computings();
}
std::vector<std::string> targets() {
  return cpu_targets();
}
std::unique_ptr<Backend> make_target(const Computing& computing) {
  return make_cpu_backend(computing.backend, computing.compute);
}

}  // namespace heed::testing
