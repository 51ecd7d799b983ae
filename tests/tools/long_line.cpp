// long_line MODEL < LINE: the processor time that a long line takes outside the model, in seconds:
// cutting it into parts that the model can take, and making text of the parts' tokens again.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>

#include "heed/decode/split.h"
#include "heed/text/lines.h"

namespace {

constexpr int64_t kTokensOfAPart = 255;

double processor_seconds() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}

void measure(const std::filesystem::path& model) {
  const heed::TokenizerPair tokenizers = heed::TokenizerPair::load(model);
  const heed::Tokenizer& tokenizer = tokenizers.source();
  std::string line;
  heed::open_lines("-").next(line);
  const double begin = processor_seconds();
  const auto parts = heed::split_text(line, kTokensOfAPart, [&](std::string_view text) {
    return tokenizer.encode_with_ends(text);
  });
  const double split = processor_seconds();
  std::vector<std::string> texts;
  for (const heed::TextPart& part : parts) texts.push_back(tokenizer.decode(part.ids));
  const std::string joined = heed::join_parts(texts);
  const double end = processor_seconds();
  fmt::print("{} bytes, {} parts: split {:.2f} s, decode and join {:.2f} s\n", line.size(),
             parts.size(), split - begin, end - split);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count != 2) throw std::runtime_error("usage: long_line MODEL < LINE");
    measure(arguments[1]);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "long_line: {}\n", error.what());
    return 1;
  }
}
