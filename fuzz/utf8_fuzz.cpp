// UTF-8: mending gives valid text, and valid text survives every way through code points.
#include "fuzz.h"
#include "heed/core/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const std::string_view text = fuzzing::text_of(data, size);
  const std::string mended = replace_invalid_utf8(text);
  fuzzing::require(!find_invalid_utf8(mended));
  fuzzing::require(find_invalid_utf8(text).has_value() == (mended != text));
  fuzzing::require(encode_utf8(decode_utf8(text)) == mended);
  return 0;
}
