// odd_lines LINES [SEED]: prints lines that no one should have to translate: empty and huge ones,
// every plane of Unicode, control characters, mixed scripts, broken UTF-8, words of the vocabulary.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "heed/core/rng.h"
#include "heed/core/utf8.h"

namespace {

using heed::Random;

char32_t any_character(Random& random) {
  const char32_t plane = char32_t(random.below(17)) << 16;
  const char32_t character = plane | char32_t(random.below(0x10000));
  return character == U'\n' ? U' ' : character;
}

// From blocks of the scripts that stand together in one line.
char32_t script_character(Random& random) {
  constexpr std::pair<char32_t, char32_t> kBlocks[] = {
      {0x20, 0x7E},     {0xA0, 0x24F},    {0x370, 0x3FF},     {0x400, 0x4FF},
      {0x590, 0x5FF},   {0x600, 0x6FF},   {0x900, 0x97F},     {0xE00, 0xE7F},
      {0x1100, 0x11FF}, {0x2000, 0x206F}, {0x3040, 0x30FF},   {0x4E00, 0x9FFF},
      {0xAC00, 0xD7A3}, {0xFE00, 0xFEFF}, {0x1F300, 0x1F6FF}, {0x300, 0x36F}};
  const auto [first, last] = kBlocks[random.below(std::size(kBlocks))];
  return first + char32_t(random.below(last - first + 1));
}

std::string characters(Random& random, uint64_t count, char32_t (*draw)(Random&)) {
  std::string text;
  for (; count > 0; --count) heed::append_utf8(text, draw(random));
  return text;
}

std::string bytes(Random& random, uint64_t count, uint64_t values) {
  std::string text;
  for (; count > 0; --count) {
    const char byte = char(random.below(values));
    text += byte == '\n' ? '\r' : byte;
  }
  return text;
}

std::string odd_line(Random& random, int64_t number) {
  constexpr const char* kWords[] = {"<s>", "</s>",   "<unk>", "<pad>", "▁",
                                    "⁇",   ">>de<<", "他",    "。"};
  // Huge ones come early too, so that memory has seen its worst when it is first looked at.
  const bool early = number < 10'000 && number % 500 == 77;
  if (early || number % 20'000 == 77) return characters(random, 50'000, script_character);
  if (number % 2'000 == 13) return std::string(4'000, "ab 他"[random.below(3)]);
  switch (random.below(8)) {
    case 0:
      return "";
    case 1:
      return bytes(random, random.below(12), 0x20);  // control characters
    case 2:
      return bytes(random, random.below(24), 0x100);  // hardly UTF-8
    case 3:
      return characters(random, random.below(16), any_character);
    case 4:
      return std::string(random.below(30), ' ');
    case 5: {
      std::string line;
      for (uint64_t i = random.below(8); i > 0; --i)
        line += kWords[random.below(std::size(kWords))];
      return line;
    }
    default:
      return characters(random, random.below(24), script_character);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t lines = argc > 1 ? std::atoll(argv[1]) : 1000;
  Random random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  for (int64_t i = 0; i < lines; ++i) {
    const std::string line = odd_line(random, i) + "\n";
    if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size()) return 1;
  }
  return 0;
}
