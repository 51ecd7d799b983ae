#include "heed/text/protected_spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace heed
