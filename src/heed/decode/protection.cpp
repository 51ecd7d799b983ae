#include "heed/decode/protection.h"

#include <algorithm>
#include <map>
#include <utility>

#include "heed/core/scripts.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

// How often each text is among the spans of a text.
std::map<std::string, int64_t> counts_in(std::string_view text,
                                         const std::vector<ProtectedSpan>& spans) {
  std::map<std::string, int64_t> counts;
  for (const ProtectedSpan& span : spans)
    ++counts[std::string(text.substr(span.begin, span.end - span.begin))];
  return counts;
}

// Whether the character is part of a word in text with spaces between its words.
bool is_in_word(char32_t character) {
  return is_letter(character) && !is_unspaced(character);
}

// A change of a translation.
struct Edit {
  size_t begin = 0, end = 0;            // bytes that are replaced; equal: it is inserted
  const ProtectedText* span = nullptr;  // null: they are removed
};

class Restoration {
 public:
  Restoration(const ProtectedLine& line, const std::string& translation,
              const std::vector<ByteRange>& tokens, AttentionWeights attention)
      : line_(line), text_(translation), tokens_(tokens), attention_(std::move(attention)) {
    attention_.resize(tokens.size());
    used_.resize(tokens.size());
  }

  // The edits in their order. `found` are the spans of the translation.
  std::vector<Edit> edits(const std::vector<ProtectedSpan>& found) {
    for (const ProtectedText* span : match(found)) {
      const auto spare = spare_of(*span);
      const std::optional<ByteRange> written = spare ? spare : written_for(*span);
      const size_t at = written ? written->begin : place_of(*span);
      edits_.push_back({at, written ? written->end : at, span});
      ends_[span] = edits_.back().end;
      if (written) take(*written);
    }
    for (const ByteRange& spare : spare_) edits_.push_back({spare.begin, spare.end, nullptr});
    std::ranges::stable_sort(edits_, {}, &Edit::begin);
    return std::move(edits_);
  }

 private:
  // Keeps the spans of the translation that the line has too; the others are spare. Returns those
  // that are missing.
  std::vector<const ProtectedText*> match(const std::vector<ProtectedSpan>& found) {
    std::map<std::string_view, std::vector<size_t>> places;  // the first at the back
    for (size_t i = found.size(); i-- > 0;)
      places[std::string_view(text_).substr(found[i].begin, found[i].end - found[i].begin)]
          .push_back(i);
    std::vector<const ProtectedText*> missing;
    for (const ProtectedText& span : line_.spans) {
      std::vector<size_t>& same = places[span.text];
      if (same.empty())
        missing.push_back(&span);
      else
        ends_[&span] = found[same.back()].end, same.pop_back();
    }
    std::vector<bool> is_spare(found.size());
    for (const auto& [text, left] : places)
      for (const size_t i : left) is_spare[i] = true;
    for (size_t i = 0; i < found.size(); ++i) {
      const ByteRange range{found[i].begin, found[i].end};
      take(range);
      if (is_spare[i]) spare_.push_back(range);
    }
    return missing;
  }

  // Marks bytes of the translation as those of a span.
  void take(const ByteRange& range) {
    taken_[range.begin] = range.end;
    for (size_t t = first_token(range.begin); t < tokens_.size() && tokens_[t].begin < range.end;
         ++t)
      used_[t] = true;
  }
  bool is_taken(const ByteRange& range) const {
    for (size_t t = first_token(range.begin); t < tokens_.size() && tokens_[t].begin < range.end;
         ++t)
      if (used_[t]) return true;
    return false;
  }
  // The first target token that ends behind this byte.
  size_t first_token(size_t at) const {
    return size_t(std::ranges::upper_bound(tokens_, at, {}, &ByteRange::end) - tokens_.begin());
  }

  // The attention of a target token to the source tokens [begin, end).
  double weight(size_t target, size_t begin, size_t end) const {
    const AttentionRow& row = attention_[target];
    double sum = 0;
    for (size_t i = std::max(begin, row.offset); i < std::min(end, row.offset + row.weights.size());
         ++i)
      sum += double(row.weights[i - row.offset]);
    return sum;
  }
  // The target tokens whose rows have this source token: those of its part of the line.
  std::pair<size_t, size_t> rows_with(size_t source) const {
    const auto behind = std::ranges::upper_bound(attention_, source, {}, &AttentionRow::offset);
    if (behind == attention_.begin()) return {0, 0};
    const auto first =
        std::ranges::lower_bound(attention_, (behind - 1)->offset, {}, &AttentionRow::offset);
    return {size_t(first - attention_.begin()), size_t(behind - attention_.begin())};
  }

  // The spare span that attends to this one most, among those of its part of the line.
  std::optional<ByteRange> spare_of(const ProtectedText& span) {
    if (spare_.empty()) return {};
    const auto [first, last] = rows_with(span.begin_token);
    auto best = spare_.begin();
    double most = -1;
    const auto begin =
        first < last ? std::ranges::lower_bound(spare_, tokens_[first].begin, {}, &ByteRange::begin)
                     : spare_.end();
    for (auto spare = begin; spare != spare_.end() && spare->begin < tokens_[last - 1].end;
         ++spare) {
      double sum = 0;
      for (size_t t = first_token(spare->begin); t < last && tokens_[t].begin < spare->end; ++t)
        sum += weight(t, span.begin_token, span.end_token);
      if (sum > most) most = sum, best = spare;
    }
    const ByteRange found = *best;
    spare_.erase(best);
    return found;
  }

  // The text that the model wrote for a span: the token that attends to it most and its neighbours,
  // if they attend to it more than to all else, with the rest of their words.
  std::optional<ByteRange> written_for(const ProtectedText& span) const {
    constexpr double kMost = 0.5;
    const auto [begin, end] = rows_with(span.begin_token);
    const auto is_of_span = [&](size_t t) {
      return !tokens_[t].empty() && !used_[t] &&
             weight(t, span.begin_token, span.end_token) >= kMost;
    };
    size_t best = end;
    double most = 0;
    for (size_t t = begin; t < end; ++t)
      if (const double w = weight(t, span.begin_token, span.end_token); w > most && is_of_span(t))
        most = w, best = t;
    if (best == end) return {};
    size_t first = best, last = best;
    while (first > begin && is_of_span(first - 1)) --first;
    while (last + 1 < end && is_of_span(last + 1)) ++last;
    ByteRange range{tokens_[first].begin, tokens_[last].end};
    while (range.begin < range.end && text_[range.begin] == ' ') ++range.begin;
    while (range.end > range.begin && is_behind_words(range.end)) --range.end;
    const ByteRange whole{begin_of_word(range.begin), end_of_word(range.end)};
    if (range.empty()) return {};
    return is_taken(whole) ? range : whole;
  }

  // Whether what stands before this byte belongs to the sentence rather than to a word of it.
  bool is_behind_words(size_t end) const {
    return std::string_view(" .,;:!?)").find(text_[end - 1]) != std::string_view::npos;
  }

  size_t begin_of_word(size_t at) const {
    const std::string_view text = text_;
    if (at == text.size() || !is_in_word(first_utf8_character(text.substr(at)).value)) return at;
    while (at > 0) {
      const Utf8Character last = last_utf8_character(text.substr(0, at));
      if (!is_in_word(last.value)) break;
      at -= last.bytes;
    }
    return at;
  }
  size_t end_of_word(size_t at) const {
    const std::string_view text = text_;
    if (at == 0 || !is_in_word(last_utf8_character(text.substr(0, at)).value)) return at;
    while (at < text.size()) {
      const Utf8Character next = first_utf8_character(text.substr(at));
      if (!is_in_word(next.value)) break;
      at += next.bytes;
    }
    return at;
  }

  // Where a span belongs that the model left out: behind the word for the token before it, or
  // behind the span that it follows at once.
  size_t place_of(const ProtectedText& span) const {
    if (&span != line_.spans.data())
      if (const ProtectedText& before = *(&span - 1); before.end_token >= span.begin_token)
        return ends_.at(&before);
    size_t at = 0;
    if (span.begin_token > 0 && span.begin_token < span.end_token) {
      const auto [first, last] = rows_with(span.begin_token - 1);
      double most = 0;
      for (size_t t = first; t < last; ++t)
        if (const double w = weight(t, span.begin_token - 1, span.begin_token); w > most)
          most = w, at = tokens_[t].end;
      at = most == 0 ? text_.size() : end_of_word(at);
    } else if (span.begin_token > 0) {
      at = text_.size();
    }
    // Not within another one.
    const auto behind = taken_.lower_bound(at);
    return behind == taken_.begin() ? at : std::max(at, std::prev(behind)->second);
  }

  const ProtectedLine& line_;
  const std::string& text_;
  const std::vector<ByteRange>& tokens_;
  AttentionWeights attention_;
  std::vector<ByteRange> spare_;                 // spans of the translation that the line has not
  std::map<size_t, size_t> taken_;               // bytes that are those of spans: begins, ends
  std::vector<bool> used_;                       // the tokens that have some of them
  std::map<const ProtectedText*, size_t> ends_;  // of the places of spans in the translation
  std::vector<Edit> edits_;
};

// Whether words have a space between these: not behind what opens, before what closes, nor in text
// without spaces.
bool wants_space(std::string_view before, std::string_view after) {
  constexpr std::u32string_view kOpening = U"([{<«“„‘‚¿¡-/\"'", kClosing = U".,;:!?)]}>»”’…";
  if (before.empty() || after.empty()) return false;
  const char32_t left = last_utf8_character(before).value;
  const char32_t right = first_utf8_character(after).value;
  if (is_whitespace(left) || is_whitespace(right)) return false;
  if (kOpening.find(left) != kOpening.npos || kClosing.find(right) != kClosing.npos) return false;
  return !is_unspaced(left) && !is_unspaced(right);
}

// The translation with these edits, which do not overlap.
RestoredText edited(const std::string& translation, const std::vector<ByteRange>& tokens,
                    const std::vector<Edit>& edits) {
  RestoredText result;
  std::string& out = result.text;
  struct Kept {
    size_t begin, length, moved_to;
  };
  std::vector<Kept> kept;           // bytes of the translation, and where they are
  std::vector<ByteRange> replaced;  // of each edit, in the new text
  size_t end = 0;
  const auto keep = [&](size_t until) {
    kept.push_back({end, until - end, out.size()});
    out.append(translation, end, until - end);
    end = until;
  };
  for (const Edit& edit : edits) {
    if (edit.begin > end) keep(edit.begin);
    end = std::max(end, edit.end);
    if (edit.span == nullptr) {
      // One of the spaces on both sides is enough, and none at the end.
      const bool space = out.empty() || out.back() == ' ';
      if (space && end < translation.size() && translation[end] == ' ') ++end;
      if (end == translation.size() && out.ends_with(' ')) out.pop_back();
      replaced.push_back({out.size(), out.size()});
      continue;
    }
    if (!edit.span->joined_before && wants_space(out, edit.span->text)) out += ' ';
    replaced.push_back({out.size(), out.size() + edit.span->text.size()});
    out += edit.span->text;
    const std::string_view rest = std::string_view(translation).substr(end);
    if (!edit.span->joined_after && wants_space(out, rest)) out += ' ';
  }
  keep(translation.size());
  const auto place = [&](size_t at) {
    const auto part =
        std::ranges::lower_bound(kept, at, {}, [](const Kept& k) { return k.begin + k.length; });
    if (part == kept.end()) return out.size();
    return std::min(part->moved_to + std::max(at, part->begin) - part->begin, out.size());
  };
  size_t next = 0;  // of the edits: the first that does not end before the token
  for (const ByteRange& token : tokens) {
    while (next < edits.size() && edits[next].end <= token.begin) ++next;
    size_t edit = next;  // insertions overlap no token
    while (edit < edits.size() && edits[edit].begin < token.end &&
           edits[edit].begin == edits[edit].end)
      ++edit;
    if (!token.empty() && edit < edits.size() && edits[edit].begin < token.end) {
      const auto [begin, end_of_edit] = replaced[edit];  // a space at the end may be gone
      result.tokens.push_back({std::min(begin, out.size()), std::min(end_of_edit, out.size())});
    } else {
      const size_t begin = place(token.begin);
      result.tokens.push_back({begin, std::max(begin, place(token.end))});
    }
  }
  return result;
}

// Whether the percent sign there may be that of a number: no letter follows.
bool is_of_number(std::string_view text, size_t at) {
  constexpr std::u32string_view kBehindNumbers = U".,;:!?)]»”’…。，；：！？）";
  const char32_t next =
      at + 1 < text.size() ? first_utf8_character(text.substr(at + 1)).value : U' ';
  return text[at] == '%' &&
         (is_whitespace(next) || kBehindNumbers.find(next) != kBehindNumbers.npos);
}

// The remains of placeholders that the model wrote in part: signs outside of the spans.
std::vector<Edit> remains(const ProtectedLine& line, std::string_view text,
                          const std::vector<ProtectedSpan>& spans) {
  std::vector<Edit> removed;
  auto span = spans.begin();
  for (size_t at = text.find_first_of(line.signs); at != text.npos;
       at = text.find_first_of(line.signs, at + 1)) {
    while (span != spans.end() && span->end <= at) ++span;
    const bool is_inside = span != spans.end() && span->begin <= at;
    if (!is_inside && !is_of_number(text, at)) removed.push_back({at, at + 1, nullptr});
  }
  return removed;
}

// The last resort: without all spans, and with those of the line at the end. What is left where one
// is removed may be another one; if that never ends, nothing of the translation is kept.
RestoredText with_all_at_end(const ProtectedLine& line, RestoredText result) {
  constexpr int kRounds = 20;
  for (int round = 0; round <= kRounds; ++round) {
    std::vector<Edit> removed;
    for (const ProtectedSpan& span : protected_spans(result.text, line.kinds, line.unknown))
      removed.push_back({span.begin, span.end, nullptr});
    if (removed.empty()) removed = remains(line, result.text, {});
    // It would be a placeholder beside those at the end.
    if (const size_t twice = result.text.find("%%"); removed.empty() && twice != std::string::npos)
      removed.push_back({twice, twice + 2, nullptr});
    if (removed.empty()) break;
    if (round == kRounds) removed = {{0, result.text.size(), nullptr}};
    result = edited(result.text, result.tokens, removed);
  }
  for (const ProtectedText& span : line.spans)
    result.text += (result.text.empty() ? "" : " ") + span.text;
  return result;
}

// Whether the text has the spans of the line, and nothing else that looks like one.
bool is_whole(const ProtectedLine& line, const std::map<std::string, int64_t>& wanted,
              const std::string& text) {
  const std::vector<ProtectedSpan> spans = protected_spans(text, line.kinds, line.unknown);
  return counts_in(text, spans) == wanted && remains(line, text, spans).empty();
}

// The text without remains, which may uncover others.
RestoredText without_remains(const ProtectedLine& line, RestoredText result) {
  for (int round = 0; round < 3; ++round) {
    const std::vector<Edit> removed =
        remains(line, result.text, protected_spans(result.text, line.kinds, line.unknown));
    if (removed.empty()) break;
    result = edited(result.text, result.tokens, removed);
  }
  return result;
}

}  // namespace

void add_token_bytes(const std::vector<size_t>& ends, size_t begin, std::vector<ByteRange>& bytes) {
  size_t last = 0;
  for (const size_t end : ends) bytes.push_back({begin + std::exchange(last, end), begin + end});
}

ProtectedLine protected_line(std::string_view text, const ProtectedKinds& kinds,
                             const std::vector<std::string>& unknown,
                             const std::vector<ByteRange>& tokens) {
  ProtectedLine line{kinds, {}, unknown, {}};
  const std::vector<ProtectedSpan> spans = protected_spans(text, kinds, unknown);
  for (const char sign : std::string_view("%{}")) {
    bool is_inside = false, is_outside = false;
    auto span = spans.begin();
    for (size_t at = text.find(sign); at != text.npos; at = text.find(sign, at + 1)) {
      while (span != spans.end() && span->end <= at) ++span;
      if (span != spans.end() && span->begin <= at)
        is_inside = true;
      else if (!is_of_number(text, at))
        is_outside = true;
    }
    if (is_inside && !is_outside) line.signs += sign;
  }
  for (const ProtectedSpan& span : spans) {
    ProtectedText& found = line.spans.emplace_back();
    found.text = text.substr(span.begin, span.end - span.begin);
    const auto first = std::ranges::find_if(
        tokens, [&](const ByteRange& token) { return token.end > span.begin; });
    const auto last = std::find_if(first, tokens.end(),
                                   [&](const ByteRange& token) { return token.begin >= span.end; });
    found.begin_token = size_t(first - tokens.begin());
    found.end_token = size_t(last - tokens.begin());
    const auto joined = [](std::string_view beside, const Utf8Character& character) {
      return !beside.empty() && !is_whitespace(character.value);
    };
    const std::string_view before = text.substr(0, span.begin), after = text.substr(span.end);
    found.joined_before =
        joined(before, before.empty() ? Utf8Character() : last_utf8_character(before));
    found.joined_after =
        joined(after, after.empty() ? Utf8Character() : first_utf8_character(after));
  }
  return line;
}

std::optional<RestoredText> restored(const ProtectedLine& line, const std::string& translation,
                                     const std::vector<ByteRange>& tokens,
                                     const std::function<AttentionWeights()>& attention) {
  if (line.spans.empty()) return {};
  const auto spans_of = [&](const std::string& text) {
    return protected_spans(text, line.kinds, line.unknown);
  };
  std::map<std::string, int64_t> wanted;
  for (const ProtectedText& span : line.spans) ++wanted[span.text];
  const std::vector<ProtectedSpan> found = spans_of(translation);
  if (is_whole(line, wanted, translation)) return {};
  Restoration restoration(line, translation, tokens, attention());
  RestoredText result =
      without_remains(line, edited(translation, tokens, restoration.edits(found)));
  if (is_whole(line, wanted, result.text)) return result;
  return with_all_at_end(line, {translation, tokens});
}

}  // namespace heed
