// A SentencePiece model: what passes the check and loads encodes and decodes any text.
#include <vector>

#include "fuzz.h"
#include "heed/core/utf8.h"
#include "heed/text/tokenizer.h"

namespace {

using namespace heed;

constexpr std::string_view kTexts[] = {
    "",
    " ",
    "Ich sehe ein Haus.",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "你好，世界 ﬁ Å ½ 𝒳 e\u0301 ▁▁ ⁇",
    "\xff\xe4\xbd a\tb\r <s></s><unk><0x41>"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzzing::read_or_refuse([&] {
    const auto pair = TokenizerPair::joint(std::string(fuzzing::text_of(data, size)), "fuzz.spm");
    const Tokenizer& tokenizer = pair.source();
    std::vector<TokenId> every;
    for (TokenId id = 0; id < std::min<int64_t>(tokenizer.size(), 300); ++id) every.push_back(id);
    for (const std::string_view text : kTexts) {
      fuzzing::read_or_refuse([&] {
        const std::vector<TokenId> ids = tokenizer.encode(text);
        for (const TokenId id : ids) fuzzing::require(id >= 0 && id < tokenizer.pad_id());
        const std::string decoded = tokenizer.decode(ids);
        fuzzing::require(!find_invalid_utf8(decoded) && decoded.find('\n') == decoded.npos);
      });
    }
    fuzzing::read_or_refuse([&] { tokenizer.decode(every); });
  });
  return 0;
}
