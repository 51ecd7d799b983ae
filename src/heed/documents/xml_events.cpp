// Expat reads XML here, not libxml2: it has the bytes of every event, does not recurse, and does
// not replace entities in text unless it is asked to.
#include "heed/documents/xml_events.h"

#include <expat.h>

#include <exception>
#include <limits>
#include <memory>

#include "heed/core/ascii.h"
#include "heed/core/error.h"
#include "heed/core/utf8.h"

namespace heed::detail {

std::string_view XmlEvent::attribute(std::string_view key) const {
  for (const auto& [name_of_it, value] : attributes)
    if (name_of_it == key) return value;
  return {};
}

namespace {

class XmlParser {
 public:
  XmlParser(std::string_view xml, std::string_view name)
      : xml_(xml), name_(name), parser_(XML_ParserCreate(nullptr), &XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_Parser parser = parser_.get();
    XML_SetUserData(parser, this);
    XML_SetElementHandler(parser, &XmlParser::on_start, &XmlParser::on_end);
    XML_SetCharacterDataHandler(parser, &XmlParser::on_text);
    XML_SetCdataSectionHandler(parser, &XmlParser::on_cdata, &XmlParser::on_cdata_end);
    XML_SetXmlDeclHandler(parser, &XmlParser::on_declaration);
    // A handler of the rest also keeps entities as they are.
    XML_SetDefaultHandler(parser, &XmlParser::on_rest);
  }

  std::vector<XmlEvent> read() {
    if (xml_.size() > size_t(std::numeric_limits<int>::max()))
      fail("{}: {} bytes, at most {} can be read", name_, xml_.size(),
           std::numeric_limits<int>::max());
    const XML_Status status = XML_Parse(parser_.get(), xml_.data(), int(xml_.size()), XML_TRUE);
    if (failure_) std::rethrow_exception(failure_);
    if (status != XML_STATUS_OK)
      fail("{}: line {}, column {}: not well-formed: {}", name_,
           XML_GetCurrentLineNumber(parser_.get()), XML_GetCurrentColumnNumber(parser_.get()) + 1,
           XML_ErrorString(XML_GetErrorCode(parser_.get())));
    return std::move(events_);
  }

 private:
  // What throws in a handler is thrown by read(): the frames between are those of C.
  template <class Handler>
  static void handle(void* self, Handler&& handler) {
    XmlParser& parser = *static_cast<XmlParser*>(self);
    if (parser.failure_) return;
    try {
      handler(parser);
    } catch (...) {
      parser.failure_ = std::current_exception();
      XML_StopParser(parser.parser_.get(), XML_FALSE);
    }
  }
  size_t begin() const { return size_t(XML_GetCurrentByteIndex(parser_.get())); }
  size_t end() const { return begin() + size_t(XML_GetCurrentByteCount(parser_.get())); }

  XmlEvent& add(XmlEvent::Kind kind) {
    return events_.emplace_back(XmlEvent{.kind = kind, .begin = begin(), .end = end()});
  }

  // Adds a text, unless the last event is one that ends here.
  void begin_text() {
    const bool continues = !events_.empty() && events_.back().kind == XmlEvent::Kind::text &&
                           events_.back().end == begin();
    if (!continues) add(XmlEvent::Kind::text);
  }

  static void on_start(void* self, const char* name, const char** attributes) {
    handle(self, [&](XmlParser& parser) {
      XmlEvent& event = parser.add(XmlEvent::Kind::start);
      event.name = name;
      for (; *attributes != nullptr; attributes += 2)
        event.attributes.emplace_back(attributes[0], attributes[1]);
      parser.open_.push_back(parser.events_.size() - 1);
    });
  }
  static void on_end(void* self, const char* name) {
    handle(self, [&](XmlParser& parser) {
      XmlEvent& event = parser.add(XmlEvent::Kind::end);
      event.name = name;
      event.partner = parser.open_.back();
      parser.open_.pop_back();
      XmlEvent& start = parser.events_[event.partner];
      start.partner = parser.events_.size() - 1;
      if (event.begin == event.end || event.begin < start.end)
        event.begin = event.end = start.end;  // of <a/>
    });
  }
  static void on_text(void* self, const char* text, int length) {
    handle(self, [&](XmlParser& parser) {
      if (!parser.in_cdata_) parser.begin_text();
      parser.events_.back().text.append(text, size_t(length));
      if (!parser.in_cdata_) parser.events_.back().end = parser.end();
    });
  }
  static void on_cdata(void* self) {
    handle(self, [&](XmlParser& parser) {
      parser.begin_text();
      parser.in_cdata_ = true;
    });
  }
  static void on_cdata_end(void* self) {
    handle(self, [&](XmlParser& parser) {
      parser.in_cdata_ = false;
      parser.events_.back().end = parser.end();
    });
  }
  static void on_declaration(void* self, const char* version, const char* encoding, int) {
    handle(self, [&](XmlParser& parser) {
      if (version == nullptr || encoding == nullptr) return;
      const std::string known = lower_ascii(std::string_view(encoding));
      if (known != "utf-8" && known != "utf8" && known != "us-ascii" && known != "ascii")
        fail("{}: its encoding is {}, expected UTF-8: convert it, as by iconv", parser.name_,
             excerpt(encoding, 40));
    });
  }
  static void on_rest(void* self, const char* bytes, int length) {
    handle(self, [&](XmlParser& parser) {
      const std::string_view rest(bytes, size_t(length));
      if (parser.open_.empty()) return;  // declarations, and white space around the root
      if (rest.starts_with('&') && rest.ends_with(';')) {
        parser.add(XmlEvent::Kind::entity).name = rest.substr(1, rest.size() - 2);
      } else if (rest.starts_with("<!--") || rest.starts_with("<?")) {
        parser.add(XmlEvent::Kind::other);
      }
    });
  }

  const std::string_view xml_, name_;
  const std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_;
  std::vector<XmlEvent> events_;
  std::vector<size_t> open_;  // elements, by the numbers of their starts
  bool in_cdata_ = false;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<XmlEvent> read_xml_events(std::string_view xml, std::string_view name) {
  return XmlParser(xml, name).read();
}

void append_xml(std::string_view text, std::string& xml) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Character next = first_utf8_character(text.substr(at));
    const bool is_control = next.value < 0x20 && next.value != '\t' && next.value != '\n';
    if (next.value == '&')
      xml += "&amp;";
    else if (next.value == '<')
      xml += "&lt;";
    else if (next.value == '>')
      xml += "&gt;";
    else if (!is_control && next.value != 0xFFFE && next.value != 0xFFFF)
      xml += text.substr(at, next.bytes);
    at += next.bytes;
  }
}

}  // namespace heed::detail
