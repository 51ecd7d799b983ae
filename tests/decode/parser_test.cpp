// Parsers with random weights: whatever they prefer, every line becomes a tree over its words.
#include "heed/decode/parser.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/text/linear_tree.h"
#include "heed/text/words.h"
#include "support/facts.h"
#include "support/folder_test.h"
#include "support/small_task_models.h"

namespace heed {
namespace {

class ParserTest : public FolderTest {
 protected:
  // A model of random weights, with this many positions.
  std::filesystem::path random_parser(int64_t positions, uint64_t seed) {
    const std::filesystem::path directory = folder_ / "parser";
    testing::write_small_parser(directory, positions, seed);
    return directory;
  }

  static void expect_tree(const std::string& line, const std::string& tree) {
    std::vector<std::string> words;
    for (const std::string_view word : detail::words_of(line)) words.push_back(treebank_word(word));
    const TreeReading reading = read_tree(tree);
    EXPECT_FALSE(reading.defect) << reading.defect->message() << "\n" << tree;
    EXPECT_EQ(to_line(reading.tree), tree);
    EXPECT_EQ(linear_tree(reading.tree).words, words);
    EXPECT_EQ(reading.tree.empty(), words.empty());
    EXPECT_TRUE(words.empty() || !reading.tree.nodes().front().has_word());
  }

  // With every character that a word may have, and lines of many lengths.
  static std::vector<std::string> odd_lines() {
    std::vector<std::string> lines = {
        "",
        " \t ",
        "the quick brown fox",
        "(",
        ") ( f(x) -LRB- [ ]",
        "\U0001F600 \U0001F468\u200D\U0001F469 e\u0301 \u00a0 \u3000",
        "\u200b \u00ad x\u200b",  // normalization leaves nothing
        "a\tb\vc\fd\re",
        std::string("NUL\0 inside", 11),
        "</s> <unk> <pad> \u2581 \u2581\u2581",
        std::string(300, 'x'),
        "-NONE- * 0 NP-SBJ (NP",
    };
    for (const size_t words : {5, 12, 13, 14, 40, 200}) {
      std::string line;
      for (size_t i = 0; i < words; ++i) line += i % 7 == 3 ? "dog " : "a ";
      lines.push_back(line);
    }
    return lines;
  }

  static std::vector<Translation> parse(const Parser& parser, const std::vector<std::string>& lines,
                                        const DecodeOptions& options = {}) {
    return parser.parser(options).translate(lines);
  }
};

TEST_F(ParserTest, EveryHypothesisIsATreeOverTheWords) {
  for (const auto& [positions, seed] :
       {std::pair<int64_t, uint64_t>{40, 1}, {8, 2}, {41, 3}, {512, 4}}) {
    const Parser parser(random_parser(positions, seed));
    std::vector<DecodeOptions> all(5);
    all[0].search.beam = 1;
    all[1].search.beam = 6;
    all[1].search.nbest = 6;
    all[2].search.sample = true;
    all[2].search.nbest = 3;
    all[2].search.temperature = 2;
    all[3].search.sample = true;
    all[3].search.top_k = 2;
    all[4].search.beam = 4;
    all[4].search.nbest = 4;
    all[4].search.beam_groups = 2;
    for (const DecodeOptions& options : all) {
      const std::vector<std::string> lines = odd_lines();
      const std::vector<Translation> parsed = parse(parser, lines, options);
      ASSERT_EQ(parsed.size(), lines.size());
      for (size_t i = 0; i < lines.size(); ++i) {
        ASSERT_FALSE(parsed[i].hypotheses.empty());
        EXPECT_FALSE(parsed[i].status.unfinished);
        for (const TextHypothesis& hypothesis : parsed[i].hypotheses)
          expect_tree(lines[i], hypothesis.text);
      }
    }
  }
}

// Options of translations could cut a tree, or forbid what completes it.
TEST_F(ParserTest, OptionsOfTranslationsChangeNothing) {
  const Parser parser(random_parser(40, 1));
  const std::vector<std::string> lines = odd_lines();
  const std::vector<std::string> trees = parser.parse(lines);
  DecodeOptions options;
  options.search.max_length = 6;
  options.search.min_length = 6;
  options.search.no_repeat_ngram_size = 1;
  options.split = TextUnit::sentences;
  options.attention = true;
  EXPECT_EQ(parser.parse(lines, options), trees);
}

TEST_F(ParserTest, TreesDoNotDependOnTheBatch) {
  const Parser parser(random_parser(512, 5));
  const std::vector<std::string> lines = odd_lines();
  for (const bool sample : {false, true}) {
    DecodeOptions options;
    options.search.sample = sample;
    options.threads = 1;
    const std::vector<std::string> trees = parser.parse(lines, options);
    for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(parser.parse(lines[i], options), trees[i]);
    options.batch_tokens = 1;
    options.threads = 3;
    EXPECT_EQ(parser.parse(lines, options), trees);
  }
}

TEST_F(ParserTest, StatusSaysWhatIsOddAboutALine) {
  const Parser parser(random_parser(40, 1));
  const std::vector<std::string> lines = {"the dog",
                                          "",
                                          "a \xff b",
                                          "a \U0001F600",
                                          "a a a a a a a a a a a a a a",
                                          std::string(100, 'a')};
  std::vector<std::string> statuses;
  const std::vector<Translation> parsed = parse(parser, lines);
  for (const Translation& tree : parsed) statuses.push_back(tree.status.text());
  EXPECT_THAT(statuses, ::testing::ElementsAre("ok", "empty", "invalid_utf8", "unknown_characters",
                                               "split", "truncated"));
  expect_tree("a \xEF\xBF\xBD b", parsed[2].hypotheses.front().text);
  DecodeOptions strict;
  strict.strict = true;
  EXPECT_THAT([&] { parser.parse(lines, strict); },
              ::testing::ThrowsMessage<Error>(HasFacts("line 3 UTF-8")));
}

TEST_F(ParserTest, OtherModelsAreRefused) {
  testing::write_small_translator(folder_ / "translator");
  EXPECT_THAT([&] { Parser refused(folder_ / "translator"); },
              ::testing::ThrowsMessage<Error>(HasFacts("translates expected parser")));
  const std::filesystem::path directory = random_parser(40, 1);
  EXPECT_EQ(read_parser_config(directory).target_form, TargetForm::trees);
  EXPECT_THAT([&] { read_translator_config(directory); },
              ::testing::ThrowsMessage<Error>(HasFacts("parser heed parse translates")));
}

}  // namespace
}  // namespace heed
