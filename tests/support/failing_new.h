// Allocations that fail: link failing_new.cpp, which replaces operator new.
#pragma once

#include <cstdint>

namespace heed::testing {

// While it lives, `working` more allocations of this thread work, and all later ones throw
// std::bad_alloc.
class FailingNew {
 public:
  explicit FailingNew(int64_t working);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;
};

}  // namespace heed::testing
