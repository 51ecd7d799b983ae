#include "heed/data/corpus.h"

#include <gmock/gmock.h>

#include <cstring>

#include "heed/core/hash.h"
#include "heed/core/rng.h"
#include "heed/data/corpus_file.h"
#include "heed/text/tokenizer_training.h"
#include "support/facts.h"
#include "support/text_files.h"

namespace heed {
namespace {

using ::testing::HasSubstr;

class CorpusTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    cache_ = folder_ / "corpus.cache";
    pairs_ = sentences(1300);
    write("zh", Sentences::text(pairs_.source));
    write("de", Sentences::text(pairs_.target));
  }

  ParallelText text() const { return {{folder_ / "zh"}, {folder_ / "de"}}; }
  TokenizerPair tokenizers(int64_t vocabulary = 120) const {
    TokenizerOptions options;
    options.vocabulary_size = vocabulary;
    return TokenizerPair::joint(
        train_tokenizer(options, std::vector{folder_ / "zh", folder_ / "de"}));
  }
  Corpus open(const FilterOptions& filters = {}, int threads = 2) const {
    Workers workers(threads);
    return Corpus::open(text(), tokenizers(), filters, cache_, workers);
  }
  // The corpus of a few pairs, written as "source\ttarget".
  Corpus open_lines(const std::vector<std::pair<std::string, std::string>>& lines,
                    const FilterOptions& filters) const {
    const TokenizerPair made = tokenizers();
    std::string source, target;
    for (const auto& [left, right] : lines) {
      source += left + "\n";
      target += right + "\n";
    }
    const ParallelText text({write("few.zh", source)}, {write("few.de", target)});
    Workers workers(1);
    return Corpus::open(text, made, filters, cache_, workers);
  }
  // Whether the corpus gives every pair of the text as it was.
  void expect_whole(const Corpus& corpus, const TokenizerPair& made) const {
    ASSERT_EQ(corpus.size(), int64_t(pairs_.source.size()));
    int64_t source_tokens = 0, target_tokens = 0;
    for (int64_t i = 0; i < corpus.size(); ++i) {
      const Example example = corpus.example(i);
      ASSERT_EQ(example.source, made.source().encode(pairs_.source[size_t(i)]));
      ASSERT_EQ(example.target, made.target().encode(pairs_.target[size_t(i)]));
      ASSERT_EQ(corpus.bound(i).source, int64_t(example.source.size()) + 1);
      ASSERT_EQ(corpus.bound(i).target, int64_t(example.target.size()) + 1);
      ASSERT_EQ(corpus.line(i), i);
      source_tokens += int64_t(example.source.size());
      target_tokens += int64_t(example.target.size());
    }
    EXPECT_EQ(corpus.source_tokens(), source_tokens);
    EXPECT_EQ(corpus.target_tokens(), target_tokens);
  }

  std::filesystem::path cache_;
  Sentences pairs_;
};

TEST_F(CorpusTest, GivesEveryPairAndIsUsedAgain) {
  const Corpus first = open();
  EXPECT_FALSE(first.reused());
  expect_whole(first, tokenizers());
  const Corpus second = open();
  EXPECT_TRUE(second.reused());
  EXPECT_EQ(second.report().kept, 1300);
  expect_whole(second, tokenizers());
  EXPECT_THROW(second.bound(1300), Bug);
  EXPECT_THROW(second.line(-1), Bug);
}

TEST_F(CorpusTest, LargeVocabulariesTakeFourBytes) {
  // 70,000 pieces that SentencePiece never yields make ids wide.
  const TokenizerPair small = tokenizers();
  small.save(folder_);
  const Vocabulary wide = small.source().vocabulary().padded_to(70'000);
  std::vector<std::string> pieces;
  for (int64_t id = 0; id < wide.size(); ++id) pieces.push_back(wide.piece(TokenId(id)));
  std::swap(pieces[10], pieces[69'000]);  // and one that it does yield stands far out
  std::swap(pieces[11], pieces[68'998]);
  write("vocab.json", Vocabulary(pieces).json());
  const TokenizerPair made = TokenizerPair::load(folder_);
  Workers workers(2);
  expect_whole(Corpus::open(text(), made, {}, cache_, workers), made);
  expect_whole(Corpus::open(text(), made, {}, cache_, workers), made);
}

TEST_F(CorpusTest, KnowsWhatItsIdsDoNotTell) {
  // The vocabulary was learned before these lines came.
  const TokenizerPair made = tokenizers();
  pairs_.source[3] = "\u2603 " + pairs_.source[3] + "\u266a";
  pairs_.source[1200] += "\u2603";
  pairs_.target[7] += " \u2026";
  pairs_.target[8] = "";  // dropped
  pairs_.source[8] += "\u20ac";
  write("zh", Sentences::text(pairs_.source));
  write("de", Sentences::text(pairs_.target));
  Workers workers(2);
  for (const bool reused : {false, true}) {
    const Corpus corpus = Corpus::open(text(), made, {}, cache_, workers);
    EXPECT_EQ(corpus.reused(), reused);
    const CorpusFacts& facts = corpus.facts();
    EXPECT_EQ(facts.source.unknown_lines, 2);
    ASSERT_EQ(facts.source.unknown.size(), 2u);
    EXPECT_EQ(facts.source.unknown[0].line, 3);
    EXPECT_EQ(facts.source.unknown[0].texts, (std::vector<std::string>{"\u2603", "\u266a"}));
    EXPECT_TRUE(facts.source.characters.contains(0x2603));
    EXPECT_FALSE(facts.source.characters.contains(0x20AC));
    EXPECT_EQ(facts.source.changed_lines, 0);
    EXPECT_EQ(facts.target.changed_lines, 1);
    ASSERT_EQ(facts.target.changes.size(), 1u);
    EXPECT_EQ(facts.target.changes[0].after, "...");
    EXPECT_GT(facts.tokens, 0);
  }
}

TEST_F(CorpusTest, BytesDoNotDependOnThreads) {
  open({}, 1);
  const std::string one = read(cache_);
  std::filesystem::remove(cache_);
  open({}, 3);
  EXPECT_TRUE(read(cache_) == one);
}

TEST_F(CorpusTest, AnythingThatChangesItRebuildsIt) {
  open();
  EXPECT_FALSE(open({.max_sentence_tokens = 100}).reused());
  EXPECT_TRUE(open({.max_sentence_tokens = 100}).reused());
  EXPECT_FALSE(open({.max_sentence_tokens = 100, .max_ratio = 9}).reused());
  open();
  Workers workers(1);
  EXPECT_FALSE(Corpus::open(text(), tokenizers(110), {}, cache_, workers).reused());
  open();
  pairs_.target[5] += "!";
  write("de", Sentences::text(pairs_.target));
  EXPECT_FALSE(Corpus::open(text(), tokenizers(), {}, cache_, workers).reused());
}

TEST_F(CorpusTest, DamagedCachesAreRebuilt) {
  const Corpus intact = open();
  const TokenizerPair made = tokenizers();
  const std::string whole = read(cache_);
  Workers workers(1);
  const ParallelText all = text();
  const auto expect_rebuilt = [&](const std::string& bytes, const std::string& what) {
    std::filesystem::remove(cache_);  // what `intact` has mapped stays
    write("corpus.cache", bytes);
    EXPECT_FALSE(Corpus::open(all, made, {}, cache_, workers).reused()) << what;
    EXPECT_TRUE(read(cache_) == whole) << what;
  };
  for (const size_t length :
       {size_t{0}, size_t{1}, size_t{100}, whole.size() / 2, whole.size() - 8, whole.size() - 1}) {
    expect_rebuilt(whole.substr(0, length), "cut");
  }
  expect_rebuilt(whole + std::string(8, '\0'), "longer");
  expect_rebuilt("something else", "foreign");
  Random random(9);
  for (int round = 0; round < 20; ++round) {
    std::string bytes = whole;
    const size_t at = round < 12 ? random.below(152) : random.below(bytes.size());
    bytes[at] = char(bytes[at] ^ (1 << random.below(8)));
    expect_rebuilt(bytes, fmt::format("byte {}", at));
  }
  // The mapping of a replaced cache stays whole.
  expect_whole(intact, made);
}

// Whoever makes a cache by hand can give it any fingerprint: its ids must fit the model all the
// same.
TEST_F(CorpusTest, ACacheForMoreIdsIsNotTaken) {
  open();
  detail::CorpusHeader header;
  const std::string bytes = read(cache_);
  std::memcpy(&header, bytes.data(), sizeof header);
  const int64_t size = tokenizers().size();
  EXPECT_TRUE(Corpus::from_cache(cache_, header.key, size));
  EXPECT_FALSE(Corpus::from_cache(cache_, header.key + 1, size));
  EXPECT_FALSE(Corpus::from_cache(cache_, header.key, size - 1));
}

TEST_F(CorpusTest, BrokenPairsAreDroppedAndCounted) {
  const TextFile source = write("bad.tsv", "水\tWasser\n水\xff\tWasser\n水\n水\tKatze\n");
  const TokenizerPair made = tokenizers();
  Workers workers(2);
  const ParallelText text({source.column(1)}, {source.column(2)});
  const Corpus corpus = Corpus::open(text, made, {}, cache_, workers);
  EXPECT_EQ(corpus.size(), 2);
  EXPECT_EQ(corpus.line(1), 3);
  EXPECT_EQ(corpus.report().read, 4);
  EXPECT_EQ(corpus.report().invalid_utf8, 1);
  EXPECT_EQ(corpus.report().missing_column, 1);
  EXPECT_THAT(to_string(corpus.report(), "pair"),
              ::testing::AllOf(HasSubstr("1 not UTF-8"), HasSubstr("columns")));
  const std::string bytes = read(cache_);
  EXPECT_TRUE(Corpus::open(text, made, {}, cache_, workers).reused());
  std::filesystem::remove(cache_);
  Workers one(1);
  Corpus::open(text, made, {}, cache_, one);
  EXPECT_TRUE(read(cache_) == bytes);
}

TEST_F(CorpusTest, PairsHeldOutAreToldFromOthersOfTheirSource) {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"水", "Wasser"}, {"水", "Katze"}, {"我", "Ich"}, {"我", "Ich oft"}, {"水", "Ich"}};
  const FilterReport report = open_lines(lines, {.held_out = {hash_of("水")}}).report();
  EXPECT_EQ(report.kept, 2);
  EXPECT_EQ(report.held_out, 1);
  EXPECT_EQ(report.held_out_source, 2);
  EXPECT_THAT(to_string(report, "pair"),
              ::testing::AllOf(HasSubstr("1 held out"), HasSubstr("2 with the same source")));
}

TEST_F(CorpusTest, FiltersCountWhatTheyDrop) {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"水", "Wasser"},              // kept
      {"", "Wasser"},                // empty
      {"水", " \t"},                 // empty
      {"水 水 水 水 水", "Wasser"},  // too many words
      {"水", "Wasser Katze"},        // rare word
      {"水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水",
       "Wasser"},        // odd ratio, or too long
      {"水", "Wasser"},  // kept
  };
  FilterOptions filters{.max_words = 4, .max_ratio = 5, .min_word_count = 2};
  EXPECT_THROW(
      {
        open_lines({{"水", "Wasser"}}, filters);
      },
      Error)  // each word occurs once
      << "min_word_count";
  filters.min_word_count = 0;
  const Corpus corpus = open_lines(lines, filters);
  EXPECT_EQ(corpus.report().read, 7);
  EXPECT_EQ(corpus.report().empty, 2);
  EXPECT_EQ(corpus.report().too_many_words, 1);
  EXPECT_EQ(corpus.report().length_ratio, 1);
  EXPECT_EQ(corpus.report().kept, 3);
  EXPECT_EQ(corpus.line(0), 0);
  EXPECT_EQ(corpus.line(1), 4);
  EXPECT_EQ(corpus.line(2), 6);

  filters.min_word_count = 2;
  const Corpus common = open_lines(lines, filters);
  EXPECT_EQ(common.report().rare_words, 2);  // Katze, and the long word of water
  EXPECT_EQ(common.report().kept, 2);
  EXPECT_EQ(to_string(common.report(), "pair"),
            "kept 2 of 7 pairs; dropped 2 with an empty side, 1 of too many words, 2 with a rare "
            "word");

  // At every limit: as many as have a side with no room for </s>.
  const TokenizerPair made = tokenizers();
  const auto shortest = int64_t(made.target().encode("Wasser").size()) + 1;
  for (int64_t limit = shortest; limit < 50; limit += 3) {
    int64_t longer = 0;
    for (const auto& [source, target] : lines) {
      const size_t most =
          std::max(made.source().encode(source).size(), made.target().encode(target).size());
      const bool empty = source.empty() || target == " \t";
      longer += !empty && int64_t(most) + 1 > limit ? 1 : 0;
    }
    EXPECT_EQ(open_lines(lines, {.max_sentence_tokens = limit}).report().too_long, longer);
  }
}

TEST_F(CorpusTest, NothingLeftIsAnErrorAndLeavesNoFile) {
  const std::string message = error_of([&] {
    open_lines({{"", "a"}, {"水 水", "b"}}, {.max_words = 1});
  });
  EXPECT_THAT(message, HasFacts("kept 0 2 pairs dropped 1 empty side 1 too many words"));
  EXPECT_FALSE(std::filesystem::exists(cache_));
  for (const auto& entry : std::filesystem::directory_iterator(cache_.parent_path()))
    EXPECT_NE(entry.path().extension(), ".partial") << entry.path();
}

TEST_F(CorpusTest, OptionsOutOfRangeAreUsageErrors) {
  EXPECT_THROW(open({.max_sentence_tokens = 1}), UsageError);
  EXPECT_THROW(open({.max_sentence_tokens = 65536}), UsageError);
  EXPECT_THROW(open({.max_words = -1}), UsageError);
  EXPECT_THROW(open({.max_ratio = 0.5}), UsageError);
  EXPECT_THROW(open({.min_word_count = -1}), UsageError);
  std::filesystem::create_directory(cache_);
  EXPECT_THAT(error_of([&] { open(); }), HasSubstr("directory"));
}

TEST_F(CorpusTest, TellsItsProgress) {
  std::vector<int64_t> seen;
  Workers workers(1);
  Corpus::open(text(), tokenizers(), {}, cache_, workers, [&](int64_t n) { seen.push_back(n); });
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 1300);
}

}  // namespace
}  // namespace heed
