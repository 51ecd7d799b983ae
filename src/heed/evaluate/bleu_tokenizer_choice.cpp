#include "heed/evaluate/bleu_tokenizer_choice.h"

#include "heed/core/scripts.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

// Characters of the scripts without spaces, and words of the others: a word says about as much as
// one or two Chinese characters, a letter much less.
struct Counts {
  int64_t han = 0, kana = 0, other_unspaced = 0, words = 0;

  void add(const std::string& line) {
    bool in_word = false;
    for (const char32_t character : decode_utf8(line)) {
      const auto script = script_of(character);
      const bool spaced = script && !is_unspaced(*script);
      if (spaced && !in_word) ++words;
      in_word = spaced;
      if (!script || spaced) continue;
      ++(*script == Script::han ? han : *script == Script::kana ? kana : other_unspaced);
    }
  }
};

}  // namespace

BleuTokenizer suitable_bleu_tokenizer(std::span<const Lines> references) {
  // A product's name may bring kana into Chinese; Japanese has them in every sentence.
  constexpr int64_t kHanPerKana = 10;
  Counts counts;
  for (const Lines& lines : references)
    for (const std::string& line : lines) counts.add(line);
  const int64_t east_asian = counts.han + counts.kana;
  if (counts.words >= east_asian + counts.other_unspaced) return BleuTokenizer::mteval_13a;
  const bool chinese =
      counts.han > counts.other_unspaced && counts.kana * kHanPerKana <= counts.han;
  return chinese ? BleuTokenizer::chinese : BleuTokenizer::character;
}

}  // namespace heed
