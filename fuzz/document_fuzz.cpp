// Documents: the first byte chooses the format. A copy has the same bytes, or is complete after one
// copy (PO and XLIFF, whose translations are filled); a translation is well-formed, with the
// elements that XML had.
#include <algorithm>

#include "fuzz.h"
#include "heed/core/error.h"
#include "heed/documents/formatted_document.h"
#include "heed/documents/xml_events.h"

namespace heed {
namespace {

std::vector<TranslatedText> copies_of(const FormattedDocument& document) {
  std::vector<TranslatedText> copies;
  for (const MarkedText& text : document.texts()) {
    fuzzing::require(!text.text.empty() && text.text.find('\n') == text.text.npos);
    copies.push_back({text.text});
  }
  return copies;
}

// Other words, linked as the bytes of the text have it.
std::vector<TranslatedText> translations_of(const FormattedDocument& document) {
  std::vector<TranslatedText> all;
  for (const MarkedText& text : document.texts()) {
    TranslatedText& made = all.emplace_back();
    for (size_t i = 0; i < std::min<size_t>(text.text.size(), 12); ++i) {
      made.text += i % 3 == 2 ? " <&>\"\\" : " wort";
      made.links.push_back({int64_t(uint8_t(text.text[i]) % 7), int64_t(i)});
    }
  }
  return all;
}

std::vector<std::string> elements_of(const std::string& xml) {
  std::vector<std::string> names;
  for (const detail::XmlEvent& event : detail::read_xml_events(xml, "fuzz"))
    if (event.kind == detail::XmlEvent::Kind::start) names.push_back(event.name);
  std::ranges::sort(names);
  return names;
}

}  // namespace
}  // namespace heed

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  if (size == 0) return 0;
  constexpr auto kFormats = enum_names(DocumentFormat());
  const DocumentFormat format = kFormats[data[0] % kFormats.size()].second;
  const std::string bytes(fuzzing::text_of(data + 1, size - 1));
  try {
    const FormattedDocument document(bytes, format);
    const std::string copy = document.with(copies_of(document));
    const bool is_filled = format == DocumentFormat::po || format == DocumentFormat::xliff;
    const std::string made = document.with(translations_of(document));
    try {
      const FormattedDocument again(copy, format), other(made, format);
      fuzzing::require(again.with(copies_of(again)) == copy);
      if (format == DocumentFormat::xml) fuzzing::require(elements_of(made) == elements_of(bytes));
    } catch (const Error&) {
      fuzzing::require(false);  // it was well-formed
    }
    fuzzing::require(is_filled || copy == bytes);
  } catch (const Error&) {
  }
  return 0;
}
