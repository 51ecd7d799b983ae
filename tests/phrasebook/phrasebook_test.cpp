#include "heed/phrasebook/phrasebook.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "heed/core/error.h"
#include "heed/core/rng.h"
#include "heed/evaluate/bleu.h"
#include "heed/phrasebook/synchronous_grammar.h"

namespace heed {
namespace {

using detail::words_of;

constexpr int64_t kTrain = 50'000;
constexpr int64_t kHeldOut = 500;

// Generated once: most tests read it.
const Phrasebook& book() {
  static const Phrasebook phrasebook = make_phrasebook(kTrain, kHeldOut, 1);
  return phrasebook;
}

std::vector<const SentencePair*> all_pairs() {
  std::vector<const SentencePair*> pairs;
  for (const auto* split : {&book().train, &book().held_out})
    for (const SentencePair& pair : *split) pairs.push_back(&pair);
  return pairs;
}

bool is_chinese_mark(const std::string& word) {
  return word == "，" || word == "。" || word == "？" || word == "！";
}

std::vector<std::string> chinese_words(const SentencePair& pair) {
  std::vector<std::string> words = words_of(pair.chinese_words);
  words.erase(std::remove_if(words.begin(), words.end(), is_chinese_mark), words.end());
  return words;
}

// Lowercase, split at spaces and punctuation.
std::vector<std::string> english_words(const SentencePair& pair) {
  std::string text = pair.english;
  for (char& letter : text) {
    if (std::string_view(".,?!").find(letter) != std::string_view::npos) letter = ' ';
    if (letter >= 'A' && letter <= 'Z') letter = char(letter - 'A' + 'a');
  }
  return words_of(text);
}

// The code points of valid UTF-8, each packed into the number its bytes make; 0 where invalid.
std::vector<uint32_t> characters_of(const std::string& text) {
  std::vector<uint32_t> characters;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return k < text.size() ? uint8_t(text[k]) : 0; };
    const int length = byte(i) < 0x80 ? 1 : byte(i) >> 4 == 0xE ? 3 : 0;
    bool valid = length > 0;
    uint32_t character = 0;
    for (int k = 0; k < std::max(length, 1); ++k) {
      valid &= k == 0 || byte(i + std::size_t(k)) >> 6 == 2;
      character = character << 8 | byte(i + std::size_t(k));
    }
    characters.push_back(valid ? character : 0);
    i += std::size_t(std::max(length, 1));
  }
  return characters;
}

double score(const Lines& hypotheses) {
  std::vector<Lines> references(1);
  for (const SentencePair& pair : book().held_out) references[0].push_back(pair.english);
  return bleu(hypotheses, references).score;
}

TEST(Phrasebook, IsAFunctionOfItsArguments) {
  // FNV-1a over a small phrasebook: the same on every platform. It changes with the grammar.
  const Phrasebook small = make_phrasebook(2000, 20, 7);
  uint64_t hash = 0xCBF29CE484222325u;
  const auto add = [&](const std::string& text) {
    for (const char byte : text + "\n") hash = (hash ^ uint8_t(byte)) * 0x100000001B3u;
  };
  for (const auto* split : {&small.train, &small.held_out})
    for (const SentencePair& pair : *split) add(pair.chinese), add(pair.english);
  EXPECT_EQ(hash, 2384993081153827576u);
}

TEST(Phrasebook, AnotherSeedGivesOtherSentences) {
  const Phrasebook one = make_phrasebook(1000, 0, 1), two = make_phrasebook(1000, 0, 2);
  std::set<std::string> seen;
  for (const SentencePair& pair : one.train) seen.insert(pair.chinese);
  const auto again =
      std::count_if(two.train.begin(), two.train.end(),
                    [&](const SentencePair& pair) { return seen.count(pair.chinese) > 0; });
  EXPECT_LT(again, 100);
}

TEST(Phrasebook, GivesAsManyPairsAsAsked) {
  EXPECT_EQ(book().train.size(), std::size_t(kTrain));
  EXPECT_EQ(book().held_out.size(), std::size_t(kHeldOut));
  EXPECT_TRUE(make_phrasebook(0, 0, 1).train.empty());
}

TEST(Phrasebook, RefusesWhatItCannotGive) {
  EXPECT_THROW(make_phrasebook(-1, 0, 1), UsageError);
  EXPECT_THROW(make_phrasebook(10, -1, 1), UsageError);
  EXPECT_THROW(make_phrasebook(kPhrasebookCapacity, 1, 1), UsageError);
  EXPECT_THROW(make_phrasebook(0, 10, 1), UsageError);  // no training pair knows the words
}

TEST(Phrasebook, SaysNothingTwice) {
  std::set<std::string> chinese, english;
  for (const SentencePair* pair : all_pairs()) {
    EXPECT_TRUE(chinese.insert(pair->chinese).second) << pair->chinese;
    EXPECT_TRUE(english.insert(pair->english).second) << pair->english;
  }
}

TEST(Phrasebook, HasAWideVocabulary) {
  std::set<std::string> chinese, english;
  for (const SentencePair& pair : book().train) {
    for (const std::string& word : chinese_words(pair)) chinese.insert(word);
    for (const std::string& word : english_words(pair)) english.insert(word);
  }
  EXPECT_GE(chinese.size(), 700u);
  EXPECT_GE(english.size(), 1000u);
}

TEST(Phrasebook, WritesCleanText) {
  double words = 0;
  for (const SentencePair* pair : all_pairs()) {
    const std::vector<uint32_t> characters = characters_of(pair->chinese);
    for (const uint32_t character : characters)
      EXPECT_GT(character, 0xE38081u) << "not a Chinese character in " << pair->chinese;
    EXPECT_TRUE(is_chinese_mark(pair->chinese.substr(pair->chinese.size() - 3))) << pair->chinese;
    for (const char letter : pair->english) EXPECT_TRUE(letter >= ' ' && letter < 127);
    EXPECT_TRUE(pair->english[0] >= 'A' && pair->english[0] <= 'Z') << pair->english;
    EXPECT_NE(std::string_view(".?!").find(pair->english.back()), std::string_view::npos);
    for (const char* flaw : {"  ", " .", " ,", " ?", "{", "_", "*", " a a", " a e", " an b"})
      EXPECT_EQ(pair->english.find(flaw), std::string::npos) << pair->english;
    std::string joined = pair->chinese_words;
    joined.erase(std::remove(joined.begin(), joined.end(), ' '), joined.end());
    EXPECT_EQ(joined, pair->chinese);
    words += double(words_of(pair->english).size());
    EXPECT_LE(words_of(pair->english).size(), 30u) << pair->english;
  }
  EXPECT_GT(words / double(kTrain + kHeldOut), 7);
  EXPECT_LT(words / double(kTrain + kHeldOut), 10);
}

// Nothing in the grammar itself is ambiguous: not hidden by the phrasebook's own rejections.
TEST(Phrasebook, AChineseSentenceHasOneMeaning) {
  const detail::SynchronousGrammar grammar;
  Random random(3);
  std::unordered_map<std::string, std::string> meaning;
  SentencePair pair;
  std::vector<std::string> content_words;
  for (int i = 0; i < 100'000; ++i) {
    if (!grammar.draw(random, pair, content_words)) continue;
    const auto [entry, is_new] = meaning.emplace(pair.chinese, pair.english);
    EXPECT_EQ(entry->second, pair.english) << pair.chinese;
  }
}

TEST(Phrasebook, HeldOutWordsAllOccurInTraining) {
  std::set<std::string> known;
  for (const SentencePair& pair : book().train) {
    for (const std::string& word : chinese_words(pair)) known.insert(word);
    for (const std::string& word : english_words(pair)) known.insert(word);
  }
  for (const SentencePair& pair : book().held_out) {
    for (const std::string& word : chinese_words(pair)) EXPECT_TRUE(known.count(word)) << word;
    for (const std::string& word : english_words(pair)) EXPECT_TRUE(known.count(word)) << word;
  }
}

TEST(Phrasebook, SlowEveryHeldOutSentenceCombinesWordsThatNeverMeetInTraining) {
  // Also of another seed: the reservation is the same.
  const Phrasebook other = make_phrasebook(10'000, 0, 99);
  std::unordered_map<std::string, uint64_t> number_of;
  const auto numbers_of = [&](const SentencePair& pair) {
    std::vector<uint64_t> numbers;
    for (const std::string& word : chinese_words(pair))
      numbers.push_back(number_of.emplace(word, number_of.size()).first->second);
    return numbers;
  };
  std::unordered_set<uint64_t> met;
  for (const auto* split : {&book().train, &other.train})
    for (const SentencePair& pair : *split) {
      const std::vector<uint64_t> words = numbers_of(pair);
      for (const uint64_t one : words)
        for (const uint64_t two : words) met.insert(one << 32 | two);
    }
  for (const SentencePair& pair : book().held_out) {
    const std::vector<uint64_t> words = numbers_of(pair);
    bool is_new = false;
    for (const uint64_t one : words)
      for (const uint64_t two : words) is_new |= met.count(one << 32 | two) == 0;
    EXPECT_TRUE(is_new) << pair.chinese;
  }
}

// The English words, in lowercase and without marks, that are linked with a part of a Chinese
// sentence; nothing if some of its characters have other links than the others.
std::vector<std::string> linked_words(const SentencePair& pair, std::size_t begin,
                                      std::size_t characters) {
  std::vector<std::string> words = words_of(pair.english), linked;
  std::vector<std::set<int32_t>> links(characters);
  for (const CharacterLink& link : pair.alignment)
    if (std::size_t(link.chinese) >= begin && std::size_t(link.chinese) < begin + characters)
      links[std::size_t(link.chinese) - begin].insert(link.english);
  for (const auto& one : links)
    if (one != links.front()) return {};
  for (const int32_t word : links.front()) {
    std::string text = words.at(std::size_t(word));
    text.erase(std::remove_if(text.begin(), text.end(),
                              [](char c) {
                                return std::string_view(".,?!").find(c) != std::string_view::npos;
                              }),
               text.end());
    for (char& letter : text) letter = char(std::tolower(letter));
    linked.push_back(text);
  }
  return linked;
}

TEST(Phrasebook, AlignsWordsByTheirDerivation) {
  using Words = std::vector<std::string>;
  // The forms of these words in English, and no others, belong to these characters.
  const std::map<std::string, std::set<Words>> expected = {
      {"苹果", {{"apple"}, {"apples"}}},
      {"医生", {{"doctor"}, {"doctors"}, {"doctor's"}, {"doctors'"}}},
      {"牛奶", {{"milk"}}},
      {"警察",
       {{"police", "officer"},
        {"police", "officers"},
        {"police", "officer's"},
        {"police", "officers'"}}},
      {"李华", {{"li", "hua"}, {"li", "hua's"}}},
      {"杯", {{"cup", "of"}, {"cups", "of"}}}};
  std::map<std::string, std::set<Words>> found;
  const Phrasebook few = make_phrasebook(1500, 0, 1);
  for (const SentencePair& pair : few.train) {
    std::size_t at = 0;
    for (const std::string& word : words_of(pair.chinese_words)) {
      const std::size_t characters = characters_of(word).size();
      if (expected.count(word)) found[word].insert(linked_words(pair, at, characters));
      at += characters;
    }
    for (const CharacterLink& link : pair.alignment) {
      ASSERT_LT(std::size_t(link.chinese), at) << pair.chinese;
      ASSERT_LT(std::size_t(link.english), words_of(pair.english).size()) << pair.english;
    }
    // The mark at the end, at least, belongs to the last word.
    ASSERT_FALSE(pair.alignment.empty());
    EXPECT_EQ(std::size_t(pair.alignment.back().chinese), at - 1) << pair.chinese;
  }
  for (const auto& [word, words] : expected) {
    EXPECT_GT(found[word].size(), 0u) << word;
    for (const Words& linked : found[word])
      EXPECT_TRUE(words.count(linked)) << word << ": " << ::testing::PrintToString(linked);
  }
}

TEST(Phrasebook, PrintsAnAlignmentInThePharaohFormat) {
  SentencePair pair;
  pair.alignment = {{0, 0}, {2, 1}, {10, 1}};
  EXPECT_EQ(alignment_text(pair), "0-0 2-1 10-1");
  EXPECT_EQ(alignment_text({}), "");
}

// IBM model 1 (Brown et al., 1993) without the null word: the likeliest English word of each
// Chinese word.
std::unordered_map<std::string, std::string> learn_dictionary(std::size_t pairs, int rounds) {
  std::unordered_map<std::string, std::unordered_map<std::string, double>> probability, count;
  for (int round = 0; round < rounds; ++round) {
    count.clear();
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::vector<std::string> source = chinese_words(book().train[i]);
      for (const std::string& target : english_words(book().train[i])) {
        double sum = 0;
        for (const std::string& word : source) sum += round == 0 ? 1 : probability[word][target];
        for (const std::string& word : source)
          count[word][target] += (round == 0 ? 1 : probability[word][target]) / sum;
      }
    }
    for (auto& [word, targets] : count) {
      double total = 0;
      for (const auto& [target, part] : targets) total += part;
      for (auto& [target, part] : targets) part /= total;
    }
    std::swap(probability, count);
  }
  std::unordered_map<std::string, std::string> best;
  for (const auto& [word, targets] : probability)
    best[word] = std::max_element(targets.begin(), targets.end(), [](const auto& a, const auto& b) {
                   return a.second < b.second;
                 })->first;
  return best;
}

TEST(Phrasebook, SlowWordByWordTranslationStaysBelow40Bleu) {
  std::unordered_map<std::string, std::string> dictionary = learn_dictionary(8'000, 4);
  ASSERT_EQ(dictionary["苹果"].substr(0, 5), "apple");
  Lines hypotheses;
  for (const SentencePair& pair : book().held_out) {
    std::string line;
    for (const std::string& word : chinese_words(pair)) line += dictionary[word] + " ";
    line.back() = pair.english.back();
    line[0] = char(std::toupper(line[0]));
    hypotheses.push_back(line);
  }
  const double bleu_score = score(hypotheses);
  RecordProperty("bleu", std::to_string(bleu_score));
  EXPECT_LT(bleu_score, 40);
  EXPECT_GT(bleu_score, 1);  // the baseline works
}

std::unordered_set<uint64_t> bigrams_of(const std::string& text) {
  const std::vector<uint32_t> characters = characters_of(text);
  std::unordered_set<uint64_t> bigrams;
  for (std::size_t i = 1; i < characters.size(); ++i)
    bigrams.insert(uint64_t(characters[i - 1]) << 32 | characters[i]);
  return bigrams;
}

TEST(Phrasebook, SlowTheNearestTrainingSentenceStaysBelow40Bleu) {
  std::unordered_map<uint64_t, std::vector<std::size_t>> sentences_with;
  std::vector<std::size_t> sizes;
  for (const SentencePair& pair : book().train) {
    const auto bigrams = bigrams_of(pair.chinese);
    for (const uint64_t bigram : bigrams) sentences_with[bigram].push_back(sizes.size());
    sizes.push_back(bigrams.size());
  }
  Lines hypotheses;
  std::vector<int> shared(sizes.size());
  for (const SentencePair& pair : book().held_out) {
    std::fill(shared.begin(), shared.end(), 0);
    const auto bigrams = bigrams_of(pair.chinese);
    for (const uint64_t bigram : bigrams)
      for (const std::size_t i : sentences_with[bigram]) ++shared[i];
    std::size_t best = 0;
    const auto overlap = [&](std::size_t i) {
      return 2.0 * shared[i] / double(bigrams.size() + sizes[i]);
    };
    for (std::size_t i = 1; i < sizes.size(); ++i)
      if (overlap(i) > overlap(best)) best = i;
    hypotheses.push_back(book().train[best].english);
  }
  const double bleu_score = score(hypotheses);
  RecordProperty("bleu", std::to_string(bleu_score));
  EXPECT_LT(bleu_score, 40);
  EXPECT_GT(bleu_score, 1);
}

}  // namespace
}  // namespace heed
