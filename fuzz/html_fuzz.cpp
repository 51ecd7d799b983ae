// HTML: its tokens lie end to end, a copy of a document has its bytes, and a translation has all of
// its tags, whatever the words and their links are.
#include <map>

#include "fuzz.h"
#include "heed/core/utf8.h"
#include "heed/documents/formatted_document.h"
#include "heed/text/html_tokens.h"

namespace heed {
namespace {

// How often each tag is in a document, by its name; and each comment.
std::map<std::string, int> tags_of(const std::string& html) {
  std::map<std::string, int> tags;
  size_t end = 0;
  HtmlTokenizer tokenizer(html);
  for (HtmlToken token; tokenizer.next(token); end = token.end) {
    fuzzing::require(token.begin == end && token.end > token.begin);
    if (token.kind == HtmlToken::Kind::start_tag) ++tags["<" + token.name];
    if (token.kind == HtmlToken::Kind::end_tag) ++tags["</" + token.name];
    if (token.kind == HtmlToken::Kind::other)
      ++tags[html.substr(token.begin, token.end - token.begin)];
  }
  fuzzing::require(end == html.size());
  return tags;
}

}  // namespace
}  // namespace heed

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const std::string html(fuzzing::text_of(data, size));
  const std::map<std::string, int> tags = tags_of(html);
  if (find_invalid_utf8(html)) return 0;
  const FormattedDocument document(html, DocumentFormat::html);
  std::vector<TranslatedText> same, other;
  for (const MarkedText& text : document.texts()) {
    fuzzing::require(!text.text.empty() && text.text.find('\n') == text.text.npos);
    same.push_back({text.text});
    // The words backwards, linked as the bytes of the text have it
    TranslatedText& made = other.emplace_back();
    for (size_t i = 0; i < std::min<size_t>(text.text.size(), 12); ++i) {
      made.text += i % 3 == 2 ? " <&>" : " wort";
      made.links.push_back({int64_t(uint8_t(text.text[i]) % 7), int64_t(i)});
    }
  }
  fuzzing::require(document.with(same) == html);
  fuzzing::require(tags_of(document.with(other)) == tags);
  return 0;
}
