#include "heed/text/protected_spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

const std::vector<std::string> kAll = {"placeholders", "urls", "emails", "unknown"};

std::vector<std::string> found(std::string_view text, const std::vector<std::string>& kinds = kAll,
                               const std::vector<std::string>& unknown = {}) {
  std::vector<std::string> all;
  for (const ProtectedSpan& span : protected_spans(text, ProtectedKinds(kinds), unknown))
    all.emplace_back(text.substr(span.begin, span.end - span.begin));
  return all;
}

TEST(ProtectedSpans, PlaceholdersOfManyKinds) {
  EXPECT_EQ(found("Open %s at %2$d of %(name)s, {0} {name} {} {{ x }} ${y} %{z} $(ARG1) %1 %LINE."),
            (std::vector<std::string>{"%s", "%2$d", "%(name)s", "{0}", "{name}", "{}", "{{ x }}",
                                      "${y}", "%{z}", "$(ARG1)", "%1", "%LINE"}));
  EXPECT_EQ(found("at %%%s of %08lx: %m, %B%%, a%0Ab"),
            (std::vector<std::string>{"%%", "%s", "%08lx", "%m", "%B", "%%", "%0A"}));
  EXPECT_EQ(found("ID: %-7l Type, %-10b of %asr"),
            (std::vector<std::string>{"%-7l", "%-10b", "%a"}));
  EXPECT_EQ(found("{n, plural, one {# file} other {# files}} left"),
            (std::vector<std::string>{"{n, plural, one {# file} other {# files}}"}));
  for (const char* plain : {"100% sure", "50 % of it", "a {long text} here", "$5 (or $6)", "5 %%"})
    EXPECT_EQ(found(plain), std::vector<std::string>()) << plain;
}

TEST(ProtectedSpans, AddressesWithoutThePunctuationBehindThem) {
  EXPECT_EQ(
      found("See https://a.org/b_(c)?d=%20&e#f, (www.x.de/y) or http://z.cn/路。"),
      (std::vector<std::string>{"https://a.org/b_(c)?d=%20&e#f", "www.x.de/y", "http://z.cn/"}));
  EXPECT_EQ(found("http://host/{id}/x!"), (std::vector<std::string>{"http://host/{id}/x"}));
  EXPECT_EQ(found("Mail <jane.doe+1@mail.example.org>."),
            (std::vector<std::string>{"jane.doe+1@mail.example.org"}));
  for (const char* plain : {"http://", "www.", "@home", "a@b", "me@", "awww.x", "@@.de"})
    EXPECT_EQ(found(plain), std::vector<std::string>()) << plain;
}

TEST(ProtectedSpans, UnknownCharactersAreThoseThatAreNamed) {
  EXPECT_EQ(found("a 👍🏽😀 b", kAll, {"😀", "👍🏽"}),
            (std::vector<std::string>{"👍🏽", "😀"}));
  EXPECT_EQ(found("a 😀", {"urls"}, {"😀"}), std::vector<std::string>());
}

TEST(ProtectedSpans, KindsAreChosenByName) {
  const std::string text = "%s http://a.de b@c.de 😀";
  EXPECT_EQ(found(text, {"none"}, {"😀"}), std::vector<std::string>());
  EXPECT_EQ(found(text, {"emails", "placeholders"}, {"😀"}),
            (std::vector<std::string>{"%s", "b@c.de"}));
  EXPECT_EQ(found(text, {"urls,unknown", "emails"}, {"😀"}),
            (std::vector<std::string>{"http://a.de", "b@c.de", "😀"}));
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"all"}, {"urls", "none"}, {"urls,nones"}})
    EXPECT_THAT(error_of([&] { ProtectedKinds kinds(wrong); }),
                HasFacts("--protect or none alone"));
}

TEST(ProtectedSpans, NumbersWithUnitsAndVersions) {
  const std::vector<std::string> numbers = {"numbers"};
  EXPECT_EQ(
      found("Version v2.0.1 of 2026-11-28 needs 1,234.5 MB, 50 % of 3 GHz at 12:30.", numbers),
      (std::vector<std::string>{"v2.0.1", "2026-11-28", "1,234.5 MB", "50 %", "3 GHz", "12:30"}));
  EXPECT_EQ(found("5 minutes, 5min, 20\u00B0C, 7 m.", numbers),
            (std::vector<std::string>{"5", "5min", "20\u00B0C", "7 m"}));
  for (const char* word : {"x86", "utf8", "sha256sum", "2nd", "H2O", "a_1", "ä1"})
    EXPECT_EQ(found(word, numbers), std::vector<std::string>()) << word;
}

TEST(ProtectedSpans, PathsOfFiles) {
  EXPECT_EQ(
      found("Open /etc/fstab, ~/.bashrc or (C:\\Program) in ./a/b.c. ../x: /usr/路", {"paths"}),
      (std::vector<std::string>{"/etc/fstab", "~/.bashrc", "C:\\Program", "./a/b.c", "../x",
                                "/usr/"}));
  EXPECT_EQ(found("and/or 1/2 </b> / a: b http://x/y", {"paths"}), std::vector<std::string>());
}

TEST(ProtectedSpans, CodeBetweenBackquotes) {
  EXPECT_EQ(found("Run `a b` and ``c`d``, not `e", {"code"}),
            (std::vector<std::string>{"`a b`", "``c`d``"}));
  EXPECT_EQ(found("```a`` `b`", {"code"}), (std::vector<std::string>{"`b`"}));
  std::string runs;  // each of another length: none is closed
  for (size_t length = 1; length < 1000; ++length) runs += std::string(length, '`') + " ";
  EXPECT_EQ(found(runs, {"code"}), std::vector<std::string>());
}

class ProtectedPatternsTest : public FolderTest {};

TEST_F(ProtectedPatternsTest, AreReadFromAFile) {
  const std::string path = (folder_ / "patterns").string();
  std::ofstream(path) << "# tickets\n\n[A-Z]+-\\d+\r\n\\bACME\\w*\n";
  const ProtectedKinds kinds = ProtectedKinds::with_files({"urls", path});
  EXPECT_TRUE(kinds.has(ProtectedKind::urls));
  const std::string text = "See ABC-12 of ACMEsoft, 老ACME at www.x.de/A-1 a ABC-";
  std::vector<std::string> all;
  for (const ProtectedSpan& span : protected_spans(text, kinds, {}))
    all.push_back(text.substr(span.begin, span.end - span.begin));
  EXPECT_EQ(all, (std::vector<std::string>{"ABC-12", "ACMEsoft", "ACME", "www.x.de/A-1"}));
}

TEST_F(ProtectedPatternsTest, ErrorsNameTheLine) {
  const auto error = [](const std::string& text) {
    return error_of([&] { ProtectedPatterns::parse(text, "patterns"); });
  };
  EXPECT_THAT(error("a+\n(b\n"), HasFacts("patterns line 2 (b regular expression"));
  EXPECT_THAT(error("a*\n"), HasFacts("patterns line 1 a* empty"));
  EXPECT_THAT(error("# none\n"), HasFacts("patterns no regular expressions"));
  EXPECT_THAT(error_of([] { ProtectedKinds::with_files({"url"}); }),
              HasFacts("--protect url urls file none of this name"));
}

TEST_F(ProtectedPatternsTest, TakeLinearTimeWhateverTheExpression) {
  const ProtectedPatterns patterns = ProtectedPatterns::parse("(a*)*b|(a|a)*c|\\b", "patterns");
  std::vector<std::pair<size_t, size_t>> matches;
  patterns.find(std::string(100'000, 'a'), matches);
  EXPECT_TRUE(matches.empty());
}

}  // namespace
}  // namespace heed
