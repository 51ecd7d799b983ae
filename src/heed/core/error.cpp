#include "heed/core/error.h"

namespace heed {

void report_bug(const char* what, const char* file, int line) {
  throw Bug(fmt::format("{}:{}: {} (a bug in heed; please report it)", file, line, what));
}

}  // namespace heed
