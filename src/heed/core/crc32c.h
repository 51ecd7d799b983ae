// CRC-32C (Castagnoli), the checksum of formats that others define; heed's own files have XXH3
// (core/hash.h).
#pragma once

#include <boost/crc.hpp>
#include <cstdint>
#include <string_view>

namespace heed {

// 0xE3069283 for "123456789". zlib's and xxHash's checksums are others: zlib's CRC-32 has another
// polynomial.
inline uint32_t crc32c_of(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace heed
