#include "heed/decode/protection.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

#include "heed/core/rng.h"

namespace heed {
namespace {

// The tokens of a text: its words, each with the space before it.
std::vector<ByteRange> words_of(std::string_view text) {
  std::vector<ByteRange> tokens;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin + 1), text.size());
    tokens.push_back({begin, end});
    begin = end;
  }
  return tokens;
}

class ProtectionTest : public ::testing::Test {
 protected:
  // The translation of a line in which target word i attends to source word links[i] (-1: to none).
  std::optional<RestoredText> restore(const std::string& source, const std::string& translation,
                                      const std::vector<int>& links) {
    std::vector<ByteRange> tokens = words_of(source);
    const ProtectedLine line = protected_line(source, kinds_, unknown_, tokens);
    return restored(line, translation, words_of(translation), [&] {
      AttentionWeights all;
      for (const int link : links) {
        AttentionRow& row = all.emplace_back();
        row.weights.assign(tokens.size() + 1, 0.1F / float(tokens.size()));
        if (link >= 0) row.weights[size_t(link)] = 0.9F;
      }
      return all;
    });
  }
  std::string text(const std::string& source, const std::string& translation,
                   const std::vector<int>& links) {
    const auto found = restore(source, translation, links);
    return found ? found->text : "(as it was) " + translation;
  }

  const ProtectedKinds kinds_{{"placeholders", "urls", "emails", "unknown"}};
  std::vector<std::string> unknown_ = {"😀"};
};

TEST_F(ProtectionTest, WhatIsInPlaceStays) {
  EXPECT_EQ(text("open %s now", "jetzt %s öffnen", {2, 1, 0}), "(as it was) jetzt %s öffnen");
  EXPECT_EQ(text("open it", "%d öffnen", {1, 0}), "(as it was) %d öffnen") << "nothing protected";
  EXPECT_EQ(text("{0} of {0}", "{0} von {0}", {0, 1, 2}), "(as it was) {0} von {0}");
}

TEST_F(ProtectionTest, AChangedOneIsReplaced) {
  EXPECT_EQ(text("open {error} now", "jetzt {Fehler} öffnen", {2, 1, 0}), "jetzt {error} öffnen");
  EXPECT_EQ(text("open {error} now", "jetzt Fehler öffnen", {2, 1, 0}), "jetzt {error} öffnen");
  EXPECT_EQ(text("see http://a.de/x now", "siehe http://a.de/y jetzt", {0, 1, 2}),
            "siehe http://a.de/x jetzt");
  EXPECT_EQ(text("good 😀 day", "guter Tabelle Tag", {0, 1, 2}), "guter 😀 Tag");
  // Of two wrong ones each attends to its own.
  EXPECT_EQ(text("{a} and {b}", "{y} und {x}", {2, 1, 0}), "{b} und {a}");
}

TEST_F(ProtectionTest, AMissingOneStandsBehindTheTranslationOfWhatItFollows) {
  EXPECT_EQ(text("open file %s now", "jetzt Datei öffnen", {3, 1, 0}), "jetzt Datei %s öffnen");
  EXPECT_EQ(text("%s was opened", "wurde geöffnet", {1, 2}), "%s wurde geöffnet");
  EXPECT_EQ(text("good day 😀", "guten Tag.", {0, 1}), "guten Tag. 😀");
  EXPECT_EQ(text("打开 %s 文件", "打开文件", {0}), "打开文件%s");
  EXPECT_EQ(text("a %s", "", {}), "%s");
  // Those beside each other keep their order.
  EXPECT_EQ(text("open {a} {b} now", "jetzt öffnen", {3, 0}), "jetzt öffnen {a} {b}");
}

TEST_F(ProtectionTest, OneTooManyIsRemoved) {
  EXPECT_EQ(text("open %s now", "jetzt %s %s öffnen", {2, 1, 1, 0}), "jetzt %s öffnen");
  EXPECT_EQ(text("open %s now", "%s öffnen %s", {1, 0, 1}), "%s öffnen");
}

TEST_F(ProtectionTest, RemainsOfPlaceholdersAreRemoved) {
  EXPECT_EQ(text("at 0x%lx of %s", "bei 0x%lx von %s: 0%aus", {0, 1, 2, 3, 3}),
            "bei 0x%lx von %s: 0aus");
  EXPECT_EQ(text("{0} of {1}", "{0} von {1}}", {0, 1, 2}), "{0} von {1}");
  EXPECT_EQ(text("%d percent", "%d %", {0, 1}), "(as it was) %d %") << "of a number";
  // A percent sign of a number in the line does not let others through.
  EXPECT_EQ(text("%s at 50 %", "%s bei 0%x 50 %", {0, 1, 2, 2, 3}), "%s bei 0x 50 %");
  EXPECT_EQ(text("{0} of {x y}", "{0} von {x", {0, 1, 2}), "(as it was) {0} von {x")
      << "the line has braces of its own";
}

TEST_F(ProtectionTest, TokensAreFollowed) {
  const auto found =
      restore("open {error} file now", "jetzt {Fehler} Datei %s auf", {3, 1, 2, 1, 0});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text, "jetzt {error} Datei auf");
  std::vector<std::string> tokens;
  for (const ByteRange& token : found->tokens)
    tokens.push_back(found->text.substr(token.begin, token.end - token.begin));
  EXPECT_EQ(tokens, (std::vector<std::string>{"jetzt", "{error}", " Datei", "", "auf"}));
}

// Whatever a model writes, and whatever it attends to.
TEST_F(ProtectionTest, EachIsThereExactlyAsOften) {
  const std::vector<std::string> parts = {"%s",     "{0}",  "{name}", "http://a.de/b?c",
                                          "x@y.de", "😀",    "%d",     "%",
                                          "{",      "wort", "das",    "文件",
                                          "。",     ".",    "(",      "$",
                                          "}",      "s",    "d",      "www."};
  Random random(5);
  const auto any_text = [&](uint64_t most) {
    std::string text;
    for (uint64_t n = random.below(most); n > 0; --n) {
      text += parts[size_t(random.below(parts.size()))];
      if (random.below(3) > 0) text += " ";
    }
    return text;
  };
  int64_t changed = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string source = any_text(9), translation = any_text(9);
    std::vector<int> links;
    for (size_t t = words_of(translation).size(); t > 0; --t)
      links.push_back(int(random.below(words_of(source).size() + 1)) - 1);
    const auto found = restore(source, translation, links);
    const std::string result = found ? found->text : translation;
    const auto of = [&](const std::string& text) {
      std::vector<std::string> all;
      for (const ProtectedSpan& span : protected_spans(text, kinds_, unknown_))
        all.push_back(text.substr(span.begin, span.end - span.begin));
      std::ranges::sort(all);
      return all;
    };
    if (!of(source).empty()) ASSERT_EQ(of(result), of(source)) << source << "\n" << translation;
    changed += found.has_value();
    if (!found) continue;
    for (const ByteRange& token : found->tokens) {
      EXPECT_LE(token.begin, token.end);
      EXPECT_LE(token.end, result.size());
    }
  }
  EXPECT_GT(changed, 5000);
}

// As many as a hostile line may have: the time must not grow with their square.
TEST_F(ProtectionTest, ManyPartsTakeLittleTime) {
  std::string source, translation;
  std::vector<int> links;
  for (int i = 0; i < 20000; ++i) {
    source += fmt::format("{{a{}}} ", i);
    translation += i % 3 == 0 ? "wort " : fmt::format("{{b{}}} ", i);
    links.push_back(i % 500);
  }
  std::vector<ByteRange> tokens = words_of(source);
  const ProtectedLine line = protected_line(source, kinds_, {}, tokens);
  const auto start = std::chrono::steady_clock::now();
  const auto found = restored(line, translation, words_of(translation), [&] {
    AttentionWeights all;
    for (size_t i = 0; i < links.size(); ++i) {  // parts of 500 tokens
      AttentionRow& row = all.emplace_back();
      row.offset = i / 500 * 500;
      row.weights.assign(500, 0);
      row.weights[size_t(links[i])] = 1;
    }
    return all;
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(found);
  EXPECT_EQ(protected_spans(found->text, kinds_, {}).size(), 20000u);
  EXPECT_LT(seconds.count(), 5);
  const std::string nested = std::string(100000, '{') + std::string(100000, '}');
  restored(line, nested, words_of(nested), [] { return AttentionWeights(); });
}

}  // namespace
}  // namespace heed
