// reStructuredText: its texts, its markup where a translation has it, and what stays.
#include "documents/documents.h"
#include "heed/core/rng.h"
#include "heed/documents/rst_spans.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr DocumentFormat kRst = DocumentFormat::rst;

std::vector<std::string> rst_texts(const std::string& rst) {
  return texts_of(rst, kRst);
}
std::string rst_with(const std::string& rst, const std::string& text,
                     const std::string& links = "") {
  return with(rst, kRst, {translated(text, links)});
}

TEST(RstReaderTest, BlocksAreTexts) {
  EXPECT_THAT(rst_texts("=====\n One\n=====\n\nTwo\n---\n\nThree\nlines\n\n- Four\n\n  more\n\n"
                        "1. Five\n#. Six\n\n   Seven\n\nterm : int\n   Eight\n\n"
                        ":param x: Nine\n-f, --file=F  Ten\n\n| Eleven\n  more\n| Twelve\n\n"
                        ".. [1] Thirteen\n.. [#a] Fourteen\n\n----\n\n**Fifteen**\n"),
              ElementsAre("One", "Two", "Three lines", "Four", "more", "Five", "Six", "Seven",
                          "term", "Eight", "Nine", "Ten", "Eleven more", "Twelve", "Thirteen",
                          "Fourteen", "Fifteen"));
  EXPECT_THAT(rst_texts("A. Smith\nwrote it\n\n1. one\n1. more\n"),
              ElementsAre("A. Smith wrote it", "1. one 1. more"));
}

TEST(RstReaderTest, WhatIsNoProseStays) {
  EXPECT_THAT(
      rst_texts(".. comment\n   more\n\n.. _target: http://x.y\n\n__ other_\n\n"
                ".. |name| replace:: text\n\n>>> doctest\nmore\n\n"
                "+----+\n| ab |\n+----+\n\n=== ===\na   b\n=== ===\nc   d\n=== ===\n\n"
                "::\n\n   code\n\n     more\n\n   code\n\n"
                ".. code-block:: python\n   :name: x\n\n   code\n\n.. toctree::\n\n   file\n\n"
                ":Author: Somebody\n:rtype: a type\n\n12 %\n\n|name| ``code`` [1]_\n"),
      IsEmpty());
  EXPECT_THAT(
      rst_texts(
          "Run::\n\n  code\n\nand::\n\n> code\n> more\n\nthen ::\n\n  code\n\nend\n::\n\n  code"),
      ElementsAre("Run:", "and:", "then", "end"));
  EXPECT_THAT(rst_texts("not \\::\n\n  quoted\n\nterm::\n  code\n"),
              ElementsAre("not ::", "quoted"));
}

TEST(RstReaderTest, DirectivesByTheirNames) {
  EXPECT_THAT(
      rst_texts(".. note:: One\n   line\n\n   Two::\n\n     code\n\n"
                ".. py:function:: f(x)\n                 g(x)\n   :noindex:\n\n   Three\n\n"
                ".. versionadded:: 3.1 Four\n\n.. deprecated-removed:: 3 4\n   Five\n\n"
                ".. admonition:: Six\n   :class: x\n\n   Seven\n\n.. unknown::\n   Eight\n\n"
                ".. figure:: x.png\n   :alt: Nine\n      more\n\n   Ten\n\n"
                ".. glossary::\n\n   term\n   other\n     Eleven\n\n"
                ".. list-table:: Twelve\n   :widths: 1 2\n\n   * - Thirteen\n     - Fourteen\n"
                ".. code-block:: c\n   :caption: Fifteen\n\n   code\n"),
      ElementsAre("One line", "Two:", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine more",
                  "Ten", "Eleven", "Twelve", "Thirteen", "Fourteen", "Fifteen"));
}

TEST(RstReaderTest, MarkupIsNoText) {
  EXPECT_THAT(rst_texts("*a* **b** ``c`` :func:`~d.e` :ref:`f <g>` `h <u>`_ `i j`_ k_ |l|"),
              ElementsAre("a b c e f h i j k l"));
  EXPECT_THAT(rst_texts("a \\*b\\* c\\ d 2*3 x_y \"*\" __init__ *"),
              ElementsAre("a *b* cd 2*3 x_y \"*\" __init__ *"));
  EXPECT_THAT(rst_texts("see [1]_ and `a\nb <http://x.y>`__ or\n:doc:`c`"),
              ElementsAre("see and a b or c"));
  EXPECT_THAT(rst_texts("see http://x.y/z. Write to a@b.cc"),
              ElementsAre("see http://x.y/z. Write to a@b.cc"));
}

TEST(RstReaderTest, MarkupFollowsItsWords) {
  EXPECT_EQ(rst_with("the **red** car", "la voiture rouge", "0-0 2-1 1-2"), "la voiture **rouge**");
  EXPECT_EQ(rst_with("see :ref:`the car <u>`.", "siehe die Karre.", "0-0 1-1 2-2"),
            "siehe :ref:`die Karre <u>`.");
  EXPECT_EQ(rst_with("run ``a  b`` now", "jetzt a b starten", "0-3 1-1 2-2 3-0"),
            "jetzt ``a  b`` starten");
  EXPECT_EQ(rst_with("- read ``a\n  b``\n  now\n", "x a b", "0-0 1-1 2-2"), "- x ``a b``\n");
  EXPECT_EQ(rst_with("of `the guide`_ here\n\n.. _the guide: u\n", "hier das Buch", "3-0 1-1 2-2"),
            "hier `das Buch <the guide_>`__\n\n.. _the guide: u\n");
  EXPECT_EQ(rst_with("see [1]_ there", "siehe da", "0-0 1-1"), "siehe [1]_ da");
}

TEST(RstReaderTest, MarkupIsReadAsSuchBesideLetters) {
  EXPECT_EQ(rst_with("press **OK** now", "请按确定按钮", "1-2 1-3"), "请按\\ **确定**\\ 按钮");
  EXPECT_EQ(rst_with("see http://x.y/z. Now", "请看http://x.y/z"), "请看\\ http://x.y/z");
  EXPECT_EQ(rst_with("say *yes* (now)", "说：是。", "1-2"), "说：*是*。");
  EXPECT_EQ(rst_with("a *b* c", "x (*) y", "1-1"), "x *(\\*)* y");
  // Words that have no translation stay, since markup cannot be empty.
  EXPECT_EQ(rst_with("a *b* c", "x y", "0-0 2-1"), "x *b* y");
}

TEST(RstReaderTest, TextIsNotReadAsMarkup) {
  EXPECT_EQ(rst_with("a", "x_ *b* `c` 2 * 3 |d| e_f \\"),
            "x\\_ \\*b\\* \\`c\\` 2 * 3 \\|d\\| e_f \\\\");
  EXPECT_EQ(rst_with("a", "- b"), "\\- b");
  EXPECT_EQ(rst_with("a", "Tag:b Tag: b std::b info://b"), "Tag\\:b Tag: b std::b info://b");
  EXPECT_EQ(rst_with("a", "1. b"), "\\1. b");
  EXPECT_EQ(rst_with("a", ".. b"), "\\.. b");
  EXPECT_EQ(rst_with("a", ":b: c"), "\\:b: c");
  EXPECT_EQ(rst_with("a", "===="), "\\====");
  EXPECT_EQ(rst_with("a", ""), "\\ \\ ");
}

TEST(RstReaderTest, LinesAroundTitlesHaveTheirWidth) {
  EXPECT_EQ(rst_with("Title\n=====\n", "更长的标题"), "更长的标题\n==========\n");
  EXPECT_EQ(rst_with("A title\n=======\n", "题"), "题\n==\n");
  EXPECT_EQ(rst_with("=======\n Title\n=======\n", "标题"), "======\n 标题\n======\n");
  EXPECT_EQ(rst_with("Title\n~~~~~~~~~~~~\n", "Titel, neu"), "Titel, neu\n~~~~~~~~~~~~\n");
  EXPECT_EQ(rst_with("Title\n====\n", "Title, *"), "Title, \\*\n=========\n") << "too short before";
}

TEST(RstReaderTest, ReferencesFindTitlesThatChange) {
  const std::string rst = "The Title\n=========\n\nIn `the  title`_.\n";
  EXPECT_EQ(with(rst, kRst, {translated("标题"), translated("在标题中", "1-1 1-2 2-1 2-2")}),
            ".. _`the title`:\n\n标题\n====\n\n在\\ `标题 <the  title_>`__\\ 中\n");
  EXPECT_EQ(copied(rst, kRst), rst);
  // The text of a link that is a name
  EXPECT_EQ(with("`A b <u>`_ or `a b`_", kRst, {translated("x A b", "1-1 2-2")}).substr(0, 12),
            "x `A b <u>`_");
}

TEST(RstReaderTest, ParagraphsStayWhatTheyAre) {
  EXPECT_EQ(rst_with("For example::\n\n  code\n", "例如："), "例如::\n\n  code\n");
  EXPECT_EQ(rst_with("Odd\nlines\n  12\n", "Seltsam"), "Seltsam\n\n  12\n") << "no definition";
  EXPECT_EQ(rst_with("Odd", "seltsam::"), "seltsam:\\:") << "no code follows";
}

// Markup as its source, and characters outside of it without spaces.
std::string rst_shape(const std::string& rst) {
  std::vector<std::string> spans;
  for (const detail::RstSpan& span : detail::rst_spans(rst)) {
    using Kind = detail::RstSpan::Kind;
    if (span.kind == Kind::address) continue;
    const size_t end = detail::encloses_words(span.kind) ? span.text_begin : span.end;
    spans.push_back(rst.substr(span.begin, end - span.begin));
  }
  std::ranges::sort(spans);
  std::string shape;
  for (const std::string& span : spans) shape += span + "\n";
  return shape;
}

class RandomRst {
 public:
  explicit RandomRst(uint64_t seed) : random_(seed) {}

  std::string soup(size_t most, bool has_lines) {
    static const std::vector<std::string> kParts = {"*",
                                                    "**",
                                                    "`",
                                                    "``",
                                                    "`_",
                                                    "`__",
                                                    "_",
                                                    "|",
                                                    "[1]_",
                                                    ":a:`",
                                                    " <u>`_",
                                                    "_`",
                                                    "\\",
                                                    "\\ ",
                                                    "word",
                                                    " ",
                                                    " ",
                                                    " b ",
                                                    "中",
                                                    "。",
                                                    "（",
                                                    "\"",
                                                    "'",
                                                    "(",
                                                    ")",
                                                    "-",
                                                    "http://x.y/z",
                                                    "@",
                                                    "::",
                                                    "<",
                                                    ">",
                                                    "!",
                                                    ":",
                                                    ".",
                                                    "a_",
                                                    "*b*",
                                                    "``c``",
                                                    ":ref:`d e <f>`",
                                                    "`g h`_",
                                                    "\n",
                                                    "\n\n",
                                                    "\n  ",
                                                    "\n\n   ",
                                                    "- ",
                                                    "1. ",
                                                    ".. ",
                                                    "note:: ",
                                                    "====\n",
                                                    "> ",
                                                    "\t",
                                                    ":x: ",
                                                    "| ",
                                                    "+--+\n",
                                                    "\n----",
                                                    "[1] ",
                                                    "code::\n"};
    std::string rst;
    const size_t parts = has_lines ? kParts.size() : 39;
    for (uint64_t n = random_.below(most); n > 0; --n) rst += kParts[random_.below(parts)];
    return rst;
  }
  TranslatedText translation() {
    static const std::vector<std::string> words = {
        "wort", "<&>.", "x_",  "*",  "-",    "::",  "1.",  "中文",       "。", "[1]_", "!",
        "`",    "|",    "(*)", "\\", "_`x`", "**a", ":b:", "http://x.y", "\"", "（"};
    TranslatedText made;
    const uint64_t count = 1 + random_.below(5);
    for (uint64_t i = 0; i < count; ++i)
      made.text += (i > 0 && random_.below(3) ? " " : "") + words[random_.below(words.size())];
    for (uint64_t i = 0; i < count; ++i)
      for (uint64_t n = random_.below(3); n > 0; --n)
        made.links.push_back({int64_t(random_.below(6)), int64_t(i)});
    return made;
  }

 private:
  Random random_;
};

TEST(RstReaderTest, ACopyHasTheSameBytes) {
  RandomRst random(5);
  for (int i = 0; i < 5000; ++i) {
    const std::string rst = random.soup(40, true);
    ASSERT_EQ(copied(rst, kRst), rst);
  }
}

TEST(RstReaderTest, EveryMarkupIsReadOnce) {
  RandomRst random(6);
  int texts = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string rst = "a " + random.soup(12, false) + " z";
    const FormattedDocument document(rst, kRst);
    if (document.texts().size() != 1) continue;
    ++texts;
    const TranslatedText translation = random.translation();
    const std::string made = document.with(std::vector{translation});
    ASSERT_EQ(rst_shape(made), rst_shape(rst)) << rst << "\n---\n" << made;
    ASSERT_EQ(rst_texts(made + "\n\n  z").back(), "z") << made << "\n---\n" << translation.text;
  }
  EXPECT_GT(texts, 5000);
}

TEST(RstReaderTest, OddDocumentsTakeLinearTime) {
  const auto repeated = [](std::string_view part, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += part;
    return all;
  };
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += std::string(size_t(i), ' ') + "a\n";
  for (const std::string& rst :
       {deep, repeated("- ", 50'000) + "a" + repeated("\n", 50'000), repeated("*a ", 100'000),
        repeated("`a ", 100'000), repeated("|a ``b **c ", 50'000), repeated(":a", 100'000) + "`",
        repeated("a-", 100'000) + "_", repeated(".. note:: ", 50'000) + "\n  b",
        repeated(":x: ", 50'000) + "\n b", repeated("a@", 100'000), repeated("http://", 50'000),
        repeated("*a* ", 100'000), repeated("a : ``b : c`` ", 50'000), repeated("_", 300'000),
        repeated("a\n b\n", 50'000), repeated("=\n", 100'000), repeated("= =\n", 100'000)})
    EXPECT_EQ(copied(rst, kRst) == rst, true) << rst.substr(0, 40);
}

TEST(RstReaderTest, OddFiles) {
  for (const std::string& rst :
       {std::string(), std::string("\n"), std::string("\xEF\xBB\xBFTitle\r\n=====\r\n\r\ntext\r\n"),
        std::string("a\0b *c\0* d", 10), std::string("..\n"), std::string(".. [1]"),
        std::string(".. note::"), std::string("\tquote\n\n  less")})
    EXPECT_EQ(copied(rst, kRst), rst);
  EXPECT_EQ(rst_with("\xEF\xBB\xBFTitle\r\n=====\r\n", "Titel x"),
            "\xEF\xBB\xBFTitel x\r\n=======\r\n");
}

}  // namespace
}  // namespace heed
