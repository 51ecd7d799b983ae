// Whether a sanitizer watches: it takes memory and addresses of its own, and must be the first
// library that is loaded.
#pragma once

namespace heed::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace heed::testing
