#include "heed/decode/line_batch.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heed/decode/translator.h"
#include "heed/model/sequence_model.h"
#include "reference/reference_backend.h"
#include "support/small_translator.h"
#include "support/temporary_folder.h"
#include "support/translations.h"

namespace heed {
namespace {

class LineBatchTest : public ::testing::Test {
 protected:
  struct Asked {
    TranslationInput input;
    DecodeOptions options;
  };

  // Lines with every kind of options; some are split, some have no tokens.
  static std::vector<Asked> asked() {
    std::vector<DecodeOptions> all(6);
    all[0].search.beam = 1;
    all[1].search.nbest = 3, all[1].attention = true;
    all[2].search.beam_groups = 2, all[2].search.nbest = 4;
    all[3].search.sample = true, all[3].search.nbest = 3;
    all[4].search.beam = 6, all[4].search.extra_length = 2;
    all[5].search.sample = true, all[5].search.top_k = 5, all[5].attention = true;
    std::vector<Asked> lines;
    for (size_t i = 0; i < 40; ++i) {
      std::string text(1 + i % 7, char('a' + i % 26));
      if (i % 5 == 0) text = "abc def ghi. jkl mno pqr stu. vwx yz abc def, ghi jkl.";
      if (i % 11 == 3) text = i % 2 ? "" : "  ";
      lines.push_back({TranslationInput(text, i % 3 == 0 ? "ab" : ""), all[i % all.size()]});
      if (lines.back().options.search.extra_length == 50)
        lines.back().options.search.extra_length = 6;
    }
    return lines;
  }

  Translation alone(const Asked& line) const {
    Translation translation;
    bool read = false;
    Translator({{model_, *backend_}, tokenizers_}, line.options)
        .translate(
            [&]() -> std::optional<TranslationInput> {
              if (read) return {};
              read = true;
              return line.input;
            },
            [&](const Translation& t) { translation = t; });
    return translation;
  }

  LineBatch batch(int64_t batch_tokens) const {
    return LineBatch({model_, *backend_}, processor_,
                     {.hypotheses = 6, .batch_tokens = batch_tokens});
  }

  testing::TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = make_reference_backend();
  TokenizerPair tokenizers_ = testing::letter_tokenizers(folder_.path());
  SequenceModel model_ = testing::random_model(tokenizers_);
  LineProcessor processor_{tokenizers_, model_.config()};
};

TEST_F(LineBatchTest, SlowLinesWithOptionsOfTheirOwnAreTranslatedAsAlone) {
  const std::vector<Asked> all = asked();
  for (const int64_t batch_tokens : {1, 60, 5000}) {
    LineBatch lines = batch(batch_tokens);
    std::map<int64_t, Translation> done;
    std::vector<CompletedLine> completed;
    for (size_t next = 0; next < all.size() || lines.lines() > 0;) {
      for (; next < all.size() && lines.has_room_beside_long_lines(); ++next)
        lines.add(int64_t(100 + next), int64_t(next), all[next].input, all[next].options);
      lines.step(completed);
      for (CompletedLine& line : completed) done[line.id] = std::move(line.translation);
      completed.clear();
    }
    ASSERT_EQ(done.size(), all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(done.at(int64_t(100 + i)).line, int64_t(i));
      testing::expect_same_translation(done.at(int64_t(100 + i)), alone(all[i]));
    }
    EXPECT_GT(lines.source_tokens(), 300);
    EXPECT_GT(lines.target_tokens(), 100);
    EXPECT_EQ(lines.sentences(), 0);
  }
}

TEST_F(LineBatchTest, CancelledLinesLeaveNothingBehind) {
  const std::vector<Asked> all = asked();
  LineBatch lines = batch(40);
  EXPECT_FALSE(lines.cancel(0));
  std::map<int64_t, Translation> done;
  std::set<int64_t> cancelled;
  std::vector<CompletedLine> completed;
  size_t next = 0;
  for (int64_t steps = 0; next < all.size() || lines.lines() > 0; ++steps) {
    for (; next < all.size() && lines.has_room_beside_long_lines(); ++next)
      lines.add(int64_t(next), int64_t(next), all[next].input, all[next].options);
    if (steps % 2 == 0 && next > 2 && lines.cancel(int64_t(next) - 2))
      cancelled.insert(int64_t(next) - 2);
    lines.step(completed);
    for (CompletedLine& line : completed) done[line.id] = std::move(line.translation);
    completed.clear();
  }
  EXPECT_GT(cancelled.size(), 5u);
  EXPECT_EQ(cancelled.size() + done.size(), all.size());
  for (const auto& [id, translation] : done)
    testing::expect_same_translation(translation, alone(all[size_t(id)]));
  EXPECT_EQ(lines.room().source_tokens, 40) << "all rows are free again";
}

TEST_F(LineBatchTest, ALineThatIsRefusedChangesNothing) {
  LineBatch lines = batch(60);
  DecodeOptions options;
  options.search.max_length = 3;
  options.strict = true;
  EXPECT_THROW(lines.add(1, 0, {"abc", "abcdef"}, options), Error);
  EXPECT_EQ(lines.lines(), 0);
  EXPECT_FALSE(lines.cancel(1));
  lines.add(1, 0, {"abc"}, options);
  EXPECT_EQ(lines.lines(), 1);
}

TEST_F(LineBatchTest, ALineOfManyPartsDoesNotStopOthers) {
  LineBatch lines = batch(40);
  std::string text;
  for (int i = 0; i < 50; ++i) text += "abc def ghi jkl. ";
  lines.add(1, 0, {text}, {});
  EXPECT_FALSE(lines.has_room());
  EXPECT_TRUE(lines.has_room_beside_long_lines());
  lines.add(2, 1, {"abc"}, {});
  EXPECT_FALSE(lines.has_room_beside_long_lines()) << "line 2 has not begun";
  std::vector<CompletedLine> completed;
  while (completed.empty()) lines.step(completed);
  EXPECT_EQ(completed[0].id, 2);
  while (completed.size() < 2) lines.step(completed);
  testing::expect_same_translation(completed[1].translation, alone({{text}, {}}));
}

TEST_F(LineBatchTest, PartialTranslationsGrow) {
  const TranslationInput input("abc def ghi. jkl mno pqr stu. vwx yz abc def, ghi jkl.", "ab");
  DecodeOptions options;
  options.search.beam = 1;
  const Translation expected = alone({input, options});
  LineBatch lines = batch(20);  // one part at a time
  lines.add(5, 3, input, options);
  EXPECT_FALSE(lines.progress(5)) << "before the first step";
  std::vector<CompletedLine> completed;
  for (int64_t pieces = 0;;) {
    lines.step(completed);
    if (!completed.empty()) break;
    const std::optional<Translation> now = lines.progress(5);
    EXPECT_FALSE(lines.progress(5)) << "nothing more";
    if (!now) continue;  // a part has ended and the next one has not begun
    ASSERT_EQ(now->hypotheses.size(), 1u);
    const auto& some = now->hypotheses[0].pieces;
    const auto& all = expected.hypotheses[0].pieces;
    EXPECT_GT(int64_t(some.size()), pieces);
    pieces = int64_t(some.size());
    ASSERT_LE(some.size(), all.size());
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin()));
    EXPECT_EQ(now->line, 3);
    EXPECT_TRUE(now->status.unfinished);
  }
  testing::expect_same_translation(completed[0].translation, expected);
}

}  // namespace
}  // namespace heed
