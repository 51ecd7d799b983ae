#include "heed/documents/tag_placement.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/text/protected_spans.h"

namespace heed {
namespace {

// The words of a text, as bytes of it.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {
    for (const std::string_view unit : TextUnits(text).texts(text)) {
      begins_.push_back(size_t(unit.data() - text.data()));
      ends_.push_back(begins_.back() + unit.size());
    }
  }
  int64_t count() const { return int64_t(begins_.size()); }
  size_t begin(int64_t word) const { return begins_[size_t(word)]; }
  size_t end(int64_t word) const { return ends_[size_t(word)]; }
  // Those that have some of the bytes [begin, end).
  UnitRange in(size_t begin, size_t end) const {
    const auto first = std::ranges::upper_bound(ends_, begin) - ends_.begin();
    const auto last = std::ranges::lower_bound(begins_, end) - begins_.begin();
    return {first, std::max(first, last)};
  }
  // The number of words that begin before this byte.
  int64_t before(size_t at) const {
    return std::ranges::lower_bound(begins_, at) - begins_.begin();
  }
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  std::vector<size_t> begins_, ends_;
};

// The place of a span in the translation.
struct Place {
  UnitRange words;            // that it wraps; empty: it is behind the word `words.begin` - 1
  size_t begin = 0, end = 0;  // bytes
};

class TagPlacement {
 public:
  TagPlacement(const MarkedText& source, std::string_view translation,
               const std::vector<AlignedPair>& links)
      : spans_(source.spans),
        source_(source.text),
        target_(translation),
        aligned_(size_t(target_.count())),
        taken_(size_t(target_.count())),
        repeated_(size_t(target_.count())),
        places_(spans_.size()),
        children_(spans_.size() + 1) {
    for (const AlignedPair& link : links)
      if (link.target < target_.count() && link.source < source_.count())
        aligned_[size_t(link.target)].push_back(link.source);
    for (size_t i = 0; i < spans_.size(); ++i) children_[slot(spans_[i].parent)].push_back(i);
    if (std::ranges::none_of(spans_, &TagSpan::fixed)) return;
    const ProtectedKinds kinds({"placeholders", "urls", "emails"});
    for (const ProtectedSpan& span : protected_spans(translation, kinds, {})) {
      const UnitRange words = target_.in(span.begin, span.end);
      for (int64_t word = words.begin; word < words.end; ++word) repeated_[size_t(word)] = true;
    }
  }

  std::vector<PlacedPart> parts() {
    place_children(TagSpan::kNone, {0, target_.count()});
    for (size_t i = 0; i < spans_.size(); ++i)  // parents come first
      place_children(i, spans_[i].fixed ? UnitRange() : places_[i].words);
    for (std::vector<size_t>& all : children_)
      std::ranges::stable_sort(all, {}, [&](size_t i) { return places_[i].begin; });
    write();
    return std::move(parts_);
  }

 private:
  size_t slot(size_t parent) const { return parent == TagSpan::kNone ? spans_.size() : parent; }

  // 1: all words that this one is aligned with are in the span; -1: not one.
  double agreement(int64_t word, const UnitRange& of_span) const {
    const std::vector<int64_t>& links = aligned_[size_t(word)];
    if (links.empty()) return 0;
    const auto inside = std::ranges::count_if(
        links, [&](int64_t source) { return source >= of_span.begin && source < of_span.end; });
    return 2 * double(inside) / double(links.size()) - 1;
  }

  // Whether the bytes [begin, end) of the translation are punctuation, or none.
  bool is_punctuation_alone(size_t begin, size_t end) const {
    while (begin < end) {
      const Utf8Character next = first_utf8_character(target_.text().substr(begin, end - begin));
      if (!is_punctuation(next.value)) return false;
      begin += next.bytes;
    }
    return begin == end;
  }

  // The text of a fixed span where the translation has it.
  std::optional<Place> same_text(const TagSpan& span, const UnitRange& room) const {
    if (room.empty()) return {};
    const std::string_view own = source_.text().substr(span.begin, span.end - span.begin);
    const std::string_view text = target_.text().substr(0, target_.end(room.end - 1));
    for (size_t at = text.find(own, target_.begin(room.begin)); at != text.npos;
         at = text.find(own, at + 1)) {
      const UnitRange words = target_.in(at, at + own.size());
      // A word may have punctuation around the text: "(http://a.b/c)."
      bool is_free = is_punctuation_alone(target_.begin(words.begin), at) &&
                     is_punctuation_alone(at + own.size(), target_.end(words.end - 1));
      for (int64_t word = words.begin; word < words.end; ++word)
        is_free = is_free && !taken_[size_t(word)];
      if (is_free) return Place{words, at, at + own.size()};
    }
    return {};
  }

  // The run of free words in `room` that agrees most with the span. A fixed span takes the place of
  // its words, which are none that are repeated.
  UnitRange best_run(const TagSpan& span, const UnitRange& of_span, const UnitRange& room) const {
    UnitRange best;
    double most = 0, sum = 0;
    int64_t begin = room.begin;
    for (int64_t word = room.begin; word < room.end; ++word) {
      if (taken_[size_t(word)] || (span.fixed && repeated_[size_t(word)])) {
        sum = 0, begin = word + 1;
        continue;
      }
      if (sum <= 0) sum = 0, begin = word;
      sum += agreement(word, of_span);
      if (sum > most) most = sum, best = {begin, word + 1};
    }
    return best;
  }

  // Behind which word of `room` a span without words belongs: that of the word before it.
  int64_t place_without_words(const TagSpan& span, const UnitRange& room) const {
    const int64_t before = source_.before(span.begin) - 1;
    if (before < 0) return room.begin;
    int64_t last = -1;
    for (int64_t word = room.begin; word < room.end; ++word)
      if (std::ranges::count(aligned_[size_t(word)], before) > 0) last = word;
    if (last >= 0) return last + 1;
    // In proportion
    const double share = double(before + 1) / double(std::max<int64_t>(1, source_.count()));
    return std::clamp(int64_t(share * double(target_.count()) + 0.5), room.begin, room.end);
  }

  void place_children(size_t parent, const UnitRange& room) {
    std::vector<size_t> all = children_[slot(parent)];
    const auto words_of = [&](size_t i) { return source_.in(spans_[i].begin, spans_[i].end); };
    const auto length = [&](size_t i) { return words_of(i).end - words_of(i).begin; };
    // Those with most words choose first.
    std::ranges::stable_sort(all, std::greater(), length);
    const UnitRange of_parent = parent == TagSpan::kNone
                                    ? UnitRange{0, source_.count()}
                                    : source_.in(spans_[parent].begin, spans_[parent].end);
    for (const size_t i : all) {
      const bool has_text = spans_[i].begin < spans_[i].end;
      const bool is_whole = has_text && words_of(i) == of_parent && all.size() == 1;
      UnitRange words;
      const std::optional<Place> same =
          spans_[i].fixed && has_text ? same_text(spans_[i], room) : std::nullopt;
      if (same)
        words = same->words;
      else if (is_whole && !spans_[i].fixed)
        words = room;
      else if (has_text)
        words = best_run(spans_[i], words_of(i), room);
      if (words.empty()) words.begin = words.end = place_without_words(spans_[i], room);
      for (int64_t word = words.begin; word < words.end; ++word) taken_[size_t(word)] = true;
      places_[i] = same ? *same : placed(spans_[i], words);
    }
    // One without words is within no other.
    for (const size_t i : all) {
      if (!places_[i].words.empty()) continue;
      for (const size_t other : all) {
        const UnitRange& words = places_[other].words;
        if (words.begin < places_[i].words.begin && places_[i].words.begin < words.end)
          places_[i] = placed(spans_[i], {words.end, words.end});
      }
    }
    // Spans inside these choose among the same words.
    for (const size_t i : all)
      for (int64_t w = places_[i].words.begin; w < places_[i].words.end; ++w)
        taken_[size_t(w)] = false;
  }

  // The bytes of words. Punctuation around them is outside where it is outside in the source.
  Place placed(const TagSpan& span, const UnitRange& words) const {
    if (words.empty()) {
      const size_t at = words.begin > 0 ? target_.end(words.begin - 1) : 0;
      return {words, at, at};
    }
    Place place{words, target_.begin(words.begin), target_.end(words.end - 1)};
    const std::string_view own = source_.text().substr(span.begin, span.end - span.begin);
    if (own.empty()) return place;
    if (!is_punctuation(last_utf8_character(own).value)) trim_end(place);
    if (!is_punctuation(first_utf8_character(own).value)) trim_begin(place);
    return place;
  }
  void trim_end(Place& place) const {
    size_t end = place.end;
    while (end > place.begin) {
      const Utf8Character last =
          last_utf8_character(target_.text().substr(place.begin, end - place.begin));
      if (!is_punctuation(last.value)) break;
      end -= last.bytes;
    }
    if (end > place.begin) place.end = end;
  }
  void trim_begin(Place& place) const {
    size_t begin = place.begin;
    while (begin < place.end) {
      const Utf8Character first = first_utf8_character(target_.text().substr(begin));
      if (!is_punctuation(first.value)) break;
      begin += first.bytes;
    }
    if (begin < place.end) place.begin = begin;
  }

  void add_text(size_t until) {
    if (until <= at_) return;
    parts_.push_back({target_.text().substr(at_, until - at_), TagSpan::kNone});
    at_ = until;
  }
  void add_tag(size_t tag) {
    if (tag != TagSpan::kNone) parts_.push_back({{}, tag});
  }

  // Goes through the spans in the order of the translation, without recursion: they may be nested
  // deeply.
  void write() {
    struct Open {
      size_t span, next = 0;  // of its children
    };
    std::vector<Open> open{{TagSpan::kNone}};
    while (!open.empty()) {
      Open& top = open.back();
      const std::vector<size_t>& children = children_[slot(top.span)];
      if (top.next < children.size()) {
        const size_t child = children[top.next++];
        open_span(child);
        open.push_back({child});
        continue;
      }
      const size_t span = top.span;
      open.pop_back();
      if (span == TagSpan::kNone)
        add_text(target_.text().size());
      else
        close_span(span);
    }
  }
  // Whether a span is a picture or the like, which has a place between words of its own.
  bool is_word(size_t i) const {
    const TagSpan& span = spans_[i];
    return places_[i].begin == places_[i].end && (span.fixed || span.begin == span.end);
  }
  bool is_space(size_t at) const { return at < target_.text().size() && target_.text()[at] == ' '; }
  void add_space() { parts_.push_back({" ", TagSpan::kNone}); }

  void open_span(size_t i) {
    const TagSpan& span = spans_[i];
    const bool spaced = span.begin > 0 && source_.text()[span.begin - 1] == ' ';
    add_text(places_[i].begin);
    if (places_[i].begin == places_[i].end && spaced && at_ > 0 && !is_space(at_ - 1)) {
      if (is_space(at_))
        add_text(at_ + 1);
      else if (is_word(i))
        add_space();
    }
    add_tag(span.open);
    if (span.fixed) at_ = std::max(at_, places_[i].end);
  }
  void close_span(size_t i) {
    const TagSpan& span = spans_[i];
    if (!span.fixed) add_text(places_[i].end);
    add_tag(span.close);
    const std::string_view source = source_.text(), rest = target_.text().substr(at_);
    const bool spaced = span.spaced || (span.end < source.size() && source[span.end] == ' ');
    if (!is_word(i) || !spaced || rest.empty()) return;
    const char32_t next = first_utf8_character(rest).value;
    if (is_letter(next) || is_number(next)) add_space();
  }

  const std::vector<TagSpan>& spans_;
  const Words source_, target_;
  std::vector<std::vector<int64_t>> aligned_;  // [target words]: source words
  std::vector<bool> taken_;                    // [target words]
  std::vector<bool> repeated_;  // [target words]: those of placeholders and addresses
  std::vector<Place> places_;   // [spans]
  std::vector<std::vector<size_t>> children_;  // [spans], and of no span
  std::vector<PlacedPart> parts_;
  size_t at_ = 0;  // byte of the translation
};

}  // namespace

std::vector<PlacedPart> place_tags(const MarkedText& source, std::string_view translation,
                                   const std::vector<AlignedPair>& links) {
  return TagPlacement(source, translation, links).parts();
}

}  // namespace heed
