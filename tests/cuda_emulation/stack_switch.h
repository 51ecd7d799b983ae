// Tells AddressSanitizer of changes from stack to stack, without which it takes exceptions on
// another one for mistakes. Other builds have nothing to do.
#pragma once

#include <cstddef>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace heed::cuda {

struct Stack {
  const void* bottom = nullptr;
  size_t size = 0;
};

#ifdef __SANITIZE_ADDRESS__

// Before a stack is used again.
inline void clean_stack(const Stack& stack) {
  __asan_unpoison_memory_region(stack.bottom, stack.size);
}
// Before the change to `next`. `own` keeps what the present stack needs when it goes on; null: it
// does not.
inline void leave_stack(void** own, const Stack& next) {
  __sanitizer_start_switch_fiber(own, next.bottom, next.size);
}
// After it, on the stack that goes on. Returns the one that was left.
inline Stack enter_stack(void* own) {
  Stack left;
  __sanitizer_finish_switch_fiber(own, &left.bottom, &left.size);
  return left;
}

#else

inline void clean_stack(const Stack&) {}
inline void leave_stack(void**, const Stack&) {}
inline Stack enter_stack(void*) {
  return {};
}

#endif

}  // namespace heed::cuda
