// N-best lists of a vocabulary with which one text has many segmentations.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/decode/explanation.h"
#include "heed/decode/translator.h"
#include "heed/model/sequence_model.h"
#include "reference/reference_backend.h"
#include "search_fixture.h"
#include "support/folder_test.h"
#include "support/isolated_backend.h"
#include "support/small_translator.h"

namespace heed {
namespace {

class DistinctTextsTest : public FolderTest {
 protected:
  DistinctTextsTest()
      : backend_(testing::isolated_if_asked(make_reference_backend())),
        tokenizers_(tokenizers()),
        model_(testing::random_model(tokenizers_)) {
    model_.move_to(backend_->memory());
  }

  // Pieces of "a" and "b" alone, up to several letters long.
  TokenizerPair tokenizers() const {
    TokenizerOptions options;
    options.vocabulary_size = 14;
    const std::vector<std::filesystem::path> files = {
        write("letters", "ab ba abab aab bba abba\nabab ab baab aab\n")};
    return TokenizerPair::joint(train_tokenizer(options, files));
  }

  static SearchOptions beam(int64_t size, int64_t nbest, int64_t groups = 1) {
    SearchOptions search;
    search.beam = size;
    search.nbest = nbest;
    search.beam_groups = groups;
    search.max_length = 6;
    return search;
  }

  std::vector<Translation> translate(const SearchOptions& search,
                                     const std::vector<std::string>& lines = some_lines()) const {
    DecodeOptions options;
    options.search = search;
    options.attention = true;
    return Translator({{model_, *backend_}, tokenizers_}, options).translate(lines);
  }

  static std::vector<std::string> some_lines() {
    std::vector<std::string> lines;
    for (const char* first : {"ab", "ba ab", "aab bba", "abba", "b a b"})
      for (const char* second : {"", " a", " bb", " abab"})
        lines.push_back(std::string(first) + second);
    return lines;
  }

  // The hypotheses of a search by ids, of each text the first.
  std::vector<Hypothesis> by_ids(const std::string& line, const SearchOptions& search) const {
    std::vector<TokenId> source = tokenizers_.source().encode(line);
    source.push_back(tokenizers_.source().end_id());
    std::vector<Hypothesis> all =
        testing::search(model_, *backend_, search, {source}).front().hypotheses;
    std::set<std::string> texts;
    std::erase_if(all, [&](const Hypothesis& h) { return !texts.insert(text_of(h)).second; });
    return all;
  }
  std::string text_of(const Hypothesis& h) const { return tokenizers_.target().decode(h.ids); }

  std::unique_ptr<Backend> backend_;
  TokenizerPair tokenizers_;
  SequenceModel model_;
};

std::set<std::string> texts_of(const Translation& translation) {
  std::set<std::string> texts;
  for (const TextHypothesis& hypothesis : translation.hypotheses) texts.insert(hypothesis.text);
  return texts;
}

TEST_F(DistinctTextsTest, ATextKeepsItsBestScore) {
  const SearchOptions search = beam(16, 16);
  const std::vector<std::string> lines = some_lines();
  const std::vector<Translation> all = translate(search);
  size_t repeated = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::vector<Hypothesis> expected = by_ids(lines[i], search);
    const std::vector<TextHypothesis>& got = all[i].hypotheses;
    ASSERT_GE(got.size(), expected.size()) << "others that the beam has take the free places";
    for (size_t n = 0; n < expected.size(); ++n) {
      EXPECT_EQ(got[n].text, text_of(expected[n])) << lines[i];
      EXPECT_EQ(got[n].score, expected[n].score);
      EXPECT_EQ(got[n].pieces, tokenizers_.target().pieces(expected[n].ids));
      EXPECT_EQ(got[n].attention.size(), expected[n].ids.size());
    }
    repeated += 16 - expected.size();
  }
  EXPECT_GT(repeated, lines.size()) << "this vocabulary repeats texts";
}

TEST_F(DistinctTextsTest, AListIsFullWhereTheBeamHasOtherTexts) {
  const std::vector<Translation> all = translate(beam(16, 16));
  for (const int64_t nbest : {2, 3, 5, 8}) {
    const std::vector<Translation> few = translate(beam(16, nbest));
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(texts_of(few[i]).size(), few[i].hypotheses.size());
      EXPECT_EQ(few[i].hypotheses.size(), std::min(size_t(nbest), all[i].hypotheses.size()));
    }
  }
}

TEST_F(DistinctTextsTest, TheFirstHypothesisIsThatOfASearchForOne) {
  for (const int64_t groups : {1, 2, 4}) {
    // The groups end with their last wanted hypothesis, which changes what later groups choose.
    const int64_t least = groups == 1 ? 1 : groups;
    const std::vector<Translation> one = translate(beam(8, least, groups));
    for (const int64_t nbest : {least, int64_t(8)}) {
      const std::vector<Translation> list = translate(beam(8, nbest, groups));
      for (size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(texts_of(list[i]).size(), list[i].hypotheses.size());
        EXPECT_TRUE(std::is_sorted(list[i].hypotheses.begin(), list[i].hypotheses.end(),
                                   [](const auto& a, const auto& b) { return a.score > b.score; }));
        if (groups > 1 && nbest != least) continue;
        EXPECT_EQ(list[i].hypotheses[0].text, one[i].hypotheses[0].text);
        EXPECT_EQ(list[i].hypotheses[0].score, one[i].hypotheses[0].score);
      }
    }
  }
}

// What a search by ids alone would select, with all texts of the groups.
TEST_F(DistinctTextsTest, GroupsChangeNoScoreForTheSakeOfTexts) {
  const SearchOptions search = beam(12, 6, 3);
  const std::vector<std::string> lines = some_lines();
  const std::vector<Translation> all = translate(search);
  size_t repeated = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::vector<Hypothesis> expected = by_ids(lines[i], search);
    repeated += 6 - expected.size();
    EXPECT_EQ(all[i].hypotheses[0].text, text_of(expected[0]));
    for (const Hypothesis& h : expected)
      EXPECT_TRUE(std::any_of(all[i].hypotheses.begin(), all[i].hypotheses.end(),
                              [&](const TextHypothesis& other) {
                                return other.text == text_of(h) && other.score >= h.score;
                              }))
          << lines[i];
  }
  EXPECT_GT(repeated, 0u);
}

TEST_F(DistinctTextsTest, SamplesOfOneTextStay) {
  SearchOptions search;
  search.sample = true;
  search.nbest = 40;
  search.max_length = 2;
  size_t repeated = 0;
  for (const Translation& translation : translate(search)) {
    ASSERT_EQ(translation.hypotheses.size(), 40u);
    repeated += 40 - texts_of(translation).size();
  }
  EXPECT_GT(repeated, 40u);
}

TEST_F(DistinctTextsTest, TheSearchThatIsExplainedIsTheSame) {
  DecodeOptions options;
  options.search = beam(16, 6);
  for (const std::string& line : some_lines()) {
    const Translation expected = translate(options.search, {line}).front();
    const Explanation got = explain({{model_, *backend_}, tokenizers_}, line, options);
    ASSERT_EQ(got.translation.hypotheses.size(), expected.hypotheses.size());
    ASSERT_EQ(got.parts[0].results.size(), expected.hypotheses.size());
    for (size_t n = 0; n < expected.hypotheses.size(); ++n) {
      EXPECT_EQ(got.translation.hypotheses[n].text, expected.hypotheses[n].text);
      EXPECT_EQ(got.parts[0].search.nodes.at(size_t(got.parts[0].results[n])).score,
                expected.hypotheses[n].score);
    }
  }
}

}  // namespace
}  // namespace heed
