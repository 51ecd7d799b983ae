#include "heed/decode/explanation.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "heed/decode/classifier.h"
#include "heed/decode/language_model.h"
#include "heed/decode/parser.h"
#include "heed/decode/translator.h"
#include "support/facts.h"
#include "support/folder_test.h"
#include "support/small_task_models.h"
#include "support/small_translator_test.h"

namespace heed {
namespace {

using ::testing::IsEmpty;

class ExplanationTest : public testing::SmallTranslatorTest {};

std::vector<DecodeOptions> kinds_of_search() {
  std::vector<DecodeOptions> all(4);
  all[1].search.nbest = 4;
  all[2].search.sample = true;
  all[2].search.nbest = 3;
  all[3].search.max_length = 3;  // unfinished
  for (DecodeOptions& options : all) {
    options.attention = true;
    options.search.extra_length = 4;
  }
  return all;
}

TEST_F(ExplanationTest, TheTranslationIsThatOfTheTranslator) {
  const std::vector<std::string> lines = {
      "the dog",    "",    "老师买了三本书。",
      "a \xff fox", "   ", std::string(200, 'a') + ". " + std::string(90, 'b')};
  for (const DecodeOptions& options : kinds_of_search()) {
    const Translator translator({{model_, *backend_}, tokenizers_}, options);
    const std::vector<Translation> expected = translator.translate(lines);
    for (size_t i = 0; i < lines.size(); ++i) {
      const Explanation got = explain(parts(), lines[i], options, int64_t(i));
      const Translation& translation = got.translation;
      EXPECT_EQ(translation.line, int64_t(i));
      EXPECT_EQ(translation.status.text(), expected[i].status.text());
      EXPECT_EQ(translation.source_pieces, expected[i].source_pieces);
      ASSERT_EQ(translation.hypotheses.size(), expected[i].hypotheses.size());
      for (size_t j = 0; j < translation.hypotheses.size(); ++j) {
        EXPECT_EQ(translation.hypotheses[j].text, expected[i].hypotheses[j].text);
        EXPECT_EQ(translation.hypotheses[j].score, expected[i].hypotheses[j].score);
        EXPECT_EQ(translation.hypotheses[j].attention, expected[i].hypotheses[j].attention);
      }
      EXPECT_EQ(got.parts.empty(), translation.status.empty);
      EXPECT_EQ(got.parts.size() > 1, translation.status.split);
    }
  }
}

TEST_F(ExplanationTest, APartHasThePiecesAndNumbersOfTheBestTranslation) {
  for (const DecodeOptions& options : kinds_of_search()) {
    const Explanation all = explain(parts(), {"the quick fox"}, options);
    ASSERT_EQ(all.parts.size(), 1u);
    const PartExplanation& part = all.parts[0];
    const TextHypothesis& best = all.translation.hypotheses[0];
    std::vector<std::string> pieces = best.pieces;
    if (part.ended) pieces.emplace_back("</s>");
    EXPECT_EQ(part.ended, !all.translation.status.unfinished);
    EXPECT_EQ(part.attention.target_pieces, pieces);
    EXPECT_EQ(part.attention.source_pieces, all.translation.source_pieces);
    EXPECT_EQ(part.log_probabilities, best.log_probabilities);
    const ModelConfig& config = model_.config();
    const auto sources = int64_t(part.attention.source_pieces.size()),
               targets = int64_t(pieces.size());
    EXPECT_EQ(part.attention.cross.shape(),
              (Shape{config.decoder_layers, config.heads, targets, sources}));
    EXPECT_EQ(part.attention.decoder.shape(),
              (Shape{config.decoder_layers, config.heads, targets, targets}));
    EXPECT_EQ(part.alignment, aligned_pairs(all.translation, best, AlignmentUnit::words));

    ASSERT_EQ(part.results.size(), all.translation.hypotheses.size());
    EXPECT_EQ(part.search.nodes.at(size_t(part.results[0])).sum,
              std::accumulate(part.log_probabilities.begin(), part.log_probabilities.end(), 0.0));
    for (size_t i = 0; i < part.results.size(); ++i)
      EXPECT_EQ(part.search.nodes.at(size_t(part.results[i])).score,
                all.translation.hypotheses[i].score);
    ASSERT_EQ(part.likeliest.size(), pieces.size());
    for (size_t i = 0; i < pieces.size(); ++i) {
      ASSERT_EQ(int64_t(part.likeliest[i].size()), SearchTrace::kLikeliest);
      EXPECT_LE(part.log_probabilities[i], part.likeliest[i][0].log_probability);
      for (const auto& [piece, log_probability] : part.likeliest[i]) {
        if (piece != pieces[i]) continue;
        EXPECT_NEAR(log_probability, part.log_probabilities[i], 1e-6);
      }
    }
  }
}

TEST_F(ExplanationTest, AForcedPrefixIsPartOfTheSearch) {
  const Explanation all = explain(parts(), {"the dog", "a fox jumps"}, DecodeOptions());
  const PartExplanation& part = all.parts.at(0);
  EXPECT_TRUE(all.translation.hypotheses[0].text.starts_with("a fox jumps"));
  EXPECT_EQ(part.search.nodes.at(0).fate, HypothesisFate::forced);
  EXPECT_EQ(part.likeliest.size(), part.attention.target_pieces.size());
}

// Models of the other tasks, each in a directory.
class TaskExplanationTest : public FolderTest {
 protected:
  // Rows that sum to 1.
  static void expect_weights(const Tensor& weights, const Shape& shape) {
    ASSERT_EQ(weights.shape(), shape);
    const int64_t columns = shape.back();
    for (int64_t row = 0; row < weights.size() / std::max<int64_t>(1, columns); ++row) {
      const float* first = weights.data<float>() + row * columns;
      EXPECT_NEAR(std::accumulate(first, first + columns, 0.0), 1, 1e-5);
    }
  }
};

TEST_F(TaskExplanationTest, ALanguageModelReadsItsPromptAndItself) {
  testing::write_small_language_model(folder_);
  const LanguageModel model(folder_);
  DecodeOptions options;
  options.search.extra_length = 5;
  for (const std::string prompt : {"the quick ", "", "the dog"}) {
    const Explanation all = model.explain(prompt, options);
    EXPECT_EQ(all.translation.hypotheses[0].text, model.generate(prompt, options));
    ASSERT_EQ(all.parts.size(), 1u);
    const PartExplanation& part = all.parts[0];
    EXPECT_THAT(part.attention.source_pieces, IsEmpty());
    EXPECT_EQ(part.attention.start_piece, "<pad>");
    std::vector<std::string> pieces = all.translation.hypotheses[0].pieces;
    if (part.ended) pieces.emplace_back("</s>");
    EXPECT_EQ(part.attention.target_pieces, pieces);
    EXPECT_EQ(part.log_probabilities.size(), pieces.size());
    EXPECT_EQ(part.likeliest.size(), pieces.size());
    EXPECT_EQ(part.attention.target_words.empty(), pieces.front() == "</s>");
    const ModelConfig& config = model.config();
    const auto count = int64_t(pieces.size());
    expect_weights(part.attention.decoder, {config.decoder_layers, config.heads, count, count});
    EXPECT_EQ(part.attention.encoder.size(), 0);
    EXPECT_EQ(part.attention.cross.size(), 0);
    EXPECT_EQ(part.search.nodes.at(0).fate,
              prompt.empty() ? HypothesisFate::kept : HypothesisFate::forced);
  }
}

TEST_F(TaskExplanationTest, APromptWithoutRoomIsTheResult) {
  testing::write_small_language_model(folder_);
  const LanguageModel model(folder_);
  DecodeOptions options;
  options.search.max_length = 3;
  const Explanation all = model.explain({"the quick fox"}, options);
  EXPECT_EQ(all.translation.status.text(), "prefix_too_long");
  EXPECT_EQ(all.translation.hypotheses[0].text, "the quick fox");
  EXPECT_TRUE(all.parts.empty());
}

TEST_F(TaskExplanationTest, TheTreeOfAParserIsThatOfItsSearch) {
  testing::write_small_parser(folder_);
  const Parser model(folder_);
  std::string many;
  for (int i = 0; i < 20; ++i) many += "fox ";
  for (const std::string& sentence : {std::string("the (quick) fox ."), many, std::string()}) {
    const Explanation all = model.explain(sentence);
    EXPECT_EQ(all.translation.hypotheses[0].text, model.parse(sentence));
    EXPECT_EQ(all.parts.empty(), sentence.empty());
    EXPECT_EQ(all.parts.size() > 1, all.translation.status.split);
    size_t words = 0;
    for (const PartExplanation& part : all.parts) {
      const PairAttention& attention = part.attention;
      words += attention.source_words.size();
      EXPECT_TRUE(part.ended);
      EXPECT_EQ(attention.target_pieces.back(), "</s>");
      EXPECT_EQ(part.log_probabilities.size(), attention.target_pieces.size());
      EXPECT_EQ(part.likeliest.size(), attention.target_pieces.size());
      EXPECT_THAT(attention.target_words, IsEmpty());
      EXPECT_THAT(part.alignment, IsEmpty());
      const ModelConfig& config = model.config();
      expect_weights(attention.cross,
                     {config.decoder_layers, config.heads, int64_t(attention.target_pieces.size()),
                      int64_t(attention.source_pieces.size())});
    }
    EXPECT_EQ(words, sentence.empty() ? 0u : sentence == many ? 20u : 4u);
  }
}

TEST_F(TaskExplanationTest, LabelsAreThoseOfTheClassifier) {
  for (const ClassesOf of : {ClassesOf::words, ClassesOf::texts}) {
    testing::write_small_classifier(folder_ / to_text(of), of);
    const Classifier model(folder_ / to_text(of));
    const bool tags = of == ClassesOf::words;
    std::string many;
    for (int i = 0; i < 50; ++i) many += "quick ";
    for (const std::string& text : {std::string("the quick fox"), many, std::string()}) {
      const Explanation all = model.explain({text});
      const ClassifiedLine expected = model.classify(std::vector<std::string>{text}).front();
      const TextHypothesis& labels = all.translation.hypotheses.at(0);
      EXPECT_EQ(all.translation.status.text(), expected.status.text());
      std::vector<std::string> names;
      double sum = 0;
      for (const ClassChoice& choice : expected.choices)
        names.push_back(choice.label), sum += choice.log_probability;
      EXPECT_EQ(labels.pieces, names);
      EXPECT_EQ(labels.text, fmt::format("{}", fmt::join(names, " ")));
      EXPECT_NEAR(labels.score, sum, 1e-5);
      EXPECT_EQ(all.parts.size() > 1, all.translation.status.split);
      std::vector<std::string> found;
      size_t words = 0;
      for (const PartExplanation& part : all.parts) {
        const PairAttention& attention = part.attention;
        words += attention.source_words.size();
        found.insert(found.end(), attention.target_pieces.begin(), attention.target_pieces.end());
        EXPECT_EQ(part.alignment.size(), tags ? attention.source_words.size() : 0);
        const auto pieces = int64_t(attention.source_pieces.size());
        const ModelConfig& config = model.config();
        expect_weights(attention.encoder, {config.encoder_layers, config.heads, pieces, pieces});
        EXPECT_EQ(attention.decoder.size() + attention.cross.size(), 0);
        EXPECT_THAT(part.search.nodes, IsEmpty());
        for (const std::vector<LikelyPiece>& likeliest : part.likeliest) {
          ASSERT_EQ(likeliest.size(), 3u) << "of the labels A, B and C";
          double all_labels = 0;
          for (const auto& [piece, log_probability] : likeliest)
            all_labels += std::exp(log_probability);
          EXPECT_NEAR(all_labels, 1, 1e-5);
        }
      }
      EXPECT_EQ(found, names);
      if (tags) EXPECT_EQ(words, expected.words.size());
    }
  }
}

TEST_F(TaskExplanationTest, TextThatIsNotUtf8IsRefusedIfItMustBe) {
  testing::write_small_classifier(folder_, ClassesOf::words);
  const Classifier model(folder_);
  EXPECT_EQ(model.explain({"a \xff fox"}).translation.status.text(), "invalid_utf8");
  DecodeOptions strict;
  strict.strict = true;
  EXPECT_THAT(error_of([&] { model.explain({"a \xff fox"}, strict); }),
              HasFacts("1 input UTF-8 3"));
}

}  // namespace
}  // namespace heed
