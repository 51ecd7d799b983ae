// The elements and texts of an XML document, with the bytes that each has.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::detail {

struct XmlEvent {
  enum class Kind {
    start,   // of an element
    end,     // of an element; that of <a/> has no bytes
    text,    // with character references, and sections of CDATA as a whole
    entity,  // "&name;" of an entity that the document declares
    other    // a comment or a processing instruction
  };
  Kind kind = Kind::other;
  size_t begin = 0, end = 0;  // bytes of the document
  size_t partner = 0;         // of a start or end: the number of the other event
  std::string name = {};      // of an element or entity, with its prefix
  std::string text = {};      // the characters of a text
  std::vector<std::pair<std::string, std::string>> attributes = {};

  // The name without its prefix.
  std::string_view local_name() const {
    return std::string_view(name).substr(name.find(':') + 1);  // npos + 1 is 0
  }
  // The value of an attribute, or an empty text.
  std::string_view attribute(std::string_view key) const;
  bool is_empty_element(const std::vector<XmlEvent>& events) const {
    return kind == Kind::start && events[partner].begin == events[partner].end;
  }
};

// In the order of the document; those of its declarations are left out. Entities are not replaced,
// and nothing outside the document is read. Error, with `name` and the place, if it is not
// well-formed, or in another encoding than UTF-8.
std::vector<XmlEvent> read_xml_events(std::string_view xml, std::string_view name);

// Appends a text with & < > as character references, and without the characters that XML cannot
// have.
void append_xml(std::string_view text, std::string& xml);

}  // namespace heed::detail
