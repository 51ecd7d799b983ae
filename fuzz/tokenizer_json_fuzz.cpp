// A tokenizer.json: what passes the checks encodes and decodes any text.
#include <vector>

#include "fuzz.h"
#include "heed/core/utf8.h"
#include "heed/text/tokenizer.h"

namespace {

using namespace heed;

constexpr std::string_view kTexts[] = {
    "", "  ab abab\n\n\tit's 12  <x><|endoftext|>",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "你好，世界 ﬁ Å ½ 𝒳 e\u0301 \u00a0\u3000", "\xff\xe4\xbd a\tb\r <s></s><unk><0x41>"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzzing::MemoryFile file;
  static const fuzzing::MemoryDirectory directory;
  static const bool added = (directory.add("tokenizer.json", file), true);
  fuzzing::require(added);
  file.hold(fuzzing::text_of(data, size));
  fuzzing::read_or_refuse([&] {
    const TokenizerPair pair = TokenizerPair::load(directory.path());
    const Tokenizer& tokenizer = pair.source();
    std::vector<TokenId> every;
    for (TokenId id = 0; id < std::min<int64_t>(tokenizer.size(), 300); ++id) every.push_back(id);
    for (const std::string_view text : kTexts) {
      const std::vector<TokenId> ids = tokenizer.encode(text);
      for (const TokenId id : ids)
        fuzzing::require(id >= 0 && id < tokenizer.size() && id != tokenizer.end_id());
      fuzzing::require(!find_invalid_utf8(tokenizer.decode(ids)));
    }
    fuzzing::require(!find_invalid_utf8(tokenizer.decode(every)));
  });
  return 0;
}
