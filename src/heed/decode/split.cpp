#include "heed/decode/split.h"

#include <algorithm>
#include <optional>

#include "heed/core/error.h"
#include "heed/core/scripts.h"
#include "heed/core/utf8.h"
#include "heed/text/sentences.h"

namespace heed {
namespace {

enum class Level { sentence, clause, word, character };

bool is_space(char32_t c) {
  return c == ' ' || c == '\t' || c == 0x3000 || c == 0xA0;
}

// Whether a text may be split between two characters, at a level.
bool may_split(Level level, char32_t before, char32_t after) {
  static constexpr std::u32string_view kWideSentence = U"。！？；…", kWideClause = U"，、：";
  const auto in = [](std::u32string_view set, char32_t c) {
    return set.find(c) != std::u32string_view::npos;
  };
  switch (level) {
    case Level::sentence:
      return in(kWideSentence, before) || (in(U".!?;", before) && is_space(after));
    case Level::clause:
      return in(kWideClause, before) || (in(U",:-–—)", before) && is_space(after));
    case Level::word:
      return is_space(after);
    case Level::character:
      return true;
  }
  return true;
}

// The byte positions, at most `last`, where `text` may be split, in ascending order.
std::vector<size_t> split_positions(std::string_view text, size_t last, Level level) {
  std::vector<size_t> positions;
  char32_t before = 0;
  for (size_t at = 0; at < text.size() && at <= last;) {
    const auto character = first_utf8_character(text.substr(at));
    if (at > 0 && may_split(level, before, character.value)) positions.push_back(at);
    before = character.value;
    at += character.bytes;
  }
  return positions;
}

std::string_view trim_left(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}
std::string_view trim_right(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);  // npos + 1 is 0
}

class Splitter {
 public:
  Splitter(int64_t limit, const std::function<Encoding(std::string_view)>& encode)
      : limit_(size_t(limit)),
        max_bytes_(size_t(limit * Tokenizer::kBytesPerToken)),
        window_bytes_(std::min(max_bytes_, 4 * (limit_ + kMargin))),
        encode_(encode) {}

  std::vector<TextPart> split(std::string_view text) {
    std::vector<TextPart> parts;
    for (text = trim_left(text); !text.empty();) {
      TextPart part = first_part(text);
      text = trim_left(text.substr(part.text.size()));
      part.text = trim_right(part.text);
      parts.push_back(std::move(part));
    }
    return parts;
  }

 private:
  // Ids that a window must have beyond the limit, so that its end does not affect those before.
  static constexpr size_t kMargin = 16;

  // A beginning of the text with more ids than a part may have, or of max_bytes_.
  struct Window {
    std::string_view text;
    Encoding encoding;
  };
  Window window_of(std::string_view text) {
    for (;;) {
      Window window{prefix_of(text, window_bytes_), {}};
      window.encoding = encode_(window.text);
      const size_t ids = window.encoding.ids.size();
      if (ids >= limit_ + kMargin || window.text.size() == text.size() ||
          window_bytes_ >= max_bytes_) {
        // The next window is a little larger than this one had to be.
        if (ids > limit_)
          window_bytes_ =
              std::min(max_bytes_, window.encoding.ends[limit_ - 1] * 9 / 8 + 4 * kMargin);
        return window;
      }
      window_bytes_ = std::min(max_bytes_, 2 * window_bytes_);
    }
  }

  static TextPart part_of(std::string_view text, Encoding encoding) {
    return {text, std::move(encoding.ids), std::move(encoding.ends)};
  }

  // The first part of a text that does not begin with a space.
  TextPart first_part(std::string_view text) {
    Window window = window_of(text);
    const Encoding& encoding = window.encoding;
    const bool fits = encoding.ids.size() <= limit_;
    if (fits && window.text.size() == text.size()) return part_of(text, std::move(window.encoding));
    // The part may end inside the first token beyond the limit, since text that is cut there may
    // have other tokens.
    const size_t reach = fits ? window.text.size() : std::max<size_t>(1, encoding.ends[limit_]) - 1;
    for (const Level level : {Level::sentence, Level::clause, Level::word, Level::character}) {
      const std::vector<size_t> ends = split_positions(text, reach, level);
      if (std::optional<TextPart> part = longest_fitting(text, ends)) return std::move(*part);
    }
    const std::string_view character = text.substr(0, first_utf8_character(text).bytes);
    return part_of(character, encode_(character));
  }

  // The part up to the last of the `ends` with at most as many ids as the limit. That is usually
  // the last or the one before it, so the search starts at the end, in growing steps.
  std::optional<TextPart> longest_fitting(std::string_view text,
                                          const std::vector<size_t>& ends) const {
    std::optional<TextPart> best;
    const auto fits = [&](size_t i) {
      const std::string_view part = text.substr(0, ends[i]);
      Encoding encoding = encode_(trim_right(part));
      if (encoding.ids.size() > limit_) return false;
      best = part_of(part, std::move(encoding));
      return true;
    };
    size_t too_far = ends.size(), below = ends.size(), step = 1;
    while (below > 0) {
      below -= std::min(below, step);
      step *= 2;
      if (fits(below)) break;
      too_far = below;
    }
    if (!best) return best;
    while (too_far - below > 1) {
      const size_t middle = below + (too_far - below) / 2;
      (fits(middle) ? below : too_far) = middle;
    }
    return best;
  }

  const size_t limit_, max_bytes_;
  size_t window_bytes_;  // initial size for the next part
  const std::function<Encoding(std::string_view)>& encode_;
};

}  // namespace

std::vector<TextPart> split_text(std::string_view text, int64_t limit,
                                 const std::function<Encoding(std::string_view)>& encode) {
  check(limit >= 1, "the limit of a part is below one token");
  return Splitter(limit, encode).split(text);
}

std::string join_parts(const std::vector<std::string>& parts) {
  std::vector<TextSentence> translations;
  translations.reserve(parts.size());
  for (const std::string& part : parts) translations.push_back({{}, part});
  return join_sentences(translations);
}

}  // namespace heed
