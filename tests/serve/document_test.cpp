#include "heed/serve/document.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

// Each line "translated" into itself in brackets, with as many hypotheses as asked.
std::vector<std::vector<std::string>> bracketed(const Document& document, size_t hypotheses = 1) {
  std::vector<std::vector<std::string>> all;
  for (const Document::Line& line : document.lines()) {
    all.emplace_back();
    for (size_t rank = 0; rank < hypotheses; ++rank)
      all.back().push_back(std::string(line.source) + std::string(rank, '\''));
  }
  return all;
}

std::string source_of(const Document& document, size_t text) {
  std::string all;
  const auto [begin, end] = document.lines_of(text);
  for (size_t i = begin; i < end; ++i)
    all += std::string(document.lines()[i].before) + std::string(document.lines()[i].source);
  return all + std::string(document.after(text));
}

TEST(DocumentTest, WhiteSpaceIsKept) {
  const std::vector<std::string> texts = {"One here.  Two here.\n\n\tThree.\r\n", "", " \n ",
                                          "Four"};
  for (const TextUnit unit : {TextUnit::sentences, TextUnit::lines}) {
    const Document document(texts, unit);
    ASSERT_EQ(document.texts(), texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(source_of(document, i), texts[i]);
      EXPECT_EQ(document.translation(i, bracketed(document), 0), texts[i]);
    }
  }
}

TEST(DocumentTest, KeptTextsHaveNoLines) {
  const std::vector<std::string> texts = {"One here. Two here.", " Kept. Whole.\n", "Three here."};
  const Document document(texts, TextUnit::sentences, {false, true, false});
  ASSERT_EQ(document.lines().size(), 3U);
  EXPECT_EQ(document.lines()[2].text, 2U);
  EXPECT_EQ(document.lines_of(1), (std::pair<size_t, size_t>{2, 2}));
  EXPECT_EQ(document.after(1), texts[1]);
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(document.translation(i, bracketed(document), 0), texts[i]);
}

TEST(DocumentTest, LinesKnowTheirPlace) {
  const Document document({"One here. Two here.", "Three here."}, TextUnit::sentences);
  ASSERT_EQ(document.lines().size(), 3U);
  EXPECT_EQ(document.lines()[1].text, 0U);
  EXPECT_EQ(document.lines()[1].index, 1U);
  EXPECT_EQ(document.lines()[1].before, " ");
  EXPECT_EQ(document.lines()[2].text, 1U);
  EXPECT_EQ(document.lines()[2].index, 0U);
  EXPECT_EQ(document.lines_of(1), (std::pair<size_t, size_t>{2, 3}));
}

TEST(DocumentTest, RanksAreJoinedSentenceBySentence) {
  const Document document({"One here. Two here."}, TextUnit::sentences);
  std::vector<std::vector<std::string>> translations = bracketed(document, 3);
  EXPECT_EQ(document.translation(0, translations, 2), "One here.'' Two here.''");
  translations[1].resize(1);
  EXPECT_EQ(document.translation(0, translations, 2), "One here.'' Two here.") << "the last it has";
}

// The fault: a code held for the first sentence alone.
TEST(DocumentTest, ALanguageCodeHoldsForTheRestOfItsText) {
  const LanguageCodes codes(Vocabulary({"</s>", "<unk>", ">>lo<<", "a", ">>up<<", "<pad>"}));
  const auto sources = [&](const std::string& first, const std::string& second, TextUnit unit) {
    return Document({first, second}, unit).sources({&codes, &codes});
  };
  EXPECT_EQ(sources(">>up<<  Red dog. A cat.\n A fox.", "A tree.", TextUnit::sentences),
            (std::vector<std::string>{">>up<<  Red dog.", ">>up<<  A cat.", ">>up<<  A fox.",
                                      "A tree."}));
  EXPECT_EQ(sources("A dog.\n>>up<< A cat.\nA fox.\n>>lo<<\nA cow.", "A tree.", TextUnit::lines),
            (std::vector<std::string>{"A dog.", ">>up<< A cat.", ">>up<< A fox.", ">>lo<<",
                                      ">>lo<<A cow.", "A tree."}));
  EXPECT_THROW(sources("A dog.\n>>zz<< A cat.", "", TextUnit::lines), Error);
  const LanguageCodes none(Vocabulary({"</s>", "<unk>", "a", "<pad>"}));
  EXPECT_EQ(Document({">>zz<< a\nb"}, TextUnit::lines).sources({&none}),
            (std::vector<std::string>{">>zz<< a", "b"}));
}

}  // namespace
}  // namespace heed
