// XLIFF 1.2 and 2: units of a source and a target.
#include <algorithm>
#include <optional>

#include "heed/core/error.h"
#include "heed/core/unicode.h"
#include "heed/documents/document_builder.h"
#include "heed/documents/xml_events.h"
#include "heed/text/html_tokens.h"

namespace heed::detail {
namespace {

constexpr TextStyle kXliffText{.encode = append_xml, .parts_at_halves = false};

class XliffReader {
 public:
  XliffReader(FormattedDocument& document, std::string_view name)
      : builder_(document, kXliffText),
        xml_(builder_.bytes()),
        events_(read_xml_events(xml_, name)) {
    const auto root = std::ranges::find(events_, XmlEvent::Kind::start, &XmlEvent::kind);
    if (root == events_.end() || root->local_name() != "xliff")
      fail("{}: its first element is <{}>, expected <xliff>", name,
           root == events_.end() ? "" : root->name);
  }

  void read() {
    std::vector<bool> translated = {true};  // of the elements that are open
    Unit unit;
    for (size_t i = 0; i < events_.size(); ++i) {
      const XmlEvent& event = events_[i];
      if (event.kind == XmlEvent::Kind::end) {
        if (is_unit(event.local_name())) read_unit(unit), unit = {};
        translated.pop_back();
      }
      if (event.kind != XmlEvent::Kind::start) continue;
      const std::string_view name = event.local_name();
      if (name == "source" || name == "target" || name == "seg-source" || name == "alt-trans") {
        if (name == "source") unit.source = i;
        if (name == "target") unit.target = i;
        if (name == "source" || name == "seg-source") unit.end = events_[event.partner].end;
        i = event.partner;
        continue;
      }
      const std::string_view translate = event.attribute("translate");
      translated.push_back(translate.empty() ? bool(translated.back()) : translate != "no");
      if (is_unit(name))
        unit = {.start = i,
                .translated = translated.back() && event.attribute("approved") != "yes"};
    }
    builder_.keep_until(xml_.size());
  }

 private:
  static constexpr size_t kNone = size_t(-1);

  // <trans-unit> or <segment>; its elements by the numbers of their starts.
  struct Unit {
    size_t start = kNone, source = kNone, target = kNone;
    size_t end = 0;  // behind the source
    bool translated = false;
  };

  static bool is_unit(std::string_view name) { return name == "trans-unit" || name == "segment"; }

  bool has_text(size_t start) const {
    for (size_t i = start + 1; i < events_[start].partner; ++i)
      if (events_[i].kind != XmlEvent::Kind::text || !is_blank(events_[i].text)) return true;
    return false;
  }

  void read_unit(const Unit& unit) {
    if (!unit.translated || unit.source == kNone || !has_text(unit.source)) return;
    const bool has_target = unit.target != kNone && has_text(unit.target);
    // In version 1.2 the target has the state, in version 2 the segment.
    const bool is_segment = events_[unit.start].local_name() == "segment";
    const size_t with_state = is_segment ? unit.start : unit.target;
    const std::string_view state =
        with_state == kNone ? std::string_view() : events_[with_state].attribute("state");
    const bool is_new =
        state == "new" || state == "needs-translation" || (is_segment && state == "initial");
    if (has_target && !is_new) return;
    if (is_segment && is_new) replace_state(unit.start, "translated");
    if (unit.target == kNone)
      add_target(unit);
    else
      fill_target(unit, is_new && !is_segment);
  }

  // Writes the start tag up to its attribute `state`, and another value for it.
  void replace_state(size_t start, std::string_view value) {
    const XmlEvent& event = events_[start];
    HtmlTokenizer tokenizer(xml_.substr(event.begin, event.end - event.begin));
    HtmlToken token;
    tokenizer.next(token);
    for (const HtmlAttribute& attribute : token.attributes)
      if (attribute.name == "state") {
        builder_.keep_until(event.begin + attribute.begin);
        builder_.keep_literal(value);
        builder_.skip_to(event.begin + attribute.end);
      }
  }

  void add_target(const Unit& unit) {
    const XmlEvent& source = events_[unit.source];
    builder_.keep_until(unit.end);
    // On a line of its own where the source has one.
    const size_t before = xml_.find_last_not_of(" \t", source.begin - 1);
    if (before != xml_.npos && xml_[before] == '\n') {
      const bool is_crlf = before > 0 && xml_[before - 1] == '\r';
      builder_.keep_literal((is_crlf ? "\r\n" : "\n") +
                            std::string(xml_.substr(before + 1, source.begin - before - 1)));
    }
    const std::string name =
        source.name.substr(0, source.name.size() - source.local_name().size()) + "target";
    builder_.keep_literal("<" + name);
    const auto mark = begin_state(unit);
    builder_.keep_literal(">");
    add_source(unit.source);
    builder_.keep_literal("</" + name + ">");
    if (mark) builder_.end_mark(*mark);
  }

  // The state of a target that is new, if it becomes doubtful. In version 2 the state is of a
  // segment, and has no such value.
  std::optional<size_t> begin_state(const Unit& unit) {
    if (events_[unit.start].local_name() == "segment") return {};
    return builder_.begin_mark(" state=\"needs-review-translation\"");
  }

  void fill_target(const Unit& unit, bool is_new) {
    const XmlEvent& target = events_[unit.target];
    std::optional<size_t> mark;
    if (is_new) {
      replace_state(unit.target, "needs-review-translation");
    } else if (target.attribute("state").empty()) {
      builder_.keep_until(target.begin + 1 + target.name.size());
      mark = begin_state(unit);
    }
    write_target(unit, target);
    if (mark) builder_.end_mark(*mark);
  }

  void write_target(const Unit& unit, const XmlEvent& target) {
    if (target.is_empty_element(events_)) {
      builder_.keep_until(xml_.rfind('/', target.end - 1));
      builder_.keep_literal(">");
      add_source(unit.source);
      builder_.keep_literal("</" + target.name + ">");
      builder_.skip_to(target.end);
      return;
    }
    builder_.keep_until(target.end);
    add_source(unit.source);
    builder_.skip_to(events_[target.partner].begin);
  }

  // What is between the tags of the source.
  void add_source(size_t start) {
    const size_t end = events_[start].partner;
    if (end == start + 2 && events_[start + 1].kind == XmlEvent::Kind::text) {
      const XmlEvent& text = events_[start + 1];
      builder_.embed(DocumentBuilder::message(text.text), text.begin, text.end, kXliffText);
      return;
    }
    for (size_t i = start + 1; i < end;) i = add_inline(i);
    builder_.end_run();
  }

  size_t add_inline(size_t i) {
    const XmlEvent& event = events_[i];
    const std::string_view name = event.local_name();
    const bool is_start = event.kind == XmlEvent::Kind::start;
    using Kind = InlineItem::Kind;
    if (event.kind == XmlEvent::Kind::text) {
      builder_.add_text(event.text, event.begin, event.end);
      return i + 1;
    }
    if (!is_start && event.kind != XmlEvent::Kind::end) return add(Kind::single, i, i + 1);
    if (is_start && name == "mrk" &&
        (event.attribute("mtype") == "protected" || event.attribute("translate") == "no"))
      return add(Kind::fixed, i, event.partner + 1);
    const size_t behind = is_start ? event.partner + 1 : i + 1;
    // Tags of the document itself, as text or by reference
    if (is_start && (name == "bpt" || name == "bx" || name == "sc" || name == "sm"))
      return add(Kind::open, i, behind, pair_of(event));
    if (is_start && (name == "ept" || name == "ex" || name == "ec" || name == "em"))
      return add(Kind::close, i, behind, pair_of(event));
    if (is_start && (name == "ph" || name == "it" || event.is_empty_element(events_)))
      return add(Kind::single, i, behind);
    return add(is_start ? Kind::open : Kind::close, i, i + 1, event.name);
  }

  // What a start and an end that are elements of their own have in common.
  static std::string pair_of(const XmlEvent& event) {
    for (const std::string_view key : {"startRef", "rid", "id"})
      if (const std::string_view value = event.attribute(key); !value.empty())
        return "#" + std::string(value);
    return "#";
  }

  size_t add(InlineItem::Kind kind, size_t first, size_t last, std::string name = {}) {
    InlineItem item{.kind = kind, .name = std::move(name)};
    DocumentBuilder::append_source(events_[first].begin, events_[last - 1].end, item.tag.parts);
    if (kind == InlineItem::Kind::fixed)
      for (size_t i = first; i < last; ++i) item.text += events_[i].text;
    builder_.add(std::move(item));
    return last;
  }

  DocumentBuilder builder_;
  const std::string_view xml_;
  const std::vector<XmlEvent> events_;
};

}  // namespace

void read_xliff(FormattedDocument& document, std::string_view name) {
  XliffReader(document, name).read();
}

}  // namespace heed::detail
