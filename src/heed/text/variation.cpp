#include "heed/text/variation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/core/scripts.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

// Whether a word is text of a language, rather than code, a placeholder, a tag or a number.
bool is_plain(std::string_view word) {
  return word.find_first_of("0123456789%{}<>\\/@=&_$#") == word.npos;
}

// The line with `change` made to each word.
template <class Change>
std::string with_words(std::string_view line, const Change& change) {
  std::string result;
  while (!line.empty()) {
    const size_t space = std::min(line.find_first_not_of(' '), line.size());
    result += line.substr(0, space);
    line.remove_prefix(space);
    const std::string_view word = line.substr(0, line.find(' '));
    result += is_plain(word) ? change(word) : std::string(word);
    line.remove_prefix(word.size());
  }
  return result;
}

std::string capitalized(std::string_view word) {
  const size_t first = first_utf8_character(word).bytes;
  return uppercase(word.substr(0, first)) + std::string(word.substr(first));
}

constexpr std::u32string_view kFinal = U".!?…。！？．";

// The line without the punctuation that ends it; itself if nothing else is in it.
std::string unpunctuated(std::string_view line) {
  std::string_view left = without_trailing_whitespace(line);
  while (!left.empty()) {
    const Utf8Character last = last_utf8_character(left);
    if (kFinal.find(last.value) == kFinal.npos) break;
    left.remove_suffix(last.bytes);
  }
  left = without_trailing_whitespace(left);
  return std::string(left.empty() ? line : left);
}

// The first run of at least four letters in a word; empty if it has none.
std::u32string_view letters_in(std::u32string_view word) {
  constexpr size_t kLetters = 4;
  for (auto begin = word.begin(); begin != word.end();) {
    const auto end = std::find_if_not(begin, word.end(), is_letter);
    if (size_t(end - begin) >= kLetters) return {begin, end};
    begin = std::find_if(end, word.end(), is_letter);
  }
  return {};
}

// A word with one typing error among these of its letters, the first of which stays.
std::u32string mistyped(std::u32string word, size_t first, size_t count,
                        std::u32string_view letters, Random& random) {
  const size_t at = first + 1 + size_t(random.below(count - 2));  // there is a letter behind it
  switch (random.below(4)) {
    case 0:
      std::swap(word[at], word[at + 1]);
      break;
    case 1:
      word.erase(at, 1);
      break;
    case 2:
      word.insert(at, 1, word[at]);
      break;
    default:
      word[at] = letters[size_t(random.below(letters.size()))];
  }
  return word;
}

std::string with_typos(std::string_view line, Random& random) {
  constexpr double kShare = 0.15;
  std::u32string all;        // the letters of the words that may be mistyped
  std::vector<bool> chosen;  // of these words
  with_words(line, [&](std::string_view word) {
    const std::u32string text = decode_utf8(word);
    const std::u32string_view letters = letters_in(text);
    all += letters;
    if (!letters.empty()) chosen.push_back(random.uniform() < kShare);
    return std::string();
  });
  if (chosen.empty()) return std::string(line);
  chosen[size_t(random.below(chosen.size()))] = true;
  size_t next = 0;
  return with_words(line, [&](std::string_view word) {
    const std::u32string text = decode_utf8(word);
    const std::u32string_view letters = letters_in(text);
    if (letters.empty() || !chosen[next++]) return std::string(word);
    return encode_utf8(
        mistyped(text, size_t(letters.data() - text.data()), letters.size(), all, random));
  });
}

std::string joined(const std::string& first, const std::string& second) {
  if (first.empty() || second.empty()) return first + second;
  const bool apart = !is_chinese_or_japanese(last_utf8_character(first).value) ||
                     !is_chinese_or_japanese(first_utf8_character(second).value);
  return first + (apart ? " " : "") + second;
}

template <size_t n>
std::string_view one_of(const std::array<std::string_view, n>& choices, Random& random) {
  return choices[size_t(random.below(n))];
}

std::string random_letters(Random& random, uint64_t least, uint64_t most, char first = 'a') {
  std::string text;
  for (uint64_t n = least + random.below(most - least + 1); n > 0; --n)
    text += char(first + char(random.below(26)));
  return text;
}

// Text that a translation repeats.
std::string noise(Random& random) {
  constexpr std::array<std::string_view, 5> kEnds = {"com", "org", "net", "de", "cn"};
  constexpr std::array<std::string_view, 6> kPlaceholders = {"%s", "{0}", "{name}",
                                                             "%d", "%1",  "${value}"};
  constexpr std::array<std::string_view, 12> kEmoji = {"😀", "😂", "👍", "❤", "🎉", "🙏",
                                                       "😊", "🔥", "✅", "😢", "🚀", "⭐"};
  switch (random.below(7)) {
    case 0:
      return fmt::format("https://{}.{}/{}", random_letters(random, 3, 10), one_of(kEnds, random),
                         random_letters(random, 2, 8));
    case 1:
      return fmt::format("{}@{}.{}", random_letters(random, 3, 8), random_letters(random, 3, 8),
                         one_of(kEnds, random));
    case 2:
      return fmt::format("{}-{}", random_letters(random, 2, 3, 'A'), 10 + random.below(9990));
    case 3:
      return fmt::format("#{}", random.below(100'000));
    case 4:
      return fmt::format("/{}/{}.{}", random_letters(random, 2, 6), random_letters(random, 3, 8),
                         random_letters(random, 2, 3));
    case 5:
      return std::string(one_of(kPlaceholders, random));
    default:
      return std::string(one_of(kEmoji, random));
  }
}

struct NamedShare {
  Variation variation{};
  std::optional<double> share;
};

NamedShare read_share(const std::string& word) {
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  std::vector<std::string> known;
  for (const auto& [choice, variation] : enum_names(Variation{})) {
    known.emplace_back(choice);
    if (choice != name) continue;
    if (equals == word.npos) return {variation, {}};
    double share = 0;
    const char* end = word.data() + word.size();
    const auto [read, error] = std::from_chars(word.data() + equals + 1, end, share);
    if (error != std::errc() || read != end || !(share > 0 && share <= 1))
      fail_usage("--vary {}: expected a share above 0, at most 1, such as {}=0.05", excerpt(word),
                 name);
    return {variation, share};
  }
  const std::string meant = suggestion(name, known);
  fail_usage("--vary {}: unknown variation{}", excerpt(word),
             meant.empty() ? fmt::format("; expected {}", fmt::join(known, ", ")) : meant);
}

// The words, of which each may be several with commas between them.
std::vector<NamedShare> read_shares(const std::vector<std::string>& words) {
  std::vector<NamedShare> shares;
  for (const std::string& word : split_at_commas(words)) {
    const NamedShare share = read_share(word);
    if (std::ranges::find(shares, share.variation, &NamedShare::variation) != shares.end())
      fail_usage("--vary names {} twice", to_text(share.variation));
    shares.push_back(share);
  }
  return shares;
}

}  // namespace

LinePair varied(Variation variation, const LinePair& pair, const LinePair& other, Random& random) {
  const auto both = [&](const auto& change) {
    return LinePair{change(pair.source), change(pair.target)};
  };
  switch (variation) {
    case Variation::upper:
      return both([](const std::string& line) { return with_words(line, uppercase); });
    case Variation::title:
      return both([](const std::string& line) { return with_words(line, capitalized); });
    case Variation::unpunctuated: {
      const LinePair without = both(unpunctuated);
      const bool both_had = without.source != pair.source && without.target != pair.target;
      return both_had ? without : pair;
    }
    case Variation::typos:
      return {with_typos(pair.source, random), pair.target};
    case Variation::joined:
      return {joined(pair.source, other.source), joined(pair.target, other.target)};
    case Variation::noise: {
      const std::string added = noise(random);
      const bool before = random.below(2) == 0;
      return both([&](const std::string& line) {
        return before ? added + " " + line : line + " " + added;
      });
    }
  }
  return pair;
}

VariationShares::VariationShares(const std::vector<std::string>& words) {
  double sum = 0;
  for (const auto& [variation, share] : read_shares(words))
    sum += shares_[size_t(variation)] = share.value_or(kUsualShare);
  if (sum > 1 + 1e-9) fail_usage("--vary: the shares add up to {:.4}, expected at most 1", sum);
}

bool VariationShares::any() const {
  return std::ranges::any_of(shares_, [](double share) { return share > 0; });
}

int VariationShares::drawn_by(double number) const {
  for (size_t i = 0; i < kVariations; ++i) {
    if (number < shares_[i]) return int(i);
    number -= shares_[i];
  }
  return -1;
}

std::vector<Variation> variations_named(const std::vector<std::string>& words) {
  std::vector<Variation> variations;
  for (const auto& [variation, share] : read_shares(words)) {
    if (share)
      fail_usage("--vary {}: every line is varied: leave its share out", to_text(variation));
    if (variation == Variation::joined)
      fail_usage("--vary joined is for training: a test set has its lines one by one");
    variations.push_back(variation);
  }
  return variations;
}

}  // namespace heed
