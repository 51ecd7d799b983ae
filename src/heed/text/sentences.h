// Splits text into sentences and the white space between them, and joins their translations.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

// All views refer to the text that was split.
struct TextSentence {
  std::string_view before;  // white space (core/unicode.h) between this and the sentence before it
  std::string_view text;    // not empty; neither begins nor ends with white space
};

// The source is the concatenation of `before` and `text` of all sentences, and `after`.
struct SplitDocument {
  std::vector<TextSentence> sentences;
  std::string_view after;
};

// The unit that is translated at a time.
enum class TextUnit { lines, sentences };

constexpr std::array<std::pair<std::string_view, TextUnit>, 2> enum_names(TextUnit) {
  return {{{"lines", TextUnit::lines}, {"sentences", TextUnit::sentences}}};
}

// The lines or the sentences of a text. Lines end at \n, \r, \v, \f, U+0085, U+2028 and U+2029;
// those of white space alone are left out. The end of a line always ends a sentence, in any
// language. Within a line a sentence ends
// - after 。！？ and the full stops of India, Ethiopia, Armenia, Myanmar and Khmer, and the quotes
//   and brackets that close there, unless the sentence goes on (“好！”他说。). A semicolon ends
//   none.
// - after . ! ? … ؟ ۔ with closing quotes and brackets if white space follows and then anything but
//   a lower-case letter. Not after an abbreviation, an initial, an ordinal before a noun
//   (am 3. Mai), or a number that begins a sentence (1. First); see text/sentence_ends.h.
// Where it is in doubt, a sentence goes on: half a sentence is translated worse than two at once.
// Any bytes are allowed; bytes that are not UTF-8 are read as U+FFFD. The cost is linear in the
// text.
SplitDocument split_document(std::string_view text, TextUnit unit);

// Joins translations: `text` of each sentence is a translation and `before` the white space before
// its source. White space is kept at the beginning and the end, and where it is more than a space.
// Other translations are joined with a space, or with nothing next to a Chinese or Japanese
// character.
std::string join_sentences(const std::vector<TextSentence>& translations,
                           std::string_view after = {});

}  // namespace heed
