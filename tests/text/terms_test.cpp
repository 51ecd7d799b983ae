#include "heed/text/terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The terms in a text: each as the text has it, and the first form that it is to have.
std::vector<std::string> found(const TermList& list, const std::string& text) {
  std::vector<std::string> all;
  for (const TermPlace& place : list.find(text))
    all.push_back(text.substr(place.begin, place.end - place.begin) + "=" +
                  list.terms()[place.term].targets[0]);
  return all;
}

TermList list_of(const std::string& text) {
  return TermList::parse(text, "terms.tsv");
}

std::string error_of_list(const std::string& text) {
  return error_of([&] { list_of(text); });
}

TEST(TermList, ReadsColumns) {
  const TermList list = list_of(
      "# a glossary\r\n"
      "\n"
      "view\tAnsicht | Sicht\r\n"
      "  Basic \tBasic\texact\thard\ta language\n"
      "save\tsichern\tany");
  ASSERT_EQ(list.terms().size(), 3U);
  EXPECT_EQ(list.terms()[0].source, "view");
  EXPECT_THAT(list.terms()[0].targets, ElementsAre("Ansicht", "Sicht"));
  EXPECT_EQ(list.terms()[0].matching, TermCase::any);
  EXPECT_EQ(list.terms()[1].source, "Basic");
  EXPECT_EQ(list.terms()[1].matching, TermCase::exact);
  EXPECT_EQ(list.terms()[1].note, "a language");
}

TEST(TermList, NamesTheLineThatIsWrong) {
  EXPECT_THAT(error_of_list("view\tAnsicht\nsave\n"),
              HasSubstr("terms.tsv, line 2: expected 2 to 5 columns"));
  EXPECT_THAT(error_of_list("view\tAnsicht\tno\n"), HasSubstr("any or exact"));
  EXPECT_THAT(error_of_list("view\tAnsicht\t\tmild\n"), HasSubstr("expected hard"));
  EXPECT_THAT(error_of_list("view\tAnsicht\t\tsoft\n"), HasSubstr("soft terms are not supported"));
  EXPECT_THAT(error_of_list("\n \tAnsicht\n"), HasSubstr("line 2: the source"));
  EXPECT_THAT(error_of_list("view\tAnsicht||Sicht\n"), HasSubstr("a target form of the term"));
  EXPECT_THAT(error_of_list("view\t\xff\n"), HasSubstr("not UTF-8"));
  EXPECT_THAT(error_of_list("view\t" + std::string(1001, 'a')), HasSubstr("1001 bytes"));
  EXPECT_THAT(error_of_list("# none\n"), HasSubstr("terms.tsv has no terms"));
  std::string forms = "view\ta0";
  for (int i = 1; i <= 30; ++i) forms += "|a" + std::to_string(i);
  EXPECT_THAT(error_of_list(forms), HasSubstr("31 target forms"));
}

TEST(TermList, FindsWordsAndNotLettersInsideOthers) {
  const TermList list = list_of("view\tAnsicht\nC++\tC++\n.NET\t.NET\nv2\tZ\n");
  EXPECT_THAT(found(list, "The view. (View) VIEW, views review interview2 view2"),
              ElementsAre("view=Ansicht", "View=Ansicht", "VIEW=Ansicht"));
  EXPECT_THAT(found(list, "pre-view's"), ElementsAre("view=Ansicht"));
  EXPECT_THAT(found(list, "C++ and .NET, v2 v20 v2a"), ElementsAre("C++=C++", ".NET=.NET", "v2=Z"));
  EXPECT_THAT(found(list, "vie\xCC\x88w view\xCC\x81"), IsEmpty()) << "marks are of words";
}

TEST(TermList, TheLongestComesFirstAndNoneOverlap) {
  const TermList list =
      list_of("table\tTabelle\ninsert table\tTabelle einfügen\ntable of contents\tVerzeichnis\n");
  EXPECT_THAT(found(list, "insert  table of contents, Insert\ttable, table of"),
              ElementsAre("insert  table=Tabelle einfügen", "Insert\ttable=Tabelle einfügen",
                          "table=Tabelle"));
  EXPECT_THAT(found(list, "the table of contents"), ElementsAre("table of contents=Verzeichnis"));
}

TEST(TermList, ExactOnesComeBeforeOthers) {
  const TermList list = list_of("name\tName\nNAME\tNAME\texact\nForm\tForm\texact\n");
  EXPECT_THAT(found(list, "name Name NAME form Form"),
              ElementsAre("name=Name", "Name=Name", "NAME=NAME", "Form=Form"));
}

TEST(TermList, EqualSourcesHaveTheFormsOfBoth) {
  const TermList list = list_of("view\tAnsicht\nView\tSicht|Ansicht\n");
  ASSERT_EQ(list.terms().size(), 1U);
  EXPECT_THAT(list.terms()[0].targets, ElementsAre("Ansicht", "Sicht"));
}

TEST(TermList, FindsTermsInTextWithoutSpaces) {
  const TermList list = list_of("神经网络\tneural network\n网络\tnetwork\n");
  EXPECT_THAT(found(list, "这个神经网络和网络。"),
              ElementsAre("神经网络=neural network", "网络=network"));
}

TEST(TermList, LeavesPlaceholdersAndAddressesAlone) {
  const TermList list = list_of("name\tName\nexample\tBeispiel\n");
  EXPECT_THAT(found(list, "{name} %(name)s https://name.example/name me@name.example name"),
              ElementsAre("name=Name"));
}

TEST(TermList, PlacesCountBytesOfTheText) {
  const TermList list = list_of("i\tI\nstraße\tStreet\n");
  // The small letter of U+0130 has more bytes.
  const std::string text = "\u0130\u0130 STRAßE i";
  EXPECT_THAT(found(list, text), ElementsAre("STRAßE=Street", "i=I"));
}

TEST(FirstLetter, IsOneCharacter) {
  EXPECT_EQ(with_first_capital("öffnen"), "Öffnen");
  EXPECT_EQ(with_first_capital(""), "");
}

}  // namespace
}  // namespace heed
