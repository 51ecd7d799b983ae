#include "heed/phrasebook/phrasebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "heed/core/ascii.h"
#include "heed/core/error.h"
#include "heed/core/rng.h"
#include "heed/phrasebook/synchronous_grammar.h"

namespace heed {
namespace {

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

// The words of both sides in lower case, without marks.
std::vector<std::string> words_of(const SentencePair& pair) {
  std::string text = pair.chinese_words + " " + pair.english;
  for (char& letter : text) {
    if (std::string_view(".,?!").find(letter) != std::string_view::npos) letter = ' ';
    letter = lower_ascii(letter);
  }
  return detail::words_of(text);
}

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
  const detail::SynchronousGrammar grammar;
  Random random(seed);
  std::unordered_set<std::string> chinese, english;
  const int64_t most_draws = 20'000 + 100 * (pairs + held_out_pairs);
  int64_t draws = 0;
  SentencePair pair;
  bool reserved = false;
  // False where the sentence drawn is not a new one.
  const auto draw = [&] {
    std::vector<std::string> content_words;
    if (!grammar.draw(random, pair, content_words)) return false;
    if (chinese.count(pair.chinese) || english.count(pair.english)) return false;
    chinese.insert(pair.chinese);
    english.insert(pair.english);
    reserved = has_reserved_pair(content_words);
    return true;
  };
  for (; int64_t(book.train.size()) < pairs && draws < most_draws; ++draws)
    if (draw()) (reserved ? candidates : book.train).push_back(pair);

  std::unordered_set<std::string> known;
  for (const SentencePair& trained : book.train)
    for (const std::string& word : words_of(trained)) known.insert(word);
  const auto hold_out = [&](const SentencePair& candidate) {
    const bool all_known = std::ranges::all_of(
        words_of(candidate), [&](const std::string& word) { return known.count(word) > 0; });
    if (all_known && int64_t(book.held_out.size()) < held_out_pairs)
      book.held_out.push_back(candidate);
  };
  for (const SentencePair& candidate : candidates) hold_out(candidate);
  for (; int64_t(book.held_out.size()) < held_out_pairs && draws < most_draws; ++draws)
    if (draw() && reserved) hold_out(pair);

  if (int64_t(book.train.size()) < pairs || int64_t(book.held_out.size()) < held_out_pairs)
    fail_usage(
        "phrasebook: got {} of {} training and {} of {} held-out pairs; ask for fewer held-out "
        "pairs, or for more training pairs, which must contain every held-out word",
        book.train.size(), pairs, book.held_out.size(), held_out_pairs);
  return book;
}

}  // namespace heed
