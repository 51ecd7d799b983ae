#include "heed/core/crc32c.h"

#include <boost/crc.hpp>

namespace heed {

// zlib's and xxHash's checksums are others: zlib's CRC-32 has another polynomial.
uint32_t crc32c_of(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace heed
