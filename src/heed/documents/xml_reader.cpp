// XML of any kind: what is a sentence and what is inside one is seen from where text stands.
#include <algorithm>
#include <array>

#include "heed/core/unicode.h"
#include "heed/documents/document_builder.h"
#include "heed/documents/html_elements.h"
#include "heed/documents/message_tags.h"
#include "heed/documents/xml_events.h"

namespace heed::detail {
namespace {

constexpr TextStyle kXmlText{.encode = append_xml};

// Elements of DocBook, HTML and others whose text is no language.
bool is_kept_in_xml(std::string_view name) {
  static constexpr auto kKept =
      std::to_array<std::string_view>({"classname",   "code",    "command",        "computeroutput",
                                       "constant",    "envar",   "filename",       "function",
                                       "kbd",         "literal", "literallayout",  "math",
                                       "option",      "pre",     "programlisting", "prompt",
                                       "replaceable", "samp",    "screen",         "script",
                                       "style",       "svg",     "synopsis",       "userinput",
                                       "var",         "varname"});
  return std::ranges::binary_search(kKept, name);
}

bool is_block_in_xml(std::string_view name) {
  static constexpr auto kBlocks = std::to_array<std::string_view>(
      {"entry", "item", "listitem", "para", "row", "simpara", "string", "term"});
  return is_html_block(name) || std::ranges::binary_search(kBlocks, name);
}

class XmlReader {
 public:
  XmlReader(FormattedDocument& document, std::string_view name)
      : builder_(document, kXmlText),
        events_(read_xml_events(builder_.bytes(), name)),
        elements_(events_.size()) {}

  void read() {
    look_at_elements();
    for (size_t i = 0; i < events_.size();) {
      builder_.keep_until(events_[i].begin);
      i = read_event(i);
      builder_.skip_to(events_[i - 1].end);
    }
    builder_.keep_until(builder_.bytes().size());
    builder_.end_run();
  }

 private:
  // An element, by the number of its start.
  struct Element {
    bool has_text = false;  // other than white space, and not in elements inside it
    bool has_line_end = false;
    size_t children = 0;
  };

  void look_at_elements() {
    std::vector<size_t> open;
    for (size_t i = 0; i < events_.size(); ++i) {
      const XmlEvent& event = events_[i];
      if (event.kind == XmlEvent::Kind::end) {
        open.pop_back();
        continue;
      }
      if (!open.empty()) {
        Element& around = elements_[open.back()];
        if (event.kind == XmlEvent::Kind::start) ++around.children;
        if (event.kind == XmlEvent::Kind::entity || !is_blank(event.text)) around.has_text = true;
        if (event.text.find('\n') != event.text.npos) around.has_line_end = true;
      }
      if (event.kind == XmlEvent::Kind::start) open.push_back(i);
    }
  }

  // Reads an event and those that belong to it; returns the number of the next one.
  size_t read_event(size_t i) {
    const XmlEvent& event = events_[i];
    switch (event.kind) {
      case XmlEvent::Kind::start:
        return read_start(i);
      case XmlEvent::Kind::end:
        if (inline_.back())
          add(InlineItem::Kind::close, i, i + 1);
        else
          builder_.keep(event.begin, event.end);
        inline_.pop_back();
        open_.pop_back();
        break;
      case XmlEvent::Kind::text:
        builder_.add_text(event.text, event.begin, event.end);
        break;
      case XmlEvent::Kind::entity:
        add(InlineItem::Kind::fixed, i, i + 1);
        break;
      case XmlEvent::Kind::other:
        add(InlineItem::Kind::single, i, i + 1);
        break;
    }
    return i + 1;
  }

  size_t read_start(size_t i) {
    const XmlEvent& event = events_[i];
    const Element& element = elements_[i];
    const size_t behind = event.partner + 1;
    const bool is_inside = !open_.empty() && (inline_.back() || elements_[open_.back()].has_text);
    const bool is_structure =
        !element.has_text && element.children > 0 && (element.children > 1 || element.has_line_end);
    bool is_inline = is_inside && !is_structure && !is_block_in_xml(event.local_name());
    if (is_kept_in_xml(event.local_name()) || event.attribute("translate") == "no" ||
        event.attribute("its:translate") == "no" || event.attribute("translatable") == "false") {
      for (size_t inside = i; inside < behind; ++inside)
        if (events_[inside].text.find('\n') != std::string::npos) is_inline = false;
      if (is_inline)
        add(InlineItem::Kind::fixed, i, behind);
      else
        builder_.keep(event.begin, events_[event.partner].end);
      return behind;
    }
    if (event.is_empty_element(events_)) {
      if (is_inline)
        add(InlineItem::Kind::single, i, behind);
      else
        builder_.keep(event.begin, event.end);
      return behind;
    }
    open_.push_back(i);
    inline_.push_back(is_inline);
    if (is_inline) {
      add(InlineItem::Kind::open, i, i + 1);
      return i + 1;
    }
    builder_.keep(event.begin, event.end);
    const bool is_text = event.partner == i + 2 && events_[i + 1].kind == XmlEvent::Kind::text;
    if (!is_text || !has_html_tags(events_[i + 1].text)) return i + 1;
    const XmlEvent& text = events_[i + 1];
    builder_.embed(DocumentBuilder::html(text.text), text.begin, text.end, kXmlText);
    return i + 2;
  }

  void add(InlineItem::Kind kind, size_t first, size_t last) {
    InlineItem item{.kind = kind, .name = events_[first].name};
    DocumentBuilder::append_source(events_[first].begin, events_[last - 1].end, item.tag.parts);
    if (kind == InlineItem::Kind::fixed)
      for (size_t i = first; i < last; ++i)
        item.text += events_[i].kind == XmlEvent::Kind::entity ? events_[i].name : events_[i].text;
    builder_.add(std::move(item));
  }

  DocumentBuilder builder_;
  const std::vector<XmlEvent> events_;
  std::vector<Element> elements_;  // [events]
  std::vector<size_t> open_;       // elements
  std::vector<bool> inline_;       // whether these are inside a text
};

}  // namespace

void read_xml(FormattedDocument& document, std::string_view name) {
  XmlReader(document, name).read();
}

}  // namespace heed::detail
