// Bytes of other programs' formats, made by hand.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// One gzip member.
inline std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&stream, uLong(text.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = uInt(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = uInt(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

// A field of a message in the protocol buffers' wire format: a .spm file is such a message.
inline std::string message_field(int number, const std::string& bytes) {
  std::string text(1, char(number << 3 | 2));
  for (size_t rest = bytes.size();; rest >>= 7) {
    text += char((rest & 0x7F) | (rest >= 0x80 ? 0x80 : 0));
    if (rest < 0x80) break;
  }
  return text + bytes;
}

// A piece that the user defined, as a field of a .spm file.
inline std::string user_piece(const std::string& text) {
  return message_field(1, message_field(1, text) + "\x18\x04");
}

// The units of a normalization table that reads "a" as the first of its replacements: the root's
// children stand at their bytes, the value of "a" beside it.
inline std::vector<uint32_t> normalizer_units() {
  constexpr uint32_t kHasValue = 1u << 8, kNextUnit = 1u << 10, kValue = 1u << 31;
  std::vector<uint32_t> units(256, 0);
  units['a'] = 'a' | kHasValue | kNextUnit;
  units['a' ^ 1] = kValue | 0;
  return units;
}

// Four bytes of size, the units, the replacements.
inline std::string normalizer_table(const std::vector<uint32_t>& units,
                                    const std::string& replacements) {
  const auto size = uint32_t(units.size() * sizeof(uint32_t));
  std::string text(reinterpret_cast<const char*>(&size), sizeof size);
  text.append(reinterpret_cast<const char*>(units.data()), size);
  return text + replacements;
}

// The normalizer (3) or denormalizer (5) of a .spm file.
inline std::string normalizer_field(const std::string& table, int number = 3) {
  return message_field(number, message_field(2, table));
}

// A safetensors file without the checksum that its metadata may hold: what is read is then what the
// bytes say.
inline std::string without_checksum(std::string file) {
  static constexpr std::string_view kKey = "\"checksum\":\"";
  const size_t at = file.find(kKey);
  if (at != file.npos) file.replace(at, kKey.size(), "\"no_check\":\"");
  return file;
}

}  // namespace heed
