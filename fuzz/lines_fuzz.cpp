// Text files, plain or gzip: the lines of a plain one are its bytes.
#include "fuzz.h"
#include "heed/text/lines.h"
#include "heed/text/parallel_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  static const fuzzing::MemoryFile file;
  const std::string_view text = fuzzing::text_of(data, size);
  file.hold(text);
  fuzzing::read_or_refuse([&] {
    LineReader reader(file.path());
    std::string line, all;
    constexpr size_t kEnough = size_t{1} << 22;  // of what little gzip may become
    while (all.size() < kEnough && reader.next(line)) all += line + "\n";
    if (text.starts_with("\x1f\x8b")) return;
    fuzzing::require(all == text || all == std::string(text) + "\n");
  });
  fuzzing::read_or_refuse([&] { survey(file.path()); });
  return 0;
}
