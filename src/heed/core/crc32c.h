// CRC-32C (Castagnoli), the checksum of formats that others define; heed's own files have XXH3
// (core/hash.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace heed {

// 0xE3069283 for "123456789".
uint32_t crc32c_of(std::string_view bytes);

}  // namespace heed
