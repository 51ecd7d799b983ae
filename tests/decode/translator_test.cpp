#include "heed/decode/translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "heed/model/sequence_model.h"
#include "reference/reference_backend.h"
#include "support/facts.h"
#include "support/isolated_backend.h"
#include "support/little_memory.h"
#include "support/overflow.h"
#include "support/sanitized.h"
#include "support/small_translator.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

// A random model over the characters of a few lines: its translations are nonsense, but they are
// the same nonsense each time.
class TranslatorTest : public ::testing::Test {
 protected:
  TranslatorTest() : tokenizers_(testing::letter_tokenizers(folder_.path())), model_(config()) {
    model_.initialize(4);
    model_.move_to(backend_->memory());
  }

  ModelConfig config() const {
    ModelConfig c;
    c.vocabulary_size = tokenizers_.size();
    c.output_vocabulary_size = tokenizers_.output_vocabulary_size();
    c.d_model = 8;
    c.d_ff = 8;
    c.heads = 2;
    c.encoder_layers = c.decoder_layers = 1;
    c.max_positions = 40;
    return c;
  }

  std::vector<Translation> translate(const std::vector<std::string>& lines,
                                     DecodeOptions options = {}) {
    options.search.extra_length = 4;
    return Translator({{model_, *backend_}, tokenizers_}, options).translate(lines);
  }

  testing::TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = testing::isolated_if_asked(make_reference_backend());
  TokenizerPair tokenizers_;
  SequenceModel model_;
};

std::vector<std::string> odd_lines() {
  std::vector<std::string> lines = {"",      "abc",  "   ",    "\xff\xfe",          "a\r",
                                    "def ?", "\xe4", "日本語", std::string(1, '\0')};
  for (int i = 0; i < 30; ++i) lines.push_back(std::string(size_t(1 + i % 7), char('a' + i % 26)));
  lines.push_back("a bc. def ghi jkl mno pqr stu vwx yz, abc def ghi jkl mno pqr stu vwx yz.");
  return lines;
}

TEST_F(TranslatorTest, OneLineOutForEachLineIn) {
  const auto lines = odd_lines();
  const auto all = translate(lines);
  ASSERT_EQ(all.size(), lines.size());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].line, int64_t(i));
    ASSERT_FALSE(all[i].hypotheses.empty());
    EXPECT_EQ(all[i].hypotheses[0].text.find('\n'), std::string::npos);
  }
  EXPECT_EQ(all[0].status.text(), "empty");
  EXPECT_EQ(all[0].hypotheses[0].text, "");
  EXPECT_TRUE(all[2].status.empty);
  EXPECT_TRUE(all[3].status.invalid_utf8);
  EXPECT_FALSE(all[1].status.invalid_utf8);
  EXPECT_TRUE(all.back().status.split);
}

TEST_F(TranslatorTest, NothingButTheLineMatters) {
  auto lines = odd_lines();
  const auto expected = translate(lines);
  for (const int64_t threads : {1, 3}) {
    for (const int64_t batch_tokens : {1, 11, 4000}) {
      DecodeOptions options;
      options.threads = threads;
      options.batch_tokens = batch_tokens;
      const auto same = translate(lines, options);
      std::reverse(lines.begin(), lines.end());
      const auto reversed = translate(lines, options);
      std::reverse(lines.begin(), lines.end());
      for (size_t i = 0; i < lines.size(); ++i) {
        for (const Translation* other : {&same[i], &reversed[lines.size() - 1 - i]}) {
          EXPECT_EQ(expected[i].hypotheses[0].text, other->hypotheses[0].text);
          EXPECT_EQ(expected[i].hypotheses[0].score, other->hypotheses[0].score);
          EXPECT_EQ(expected[i].status.text(), other->status.text());
        }
      }
    }
  }
}

TEST_F(TranslatorTest, StrictNamesLineAndByte) {
  DecodeOptions options;
  options.strict = true;
  try {
    translate({"ok", "a\xff"}, options);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "line 2 of the input is not UTF-8 at byte 2");
  }
}

TEST_F(TranslatorTest, WhatEmitThrowsComesOut) {
  Translator translator({{model_, *backend_}, tokenizers_}, {});
  int64_t given = 0;
  EXPECT_THROW(translator.translate(
                   [&]() -> std::optional<std::string> {
                     if (given++ > 100000) return {};
                     return "abc";
                   },
                   [](const Translation&) { fail("stdout is closed"); }),
               Error);
  EXPECT_LT(given, 100000) << "the input was read on";
}

TEST_F(TranslatorTest, ALineComesOutBeforeTheNextIsAskedFor) {
  // The input pauses: next() waits until the line before has been emitted.
  Translator translator({{model_, *backend_}, tokenizers_}, {});
  std::mutex mutex;
  std::condition_variable changed;
  int64_t emitted = 0, asked = 0;
  translator.translate(
      [&]() -> std::optional<std::string> {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return emitted == asked; });
        if (asked == 5) return {};
        ++asked;
        return "abc";
      },
      [&](const Translation&) {
        std::lock_guard lock(mutex);
        ++emitted;
        changed.notify_all();
      });
  EXPECT_EQ(emitted, 5);
}

TEST_F(TranslatorTest, NbestComesBestFirst) {
  DecodeOptions options;
  options.search.nbest = 3;
  const auto all = translate({"abc def"}, options);
  ASSERT_EQ(all[0].hypotheses.size(), 3u);
  EXPECT_GE(all[0].hypotheses[0].score, all[0].hypotheses[1].score);
  EXPECT_GE(all[0].hypotheses[1].score, all[0].hypotheses[2].score);
}

// Gives lines with their prefixes and takes what comes of them.
std::vector<Translation> translate_inputs(const Translator& translator,
                                          const std::vector<TranslationInput>& inputs) {
  std::vector<Translation> all;
  size_t at = 0;
  translator.translate(
      [&]() -> std::optional<TranslationInput> {
        if (at == inputs.size()) return {};
        return inputs[at++];
      },
      [&](const Translation& t) { all.push_back(t); });
  return all;
}

TEST_F(TranslatorTest, SamplesDependOnSeedAndLineAlone) {
  const auto lines = odd_lines();
  DecodeOptions options;
  options.search.sample = true;
  options.search.nbest = 3;
  options.threads = 1;
  const auto expected = translate(lines, options);
  for (const int64_t threads : {1, 3}) {
    for (const int64_t batch_tokens : {1, 37}) {
      options.threads = threads;
      options.batch_tokens = batch_tokens;
      const auto got = translate(lines, options);
      for (size_t i = 0; i < lines.size(); ++i) {
        ASSERT_EQ(expected[i].hypotheses.size(), got[i].hypotheses.size());
        for (size_t n = 0; n < got[i].hypotheses.size(); ++n) {
          EXPECT_EQ(expected[i].hypotheses[n].text, got[i].hypotheses[n].text);
          EXPECT_EQ(expected[i].hypotheses[n].score, got[i].hypotheses[n].score);
          EXPECT_GE(got[i].hypotheses[n > 0 ? n - 1 : 0].score, got[i].hypotheses[n].score);
        }
      }
    }
  }
  options.search.seed = 7;
  size_t changed = 0;
  const auto other = translate(lines, options);
  for (size_t i = 0; i < lines.size(); ++i)
    changed += other[i].hypotheses[0].text != expected[i].hypotheses[0].text;
  EXPECT_GT(changed, lines.size() / 2);
}

TEST_F(TranslatorTest, TranslationsBeginWithTheirPrefixes) {
  const std::string cut = odd_lines().back();
  const std::vector<TranslationInput> inputs = {{"abc", "ghi j"}, {"abc", "z"},   {"abc"},
                                                {"", "def"},      {cut, "mno p"}, {"def", "a\xff"}};
  for (const bool sample : {false, true}) {
    DecodeOptions options;
    options.search.extra_length = 8;
    options.search.sample = sample;
    const Translator translator({{model_, *backend_}, tokenizers_}, options);
    const auto all = translate_inputs(translator, inputs);
    ASSERT_EQ(all.size(), inputs.size());
    for (const size_t i : {0, 1, 4})
      EXPECT_EQ(all[i].hypotheses[0].text.rfind(inputs[i].prefix, 0), 0u)
          << all[i].hypotheses[0].text;
    EXPECT_EQ(all[2].hypotheses[0].text, translator.translate({"abc"})[0].hypotheses[0].text);
    EXPECT_EQ(all[3].hypotheses[0].text, "def");
    EXPECT_TRUE(all[3].status.empty);
    EXPECT_TRUE(all[4].status.split);
    EXPECT_TRUE(all[5].status.invalid_utf8);
  }
}

TEST_F(TranslatorTest, APrefixWithoutRoomBehindItIsNamed) {
  DecodeOptions options;
  options.search.max_length = 4;
  options.strict = true;
  const Translator translator({{model_, *backend_}, tokenizers_}, options);
  try {
    translate_inputs(translator, {{"abc", "ab"}, {"abc", "abcd"}});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).rfind("line 2 of the prefixes has 5 tokens, but the "
                                          "translation of that line may have at most 4 with </s>",
                                          0),
              0u)
        << e.what();
  }
  // Of a long prefix only the beginning is tokenized, beside an empty line too.
  for (const char* line : {"abc", ""}) {
    try {
      translate_inputs(translator, {{line, std::string(20'000, 'a')}});
      FAIL();
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasFacts("line 1 --max-length"));
      EXPECT_THAT(e.what(), ::testing::Not(HasFacts("20000")));
      EXPECT_THAT(e.what(), ::testing::Not(HasFacts("20001")));
    }
  }
  options.strict = true;
  EXPECT_THROW(
      translate_inputs(Translator({{model_, *backend_}, tokenizers_}, options), {{"abc", "\xff"}}),
      Error);
}

TEST_F(TranslatorTest, AttentionIsTheSameInAnyBatchAndComesWhenAskedForAlone) {
  auto lines = odd_lines();
  DecodeOptions options;
  options.search.nbest = 2;
  EXPECT_TRUE(translate({"abc"}, options)[0].hypotheses[0].attention.empty());
  options.attention = true;
  options.threads = 1;
  options.batch_tokens = 1;
  const auto alone = translate(lines, options);
  options.threads = 3;
  options.batch_tokens = 500;
  const auto together = translate(lines, options);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(alone[i].source_pieces, together[i].source_pieces);
    for (size_t n = 0; n < alone[i].hypotheses.size(); ++n) {
      const TextHypothesis& a = alone[i].hypotheses[n];
      EXPECT_EQ(a.attention, together[i].hypotheses[n].attention);
      ASSERT_EQ(a.attention.size(), a.pieces.size()) << i;
      if (alone[i].status.split) continue;
      for (const AttentionRow& row : a.attention)
        EXPECT_EQ(row.weights.size(), alone[i].source_pieces.size());
    }
  }
  EXPECT_EQ(alone[1].source_pieces, (std::vector<std::string>{"\u2581", "a", "b", "c", "</s>"}));
}

// The number of weights that a translation holds.
int64_t weights_held(const Translation& translation) {
  int64_t count = 0;
  for (const AttentionRow& row : translation.hypotheses[0].attention)
    count += int64_t(row.weights.size());
  return count;
}

TEST_F(TranslatorTest, AttentionOfALongLineIsLinearInItsLength) {
  DecodeOptions options;
  options.attention = true;
  const auto line = [](int64_t sentences) {
    std::string text;
    for (int64_t i = 0; i < sentences; ++i) text += "abc def ghi. ";
    return text;
  };
  const auto all = translate({line(1), line(40), line(80)}, options);
  ASSERT_FALSE(all[0].status.split);
  const Translation& last = all.back();
  ASSERT_TRUE(last.status.split);
  const auto& rows = last.hypotheses[0].attention;
  ASSERT_EQ(rows.size(), last.hypotheses[0].pieces.size());
  std::set<size_t> offsets;
  for (const AttentionRow& row : rows) {
    const size_t end = row.offset + row.weights.size();
    ASSERT_LE(end, last.source_pieces.size());
    EXPECT_EQ(last.source_pieces[end - 1], "</s>") << "a row ends with its part";
    EXPECT_TRUE(row.offset == 0 || last.source_pieces[row.offset - 1] == "</s>");
    EXPECT_LE(row.weights.size(), size_t(model_.config().max_positions) / 2);
    offsets.insert(row.offset);
  }
  EXPECT_GT(offsets.size(), 40u) << "as many as there are parts";
  EXPECT_GT(weights_held(last), 0);
  EXPECT_LE(weights_held(last), 3 * weights_held(all[1])) << "twice the text";
}

TEST_F(TranslatorTest, AFailureEndsTheWaitForInput) {
  DecodeOptions options;
  options.strict = true;
  const Translator translator({{model_, *backend_}, tokenizers_}, options);
  int64_t asked = 0, waited = 0;
  const auto next = [&]() -> std::optional<TranslationInput> {
    ++asked;
    return TranslationInput("a\xff");
  };
  // A line, and then nothing for as long as anybody waits.
  const auto wait = [&](std::chrono::milliseconds) {
    if (asked == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ++waited > 60'000;
  };
  EXPECT_THROW(translator.translate(
                   next, [](const Translation&) {}, wait),
               Error);
  EXPECT_EQ(asked, 1);
}

TEST_F(TranslatorTest, AModelThatOverflowsIsAnErrorOnEveryThread) {
  testing::make_overflow(model_);
  for (const bool sample : {false, true})
    for (const int64_t threads : {1, 3}) {
      DecodeOptions options;
      options.threads = threads;
      options.attention = true;
      options.search.sample = sample;
      if (sample) options.search.top_p = 0.9;
      EXPECT_THROW(translate({"abc", "def", "ghi"}, options), Error);
    }
}

TEST_F(TranslatorTest, CallsOfOneTranslatorAreIndependent) {
  const auto lines = odd_lines();
  const auto expected = translate(lines);
  DecodeOptions options;
  options.threads = 3;
  options.search.extra_length = 4;
  const Translator translator({{model_, *backend_}, tokenizers_}, options);
  const auto expect_same = [&] {
    const auto all = translator.translate(lines);
    for (size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(all[i].hypotheses[0].text, expected[i].hypotheses[0].text);
      EXPECT_EQ(all[i].hypotheses[0].score, expected[i].hypotheses[0].score);
    }
  };
  for (int call = 0; call < 3; ++call) {
    expect_same();
    EXPECT_EQ(translator.translate({lines[1]})[0].hypotheses[0].text,
              expected[1].hypotheses[0].text);
    // A call that fails in the middle does not affect the next one.
    EXPECT_THROW(translator.translate(
                     [&]() -> std::optional<TranslationInput> { return TranslationInput("abc"); },
                     [](const Translation&) { fail("stdout is closed"); }),
                 Error);
  }
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) callers.emplace_back(expect_same);
  for (std::thread& caller : callers) caller.join();
}

TEST_F(TranslatorTest, OptionsOutOfRangeAreRefused) {
  DecodeOptions options;
  for (const int64_t threads : {int64_t{0}, int64_t{-1}, int64_t{5000}}) {
    options.threads = threads;
    EXPECT_THROW(translate({"abc", "def"}, options), UsageError) << threads;
  }
}

TEST_F(TranslatorTest, AThreadThatTheMachineRefusesIsAnError) {
  if (testing::is_sanitized()) GTEST_SKIP() << "sanitizers need all addresses";
  DecodeOptions options;
  options.threads = 20;
  EXPECT_EQ(testing::status_with(4 * testing::kThreadStack,
                                 [&] {
                                   try {
                                     translate(std::vector<std::string>(200, "abc"), options);
                                   } catch (const Error& error) {
                                     return std::string(error.what()).find("20 threads") ==
                                            std::string::npos;
                                   }
                                   return true;
                                 }),
            0);
}

TEST_F(TranslatorTest, OneLineNeedsNoThread) {
  if (testing::is_sanitized()) GTEST_SKIP() << "sanitizers need all addresses";
  const std::string expected = translate({"abc"})[0].hypotheses[0].text;
  const auto same = [&] { return translate({"abc"})[0].hypotheses[0].text != expected; };
  EXPECT_EQ(testing::status_with(testing::kThreadStack / 2, same), 0);
}

}  // namespace
}  // namespace heed
