// vocab.json: what loads is written and read again as it is.
#include "fuzz.h"
#include "heed/text/vocabulary.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  static const fuzzing::MemoryFile file;
  fuzzing::read_or_refuse([&] {
    const Vocabulary vocabulary = Vocabulary::load(file.hold(fuzzing::text_of(data, size)));
    const std::string text = vocabulary.json();
    fuzzing::require(Vocabulary::load(file.hold(text)).json() == text);
    vocabulary.padded_to(vocabulary.size() + 3);
  });
  return 0;
}
