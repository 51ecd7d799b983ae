// Whether a sanitizer watches: it takes memory and addresses of its own, and must be the first
// library that is loaded.
#pragma once

// The first functions of the sanitizers' libraries. A test does not know when it is compiled: the
// sanitizers' short run compiles again what is tested, but not the tests.
extern "C" {
__attribute__((weak)) void __asan_init();
__attribute__((weak)) void __tsan_init();
}

namespace heed::testing {

inline bool is_sanitized() {
  return &__asan_init != nullptr || &__tsan_init != nullptr;
}

}  // namespace heed::testing
