#include "heed/phrasebook/phrasebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/rng.h"
#include "heed/phrasebook/grammar_data.h"
#include "heed/phrasebook/synchronous_grammar.h"

namespace heed {
namespace {

using detail::GeneratedSentence;
using detail::SynchronousGrammar;

constexpr uint64_t kReservedOneIn = 64;

// FNV-1a, so that the reservation is the same on every platform.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const char byte : text) hash = (hash ^ uint8_t(byte)) * 0x100000001B3u;
  return hash;
}

bool has_reserved_pair(const std::vector<std::string>& content_words) {
  std::vector<uint64_t> hashes;
  for (const std::string& word : content_words) {
    const uint64_t hash = hash_of(word);
    for (const uint64_t other : hashes)
      if (detail::mix(hash ^ other, 0) % kReservedOneIn == 0) return true;
    hashes.push_back(hash);
  }
  return false;
}

// Calls visit(word) for the words of both sides.
template <class Visit>
void for_each_word(const SentencePair& pair, Visit visit) {
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) visit(word);
    word.clear();
  };
  for (const std::string* side : {&pair.chinese_words, &pair.english}) {
    for (const char letter : *side) {
      const bool ends =
          letter == ' ' || std::string_view(".,?!").find(letter) != std::string_view::npos;
      if (ends)
        end_word();
      else
        word += char(uint8_t(letter) < 128 ? std::tolower(letter) : letter);
    }
    end_word();
  }
}

int32_t characters_in(const std::string& word) {
  return int32_t(std::count_if(word.begin(), word.end(),
                               [](char byte) { return (uint8_t(byte) & 0xC0) != 0x80; }));
}

SentencePair to_pair(const GeneratedSentence& sentence) {
  SentencePair pair;
  pair.english = sentence.english;
  std::vector<int32_t> starts{0};  // of the words, in characters
  for (const std::string& word : sentence.chinese_words) {
    pair.chinese += word;
    if (!pair.chinese_words.empty()) pair.chinese_words += ' ';
    pair.chinese_words += word;
    starts.push_back(starts.back() + characters_in(word));
  }
  for (const detail::WordLink& link : sentence.links)
    for (int32_t i = starts[link.chinese]; i < starts[link.chinese + 1]; ++i)
      pair.alignment.push_back({i, int32_t(link.english)});
  const auto key = [](const CharacterLink& link) { return std::pair(link.english, link.chinese); };
  std::sort(pair.alignment.begin(), pair.alignment.end(),
            [&](const CharacterLink& a, const CharacterLink& b) { return key(a) < key(b); });
  // An English word may have two parts of one origin, as its mark.
  pair.alignment.erase(std::unique(pair.alignment.begin(), pair.alignment.end()),
                       pair.alignment.end());
  return pair;
}

// Draws sentences that have not been seen before.
class Source {
 public:
  explicit Source(uint64_t seed)
      : grammar_({detail::kPhrasebookLexicon, detail::kPhrasebookModifiers},
                 {detail::kPhrasebookPhrases, detail::kPhrasebookSentences}, "S"),
        random_(seed) {}

  // False where the sentence drawn is not a new one.
  bool draw(SentencePair& pair, bool& reserved) {
    GeneratedSentence sentence;
    if (!grammar_.draw(random_, sentence)) return false;
    pair = to_pair(sentence);
    if (chinese_.count(pair.chinese) || english_.count(pair.english)) return false;
    chinese_.insert(pair.chinese);
    english_.insert(pair.english);
    reserved = has_reserved_pair(sentence.content_words);
    return true;
  }

 private:
  SynchronousGrammar grammar_;
  Random random_;
  std::unordered_set<std::string> chinese_, english_;
};

void check_counts(int64_t pairs, int64_t held_out_pairs) {
  if (pairs < 0 || held_out_pairs < 0)
    fail_usage("phrasebook: got {} training and {} held-out pairs, expected counts of at least 0",
               pairs, held_out_pairs);
  if (pairs > kPhrasebookCapacity || held_out_pairs > kPhrasebookCapacity - pairs)
    fail_usage(
        "phrasebook: {} training and {} held-out pairs exceed the {} that its grammar gives; "
        "ask for fewer",
        pairs, held_out_pairs, kPhrasebookCapacity);
}

}  // namespace

std::string alignment_text(const SentencePair& pair) {
  std::string text;
  for (const CharacterLink& link : pair.alignment)
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", link.chinese, link.english);
  return text;
}

Phrasebook make_phrasebook(int64_t pairs, int64_t held_out_pairs, uint64_t seed) {
  check_counts(pairs, held_out_pairs);
  Phrasebook book;
  book.train.reserve(std::size_t(pairs));
  std::vector<SentencePair> candidates;
  Source source(seed);
  const int64_t most_draws = 20'000 + 100 * (pairs + held_out_pairs);
  int64_t draws = 0;
  SentencePair pair;
  bool reserved = false;
  for (; int64_t(book.train.size()) < pairs && draws < most_draws; ++draws)
    if (source.draw(pair, reserved)) (reserved ? candidates : book.train).push_back(pair);

  std::unordered_set<std::string> known;
  for (const SentencePair& trained : book.train)
    for_each_word(trained, [&](const std::string& word) { known.insert(word); });
  const auto hold_out = [&](const SentencePair& candidate) {
    bool all_known = true;
    for_each_word(candidate, [&](const std::string& word) { all_known &= known.count(word) > 0; });
    if (all_known && int64_t(book.held_out.size()) < held_out_pairs)
      book.held_out.push_back(candidate);
  };
  for (const SentencePair& candidate : candidates) hold_out(candidate);
  for (; int64_t(book.held_out.size()) < held_out_pairs && draws < most_draws; ++draws)
    if (source.draw(pair, reserved) && reserved) hold_out(pair);

  if (int64_t(book.train.size()) < pairs || int64_t(book.held_out.size()) < held_out_pairs)
    fail_usage(
        "phrasebook: got {} of {} training and {} of {} held-out pairs; ask for fewer held-out "
        "pairs, or for more training pairs, which must contain every held-out word",
        book.train.size(), pairs, book.held_out.size(), held_out_pairs);
  return book;
}

}  // namespace heed
