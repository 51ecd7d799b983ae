// Sentences: they and the white space between them are the text, each is one sentence again, and
// joining them does not fail.
#include "fuzz.h"
#include "heed/core/unicode.h"
#include "heed/text/sentences.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const std::string_view text = fuzzing::text_of(data, size);
  for (const TextUnit unit : {TextUnit::lines, TextUnit::sentences}) {
    const SplitDocument split = split_document(text, unit);
    std::string source;
    for (const TextSentence& sentence : split.sentences) {
      source.append(sentence.before).append(sentence.text);
      fuzzing::require(!sentence.text.empty());
      fuzzing::require(without_leading_whitespace(sentence.text) == sentence.text);
      fuzzing::require(without_trailing_whitespace(sentence.text) == sentence.text);
      fuzzing::require(without_leading_whitespace(sentence.before).empty());
      // The number of '"' in the line decides whether one closes a quote.
      if (sentence.text.find('"') == sentence.text.npos)
        fuzzing::require(split_document(sentence.text, unit).sentences.size() == 1);
    }
    fuzzing::require(source.append(split.after) == text);
    fuzzing::require(join_sentences(split.sentences, split.after).size() <=
                     text.size() + split.sentences.size());
  }
  return 0;
}
