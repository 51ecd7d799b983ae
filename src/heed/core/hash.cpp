#include "heed/core/hash.h"

// Compiled into this file, xxHash is inlined where text is short, and needs no library to link.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace heed {

uint64_t hash_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

uint64_t hash_of(std::span<const uint64_t> numbers) {
  return XXH3_64bits(numbers.data(), numbers.size_bytes());
}

struct Hash::State {
  XXH3_state_t xxh3;
};

Hash::Hash() : state_(std::make_unique<State>()) {
  XXH3_64bits_reset(&state_->xxh3);
}

Hash::~Hash() = default;

void Hash::add(std::string_view bytes) {
  XXH3_64bits_update(&state_->xxh3, bytes.data(), bytes.size());
}

uint64_t Hash::value() const {
  return XXH3_64bits_digest(&state_->xxh3);
}

}  // namespace heed
