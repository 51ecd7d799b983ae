#include "heed/pages/attention_page.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/page_data.h"
#include "support/small_translator_test.h"

namespace heed {
namespace {

class AttentionPageTest : public testing::SmallTranslatorTest {};

TEST_F(AttentionPageTest, ItsNumbersAreThoseOfTheTranslation) {
  DecodeOptions options;
  options.search.nbest = 2;
  AttentionPage page(parts(), {"zh-en", {{"beam", "4"}}});
  const std::vector<std::string> lines = {"the dog", "", "老师买了三本书。"};
  std::vector<Explanation> all;
  for (size_t i = 0; i < lines.size(); ++i) {
    all.push_back(explain(parts(), lines[i], options, int64_t(i)));
    page.add(lines[i], all[i]);
  }
  const std::string html = page.html(250);
  const nlohmann::json data = testing::data_of(html);
  EXPECT_EQ(data.at("model").at("name"), "zh-en");
  EXPECT_EQ(data.at("model").at("heads"), model_.config().heads);
  EXPECT_EQ(data.at("options"), nlohmann::json({{"beam", "4"}}));
  EXPECT_EQ(data.at("total_lines"), 250);
  ASSERT_EQ(data.at("lines").size(), 3u);
  EXPECT_EQ(data["lines"][1].at("parts").size(), 0u);
  EXPECT_EQ(data["lines"][1].at("status"), "empty");
  for (const size_t i : {0, 2}) {
    const nlohmann::json& line = data["lines"][i];
    const Explanation& explanation = all[i];
    const TextHypothesis& best = explanation.translation.hypotheses[0];
    EXPECT_EQ(line.at("line"), i + 1);
    EXPECT_EQ(line.at("source"), lines[i]);
    EXPECT_EQ(line.at("translation"), best.text);
    EXPECT_EQ(line.at("score"), best.score);
    EXPECT_EQ(line.at("hypotheses").size(), explanation.translation.hypotheses.size());

    const testing::PageBlock block = testing::block_of(html, line.at("parts").at(0));
    const PartExplanation& part = explanation.parts.at(0);
    EXPECT_EQ(block.json.at("source_pieces"), part.attention.source_pieces);
    EXPECT_EQ(block.json.at("target_pieces"), part.attention.target_pieces);
    EXPECT_EQ(block.json.at("shape").at("cross"), part.attention.cross.shape());
    std::vector<uint16_t> weights;
    for (const Tensor* tensor :
         {&part.attention.encoder, &part.attention.decoder, &part.attention.cross})
      for (int64_t j = 0; j < tensor->size(); ++j)
        weights.push_back(uint16_t(std::lround(double(tensor->data<float>()[j]) * 1e4)));
    EXPECT_EQ(block.numbers, weights);

    const nlohmann::json& tree = block.json.at("tree");
    ASSERT_EQ(tree.at("parent").size(), part.search.nodes.size());
    EXPECT_EQ(tree.at("results"), part.results);
    const auto last = size_t(part.results[0]);
    EXPECT_NEAR(tree.at("score")[last].get<double>(), best.score, 1e-6);
    const nlohmann::json& values = block.json.at("log_probabilities");
    ASSERT_EQ(values.size(), part.log_probabilities.size());
    for (size_t j = 0; j < values.size(); ++j) {
      EXPECT_NEAR(values[j].get<double>(), part.log_probabilities[j], 1e-6);
      EXPECT_EQ(block.json.at("alternatives")[j].size(), size_t(SearchTrace::kLikeliest));
    }
  }
}

TEST_F(AttentionPageTest, ALongLineHasSeveralParts) {
  AttentionPage page(parts(), {"m"});
  const std::string line = std::string(200, 'a') + ". " + std::string(90, 'b');
  DecodeOptions options;
  options.search.max_length = 5;
  const Explanation explanation = explain(parts(), line, options);
  page.add(line, explanation);
  const std::string html = page.html(1);
  const nlohmann::json parts = testing::data_of(html).at("lines").at(0).at("parts");
  ASSERT_EQ(parts.size(), explanation.parts.size());
  EXPECT_GT(parts.size(), 1u);
  EXPECT_EQ(testing::block_of(html, parts.back()).json.at("source_pieces"),
            explanation.parts.back().attention.source_pieces);
}

TEST_F(AttentionPageTest, LeavesOutWhatIsTooLarge) {
  AttentionPage page(parts(), {"zh-en"}, 1);
  page.add("the dog", explain(parts(), {"the dog"}, {}));
  page.add("a fox", explain(parts(), {"a fox"}, {}, 1));
  const nlohmann::json data = testing::data_of(page.html(2));
  EXPECT_EQ(data["lines"][0]["parts"].size(), 1U);
  EXPECT_FALSE(data["lines"][0].contains("left_out"));
  EXPECT_EQ(data["lines"][1]["parts"].size(), 0U);
  EXPECT_EQ(data["lines"][1]["left_out"], 1);
  EXPECT_EQ(data["lines"][1]["source"], "a fox");
}

}  // namespace
}  // namespace heed
