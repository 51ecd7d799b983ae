// Terms reach the translations of a model that has learned nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "heed/decode/line_processor.h"
#include "heed/decode/translator.h"
#include "support/facts.h"
#include "support/small_translator_test.h"
#include "support/translations.h"

namespace heed {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

class TermSearchTest : public testing::SmallTranslatorTest {
 protected:
  std::vector<Translation> translate(const std::vector<std::string>& lines,
                                     const std::string& terms, DecodeOptions options = {}) {
    if (!terms.empty())
      options.terms = std::make_shared<const TermList>(TermList::parse(terms, "terms"));
    return Translator(parts(), options).translate(lines);
  }

  // The forms of the terms of one line, or the reasons why it lacks them.
  std::vector<std::string> uses(const std::string& line, const std::string& terms,
                                DecodeOptions options = {}) {
    std::vector<std::string> all;
    const Translation translation = translate({line}, terms, options)[0];
    for (const TermUse& use : translation.terms)
      all.push_back(use.miss == TermMiss::none ? use.target : "-" + to_text(use.miss));
    return all;
  }

  static DecodeOptions with_beam(int64_t beam) {
    DecodeOptions options;
    options.search.beam = beam;
    return options;
  }
};

std::vector<std::string> lines_with_foxes() {
  std::vector<std::string> lines;
  for (const char* line : {"the fox", "a quick brown fox jumps", "fox", "dog and fox over the dog",
                           "the fox, a dog. fox fox", "老师 fox 书", "the dog jumps over a fox"})
    lines.emplace_back(line);
  return lines;
}

TEST_F(TermSearchTest, EveryTermArrives) {
  const std::string terms = "fox\tred cat|Kater\ndog\tcow\nover\tunder all\n";
  for (const int64_t beam : {1, 2, 4, 7}) {
    const std::vector<Translation> all = translate(lines_with_foxes(), terms, with_beam(beam));
    for (const Translation& one : all) {
      ASSERT_FALSE(one.terms.empty());
      EXPECT_THAT(one.terms, Each(Field(&TermUse::miss, TermMiss::none))) << one.hypotheses[0].text;
      EXPECT_THAT(one.status.text(), ::testing::Not(HasSubstr("terms_missed")));
      for (const TermUse& use : one.terms)
        EXPECT_THAT(one.hypotheses[0].text, HasSubstr(use.target));
    }
  }
}

TEST_F(TermSearchTest, EveryHypothesisOfAnNbestListHasTheTerm) {
  DecodeOptions options;
  options.search.nbest = 4;
  const Translation one = translate({"a fox"}, "fox\tcow\n", options)[0];
  for (const TextHypothesis& hypothesis : one.hypotheses)
    if (hypothesis.ended) EXPECT_THAT(" " + hypothesis.text, HasSubstr("cow"));
}

TEST_F(TermSearchTest, CountsAsOftenAsTheLineHasIt) {
  EXPECT_THAT(uses("fox fox the fox", "fox\tcow\n"), ElementsAre("cow", "cow", "cow"));
}

TEST_F(TermSearchTest, ALineWithoutTermsKeepsItsBytes) {
  const std::vector<std::string> lines = {"the quick brown", "foxes jump", "a lazy dog, 老师"};
  const std::vector<Translation> plain = translate(lines, "");
  const std::vector<Translation> with_terms = translate(lines, "fox\tcow\n");
  for (size_t i = 0; i < lines.size(); ++i) {
    testing::expect_same_translation(plain[i], with_terms[i]);
    EXPECT_TRUE(with_terms[i].terms.empty());
  }
}

TEST_F(TermSearchTest, DoesNotDependOnTheBatch) {
  const std::string terms = "fox\tcow\ndog\tred cat\n";
  const std::vector<Translation> together = translate(lines_with_foxes(), terms);
  for (size_t i = 0; i < together.size(); ++i)
    testing::expect_same_translation(translate({lines_with_foxes()[i]}, terms)[0], together[i]);
}

TEST_F(TermSearchTest, ChineseTermsNeedNoSpaces) {
  EXPECT_THAT(uses("老师 fox", "fox\t三本书\n老师\tmaster\n"), ElementsAre("master", "三本书"));
}

TEST_F(TermSearchTest, SaysWhyATermIsMissing) {
  EXPECT_THAT(uses("the fox", "fox\tŵ\n"), ElementsAre("-vocabulary"));
  EXPECT_THAT(uses("the fox", "fox\tŵ|cow\n"), ElementsAre("cow"));
  DecodeOptions options;
  options.search.max_length = 3;
  EXPECT_THAT(uses("the fox", "fox\tred cat\n", options), ElementsAre("-length"));
  EXPECT_THAT(translate({"the fox"}, "fox\tŵ\n")[0].status.text(), HasSubstr("terms_missed"));
}

TEST_F(TermSearchTest, ATermThatIsReplacedAfterwardsIsMissed) {
  const TermList list = TermList::parse("fox\tcow\n", "terms");
  const TermSpeller speller(tokenizers_.target());
  const std::vector<LineTerm> terms = terms_of_line(list, "the fox", speller);
  EXPECT_EQ(term_uses(terms, "a cow", TermMiss::restored)[0].miss, TermMiss::none);
  EXPECT_EQ(term_uses(terms, "a %d", TermMiss::restored)[0].miss, TermMiss::restored);
}

// A list of thousands of forms costs no more time than the search itself.
TEST_F(TermSearchTest, ManyFormsTakeLittleTime) {
  std::string terms, line;
  for (char a = 'a'; a <= 'z'; ++a) {
    for (const char b : std::string("abcde")) {
      const std::string source = {a, b};
      line += source + " ";
      terms += source + "\t";
      for (int form = 0; form < 30; ++form)
        terms +=
            std::string(form > 0 ? "|" : "") + "over" + std::string(size_t(form), 'o') + source;
      terms += "\n";
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(translate({line}, terms)[0].terms.size(), 130U);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(TermSearchTest, WorksBesideAForcedPrefix) {
  DecodeOptions options;
  options.terms = std::make_shared<const TermList>(TermList::parse("fox\tcow\n", "terms"));
  Translation done;
  std::vector<TranslationInput> inputs = {{"the fox", "a dog"}};
  size_t next = 0;
  Translator(parts(), options)
      .translate(
          [&]() -> std::optional<TranslationInput> {
            if (next == inputs.size()) return {};
            return inputs[next++];
          },
          [&](const Translation& one) { done = one; });
  EXPECT_TRUE(done.hypotheses[0].text.starts_with("a dog")) << done.hypotheses[0].text;
  EXPECT_THAT(done.terms, ElementsAre(Field(&TermUse::target, "cow")));
}

TEST_F(TermSearchTest, AnyCaseAlsoTakesACapitalFirstLetter) {
  const TermList any = TermList::parse("fox\tcow\n", "terms");
  EXPECT_THAT(accepted_forms(any.terms()[0]), ElementsAre("cow", "Cow"));
  const TermList exact = TermList::parse("fox\tcow\texact\n", "terms");
  EXPECT_THAT(accepted_forms(exact.terms()[0]), ElementsAre("cow"));
}

TEST_F(TermSearchTest, RefusesSearchesThatCannotDemandText) {
  DecodeOptions options;
  options.search.sample = true;
  EXPECT_THAT(error_of([&] { translate({"fox"}, "fox\tcow\n", options); }), HasSubstr("--sample"));
  options = with_beam(4);
  options.search.beam_groups = 2;
  EXPECT_THAT(error_of([&] { translate({"fox"}, "fox\tcow\n", options); }),
              HasSubstr("--beam-groups 2"));
}

}  // namespace
}  // namespace heed
