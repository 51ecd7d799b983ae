// What a client sees while a line is translated is a beginning of the translation, whatever the
// options: pieces and text that are shown once stay for good.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "heed/decode/line_batch.h"
#include "heed/model/sequence_model.h"
#include "reference/reference_backend.h"
#include "support/small_translator.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

// Pieces of bytes, of Chinese characters and of quotation marks.
TokenizerPair byte_tokenizers(const std::filesystem::path& folder) {
  const std::filesystem::path text = folder / "text";
  std::ofstream(text) << "the quick “fox”, 老师…买了‘书’。 — a ▁ b\n";
  TokenizerOptions options;
  options.kind = TokenizerKind::bpe;
  options.vocabulary_size = 300;
  options.byte_fallback = true;
  options.normalization = Normalization::identity;
  options.character_coverage = 1;
  const std::vector<std::filesystem::path> files = {text};
  return TokenizerPair::joint(train_tokenizer(options, files));
}

class ProgressTest : public ::testing::Test {
 protected:
  struct Shown {
    std::string text;
    std::vector<std::string> pieces;
  };
  // By number of the hypothesis.
  using ShownLine = std::map<int64_t, Shown>;

  static DecodeOptions any_options(Random& random) {
    DecodeOptions options;
    SearchOptions& search = options.search;
    switch (random.below(4)) {
      case 0:
        search.beam = 1;
        break;
      case 1:
        search.beam = 2 + int64_t(random.below(5));
        search.nbest = 1 + int64_t(random.below(2));
        break;
      case 2:
        search.beam = 4, search.beam_groups = 2, search.nbest = 3;
        break;
      default:
        search.sample = true;
        search.nbest = 1 + int64_t(random.below(4));
        search.temperature = 0.3 + double(random.below(30)) / 10;
        search.seed = int64_t(random.below(1000));
    }
    search.extra_length = int64_t(random.below(12));
    if (random.below(3) == 0) options.split = TextUnit::sentences;
    return options;
  }

  static TranslationInput any_input(Random& random) {
    static const std::array<std::string, 12> kWords = {
        "the", "quick. ", "“fox”", "老师", "买了。", "…", " ", "Fox! ", "☃", "‘", "\t", "，"};
    const auto text = [&](uint64_t most) {
      std::string words;
      for (uint64_t left = random.below(most); left > 0; --left)
        words += kWords[random.below(kWords.size())];
      return words;
    };
    const uint64_t most = random.below(4) == 0 ? 40 : 8;
    return {text(most), random.below(3) == 0 ? text(3) : ""};
  }

  template <class T>
  static bool begins_with(const T& whole, const T& beginning) {
    return whole.size() >= beginning.size() &&
           std::equal(beginning.begin(), beginning.end(), whole.begin());
  }

  static void show(ShownLine& line, const Translation& so_far) {
    for (const TextHypothesis& hypothesis : so_far.hypotheses) {
      Shown& shown = line[hypothesis.number];
      EXPECT_TRUE(begins_with(hypothesis.text, shown.text))
          << "'" << hypothesis.text << "' after '" << shown.text << "'";
      EXPECT_TRUE(begins_with(hypothesis.pieces, shown.pieces));
      shown = {hypothesis.text, hypothesis.pieces};
    }
  }

  testing::TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = make_reference_backend();
  TokenizerPair tokenizers_ = byte_tokenizers(folder_.path());
  SequenceModel model_ = testing::random_model(tokenizers_);
  LineProcessor processor_{tokenizers_, model_.config()};
};

TEST_F(ProgressTest, WhatIsShownStaysForGood) {
  Random random(5);
  LineBatch batch({model_, *backend_}, processor_, {.hypotheses = 8, .batch_tokens = 200});
  std::map<int64_t, ShownLine> shown;
  std::map<int64_t, bool> samples;
  std::vector<CompletedLine> completed;
  size_t beginnings = 0, ends = 0;
  for (int64_t next = 0; next < 60 || batch.lines() > 0;) {
    for (; next < 60 && batch.has_room_beside_long_lines(); ++next) {
      const DecodeOptions options = any_options(random);
      try {
        batch.add(next, next, any_input(random), options);
      } catch (const Error&) {
        continue;  // the prefix is too long
      }
      samples[next] = options.search.sample;
      shown[next];
    }
    batch.step(completed);
    for (CompletedLine& line : completed) {
      Translation& whole = line.translation;
      if (!samples.at(line.id)) {
        whole.hypotheses.resize(1);  // the best is shown
        EXPECT_EQ(whole.hypotheses[0].number, 0);
      }
      for (const auto& [number, hypothesis] : shown.at(line.id)) ends += !hypothesis.text.empty();
      show(shown.at(line.id), whole);
      shown.erase(line.id);
    }
    completed.clear();
    for (auto& [id, line] : shown)
      if (const std::optional<Translation> so_far = batch.progress(id)) {
        ++beginnings;
        EXPECT_TRUE(samples.at(id) || so_far->hypotheses.size() == 1);
        show(line, *so_far);
      }
  }
  EXPECT_GT(beginnings, 400u);
  EXPECT_GT(ends, 40u);
}

}  // namespace
}  // namespace heed
