// heed inspect attention, and the pages of heed translate --html and its like.
#include <nlohmann/json.hpp>

#include "console/console.h"
#include "heed/core/files.h"
#include "heed/core/unicode.h"
#include "heed/pages/attention_text.h"
#include "heed/pages/terminal_text.h"
#include "small_model_test.h"
#include "support/facts.h"
#include "support/page_data.h"

namespace heed::testing {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kSentence = "她昨天买了三本书。";

class AttentionCommandTest : public SmallModelTest {
 protected:
  static RunResult inspected(const std::vector<std::string>& options,
                             const std::string& sentence = kSentence) {
    return heed(with({"inspect", "attention", sentence, "--model", "m"}, options));
  }
};

TEST_F(AttentionCommandTest, DrawsWhatEveryHeadLooksAt) {
  const RunResult result = inspected({});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("sentence     " + kSentence), HasSubstr("translation  "),
                                HasSubstr("Attention of the translation to the sentence, layer 2"),
                                HasSubstr("\n1.1 "), HasSubstr("2.4 "), HasSubstr("weights: ░"),
                                Not(HasSubstr("\x1b"))));
  for (const std::string& line : lines_of(result.out)) {
    if (line.starts_with("translation")) continue;
    EXPECT_LE(terminal_width(line), 80) << line;
  }
}

TEST_F(AttentionCommandTest, ItsNumbersAreThoseOfTheTranslationAndOfThePage) {
  const RunResult result = inspected({"--json", "--compute", "fp32"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json inspection = Json::parse(result.out);
  const std::string page_path = (folder_->path() / "page.html").string();
  const RunResult translated =
      heed({"translate", "--model", "m", "--format", "jsonl", "--alignments", "weights",
            "--compute", "fp32", "--html", page_path},
           {}, kSentence + "\n");
  ASSERT_EQ(translated.status, 0) << translated.err;
  const Json line = Json::parse(translated.out);
  EXPECT_EQ(inspection.at("translation"), line.at("translation"));
  EXPECT_EQ(inspection.at("score"), line.at("score"));
  EXPECT_EQ(inspection.at("source_pieces"), line.at("source_pieces"));

  // What --alignments weights prints is the mean over the heads of the last layer.
  const Json& heads = inspection.at("cross").at(1);
  for (size_t row = 0; row < line.at("attention").size(); ++row) {
    for (size_t column = 0; column < line["attention"][row].size(); ++column) {
      double mean = 0;
      for (const Json& head : heads) mean += head.at(row).at(column).get<double>();
      EXPECT_NEAR(mean / double(heads.size()), line["attention"][row][column].get<double>(), 1e-4);
    }
  }

  const std::string html = read_file(page_path);
  const Json of_page = data_of(html).at("lines").at(0);
  EXPECT_EQ(of_page.at("translation"), line.at("translation"));
  EXPECT_EQ(of_page.at("score"), line.at("score"));
  const PageBlock block = block_of(html, 0);
  size_t at = 0;
  for (const char* site : {"encoder", "decoder", "cross"})
    for (const Json& layer : inspection.at(site))
      for (const Json& head : layer)
        for (const Json& row : head)
          for (const Json& weight : row)
            ASSERT_EQ(std::lround(weight.get<double>() * 1e4), block.numbers.at(at++)) << site;
  EXPECT_EQ(at, block.numbers.size());
}

TEST_F(AttentionCommandTest, ThePageHasTheFirstLinesAndChangesNoTranslation) {
  const std::string text = "你好。\n\n他是老师。\n她昨天买了三本书。\n";
  const std::string page = (folder_->path() / "page.html").string();
  const std::vector<std::string> command = {"translate", "--model", "m"};
  const RunResult plain = heed(command, {}, text);
  const RunResult with_page = heed(with(command, {"--html", page, "--html-lines", "3"}), {}, text);
  EXPECT_EQ(with_page.out, plain.out);
  EXPECT_THAT(with_page.err, HasSubstr("page with the attention of 3 lines: " + page));
  const Json data = data_of(read_file(page));
  EXPECT_EQ(data.at("lines").size(), 3u);
  EXPECT_EQ(data.at("total_lines"), 4);
  EXPECT_EQ(data.at("lines").at(1).at("status"), "empty");
  EXPECT_EQ(data.at("options"), Json({{"beam", "4"}}));
  std::vector<std::string> translations = lines_of(plain.out);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(data.at("lines").at(i).at("translation"), translations.at(i));
}

TEST_F(AttentionCommandTest, TheTranslationCanBeGiven) {
  const RunResult result = inspected({"--target", "the fox", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json.at("translation"), "the fox");
  EXPECT_FALSE(json.contains("score"));
}

// The commands of the other tasks, and what their pages say of a line.
TEST_F(AttentionCommandTest, ModelsOfEveryTaskHaveAPage) {
  struct Case {
    std::string command, model, task;
    std::vector<std::string> attends;
  };
  const std::string text = "the quick fox\n\nthe dog\n";
  for (const Case& one : std::vector<Case>{
           {"generate", "lm", "language-model", {"decoder"}},
           {"tag", "tagger", "tag", {"encoder"}},
           {"classify", "classifier", "classify", {"encoder"}},
           {"parse", "parser", "parse", {"cross", "decoder", "encoder"}},
       }) {
    SCOPED_TRACE(one.command);
    const std::string page = one.command + ".html";
    std::vector<std::string> command = {one.command, "--model", one.model, "--compute", "fp32"};
    if (one.command == "generate") command = with(command, {"--extra-length", "4"});
    if (one.command == "tag") command = with(command, {"--format", "tags"});
    const RunResult plain = heed(command, {}, text);
    const RunResult result = heed(with(command, {"--html", page, "--html-lines", "2"}), {}, text);
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, plain.out);
    const std::string html = read_file(*folder_ / page);
    const Json data = data_of(html);
    EXPECT_EQ(data.at("task"), one.task);
    EXPECT_EQ(data.at("total_lines"), 3);
    ASSERT_EQ(data.at("lines").size(), 2u);
    const std::vector<std::string> lines = lines_of(plain.out);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(data["lines"][i].at("translation"), lines.at(i));
    EXPECT_EQ(data.at("options").contains("beam"), one.attends.size() != 1 || one.model == "lm");
    const Json block = block_of(html, 0).json;
    for (const auto& [site, shape] : block.at("shape").items()) {
      const bool attends = std::ranges::count(one.attends, site) > 0;
      EXPECT_EQ(shape.at(0).get<int>() > 0, attends) << site;
    }
    EXPECT_EQ(block.at("log_probabilities").size(), block.at("target_pieces").size());
  }
}

TEST_F(AttentionCommandTest, ModelsOfEveryTaskAreDrawn) {
  const auto drawn = [](const std::string& model, const std::vector<std::string>& more = {}) {
    const RunResult result =
        heed(with({"inspect", "attention", "the quick fox", "--model", model}, more));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  EXPECT_THAT(drawn("lm"),
              AllOf(HasSubstr("prompt       the quick fox\ntext         the quick fox"),
                    HasSubstr("Self-attention of the decoder, layer 2")));
  EXPECT_THAT(drawn("tagger"), AllOf(HasSubstr("labels       "), HasSubstr("alignment    the–"),
                                     HasSubstr("Self-attention of the encoder, layer 2")));
  EXPECT_THAT(drawn("classifier"), HasSubstr("text         the quick fox\nlabel        "));
  EXPECT_THAT(drawn("parser"), AllOf(HasSubstr("tree         ("),
                                     HasSubstr("Attention of the tree to the sentence, layer 2")));
  EXPECT_THAT(drawn("parser", {"--site", "encoder"}), HasSubstr("Self-attention of the encoder"));
  // A text that is given: the prompt, and what follows it.
  const Json given = Json::parse(drawn("lm", {"--target", " jumps", "--json"}));
  EXPECT_EQ(given.at("translation"), "the quick fox jumps");
  EXPECT_FALSE(given.contains("score"));
  EXPECT_THAT(given.at("source_pieces"), IsEmpty());
  EXPECT_THAT(given.at("encoder"), IsEmpty());
  EXPECT_EQ(given.at("decoder").size(), 2u);

  const auto refused = [](const std::string& model, const std::vector<std::string>& more,
                          const std::string& facts, const std::string& sentence = "the fox") {
    expect_failure(heed(with({"inspect", "attention", sentence, "--model", model}, more)), facts,
                   sentence.empty() ? 1 : 2);
  };
  refused("tagger", {"--site", "cross"}, "--site cross expected encoder");
  refused("lm", {"--site", "encoder"}, "--site encoder expected decoder");
  refused("tagger", {"--target", "UP"}, "--target translates");
  refused("parser", {"--target", "(S)"}, "--target translates");
  for (const char* model : {"tagger", "classifier", "parser"})
    refused(model, {}, "the sentence has no tokens", "");
}

TEST_F(AttentionCommandTest, WhatIsWrongIsSaid) {
  const auto refused = [](const RunResult& result, const std::string& part, int status) {
    expect_failure(result, part, status);
  };
  refused(inspected({"--layer", "3"}), "--layer 3: the model has 2 layers there", 2);
  refused(inspected({"--head", "9"}), "--head 9: the model has 4 heads", 2);
  refused(inspected({}, ""), "the sentence has no tokens", 1);
  refused(inspected({"--examples", "3"}),
          "--examples changes nothing: it belongs to 'heed inspect "
          "data'",
          2);
  refused(heed({"inspect", "attention", kSentence}), "--model is missing", 2);
  refused(heed({"inspect", "attention", kSentence, "--model", "nowhere"}), "nowhere", 1);
  refused(heed({"inspect", "model", "tiny", "--site", "encoder"}),
          "--site changes nothing: it belongs to 'heed inspect attention'", 2);
  refused(inspected({"--target", ""}), "--target empty text", 2);
  refused(heed({"translate", "--model", "m", "--html", "-"}, {}, "x\n"), "--html -", 2);
  refused(heed({"translate", "--model", "m", "--html", "/dev/stdout"}, {}, "x\n"), "--html", 2);
  refused(heed({"translate", "--model", "m", "--output", "q", "--html", "./q"}, {}, "x\n"),
          "--html ./q is also --output q", 2);
  refused(heed({"translate", "--model", "m", "--html-lines", "3"}, {}, "x\n"),
          "--html-lines changes nothing without --html", 2);
}

AttentionMap map_of(const std::vector<std::string>& queries, const std::vector<std::string>& keys) {
  AttentionMap map{queries, keys, {}};
  for (size_t i = 0; i < queries.size() * keys.size(); ++i)
    map.weights.push_back(double(i % keys.size() == i / keys.size()));
  return map;
}

TEST(AttentionText, TextCannotTurnTheTerminalAround) {
  EXPECT_EQ(one_line("a\u202Eb\nc\x1B[0m\u2028\u0085\xFF\u4E2D"),
            "a<U+202E>b c [0m<U+2028><U+0085>\uFFFD\u4E2D");
}

TEST(AttentionText, AnAlignmentIsWords) {
  PairAttention attention;
  attention.source_pieces = {"▁她", "昨天", "买", "</s>"};
  attention.target_pieces = {"▁She", "▁bou", "ght", "▁yesterday", "</s>"};
  // 昨 and 天 share a piece.
  attention.source_words = {{0, 1}, {1, 2}, {1, 2}, {2, 3}};
  attention.target_words = {{0, 1}, {1, 3}, {3, 4}};
  const std::vector<AlignedPair> links = {{0, 0}, {3, 1}, {1, 2}, {2, 2}};
  EXPECT_EQ(alignment_text(attention, links, {}, 2), "她–She  买–bought  昨天–yesterday");
  EXPECT_EQ(alignment_text(attention, links, {.columns = 20}, 2),
            "她–She  买–bought\n  昨天–yeste…");
}

TEST(AttentionText, AMapIsWrappedToTheWidth) {
  const AttentionMap map = map_of({"she", "bought"}, {"她", "昨天", "买"});
  EXPECT_EQ(map_text(map, {}),
            "       1  2  3  \n"
            "   she ███      \n"
            "bought    ███   \n"
            "1 她  2 昨天  3 买\n");
  EXPECT_EQ(map_text(map, {.columns = 14}),
            "       1  2  \n"
            "   she ███   \n"
            "bought    ███\n\n"
            "       3  \n"
            "   she    \n"
            "bought    \n"
            "1 她  2 昨天\n3 买\n");
  const AttentionMap long_word = map_of({"Donaudampfschifffahrt"}, {"船"});
  EXPECT_EQ(map_text(long_word, {.columns = 20}),
            "         1  \n"
            "Donauda… ███\n"
            "1 船\n");
  EXPECT_THAT(map_text(map, {.colour = true}), HasSubstr("\x1b[36m███\x1b[39m"));
}

TEST(AttentionText, MapsStandSideBySideAsFarAsTheWidthGoes) {
  const AttentionMap map = map_of({"a", "b"}, {"x", "y", "z"});
  EXPECT_EQ(maps_text({{"1.1", map}, {"1.2", map}, {"2.1", map}}, {.columns = 9}),
            "1.1  1.2  \n"
            "█  │ █  │ \n"
            " █ │  █ │ \n"
            "2.1  \n"
            "█  │ \n"
            " █ │ \n");
}

TEST(AttentionText, AWordHasTheSumOverItsPiecesAndTheMeanOverThoseThatLook) {
  PairAttention attention;
  attention.source_pieces = {"▁read", "ing", "</s>"};
  attention.target_pieces = {"▁le", "sen", "</s>"};
  attention.source_words = attention.target_words = {{0, 2}};
  attention.cross = Tensor({1, 2, 3, 3});
  const std::vector<float> weights = {0.5f,  0.25f, 0.25f, 0.1f, 0.2f, 0.7f, 0, 0, 1,
                                      0.25f, 0.25f, 0.5f,  0.3f, 0.4f, 0.3f, 0, 0, 1};
  std::copy(weights.begin(), weights.end(), attention.cross.data<float>());
  AttentionChoice choice{.head = 1};
  const AttentionMap one = attention_map(attention, choice, 0);
  EXPECT_EQ(one.queries, (std::vector<std::string>{"lesen", "</s>"}));
  EXPECT_EQ(one.keys, (std::vector<std::string>{"reading", "</s>"}));
  const std::vector<double> expected = {(0.75 + 0.3) / 2, (0.25 + 0.7) / 2, 0, 1};
  ASSERT_EQ(one.weights.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(one.weights[i], expected[i], 1e-6);
  choice = {.units = AlignmentUnit::tokens};
  const AttentionMap mean = attention_map(attention, choice, 0);
  EXPECT_EQ(mean.queries, (std::vector<std::string>{"le", "sen", "</s>"}));
  EXPECT_NEAR(mean.weights[1], 0.25, 1e-6);
  EXPECT_NEAR(mean.weights[3], 0.2, 1e-6);
}

}  // namespace
}  // namespace heed::testing
