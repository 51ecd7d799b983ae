// Markdown: its texts, and tags that are read as tags where a translation has them.
#include "documents/documents.h"
#include "heed/core/rng.h"
#include "heed/documents/markdown_spans.h"
#include "support/facts.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr DocumentFormat kMarkdown = DocumentFormat::markdown;

std::vector<std::string> markdown_texts(const std::string& markdown) {
  return texts_of(markdown, kMarkdown);
}
std::string markdown_with(const std::string& markdown, const std::string& text,
                          const std::string& links = "") {
  return with(markdown, kMarkdown, {translated(text, links)});
}

TEST(MarkdownReaderTest, BlocksAreTexts) {
  EXPECT_THAT(
      markdown_texts(
          "---\ntitle: x\n---\n# One #\n\nTwo\nlines\n\n> - Three\n>   more\n> - [ ] Four\n\n"
          "    code\n\n```\ncode\n```\n\n| Five | Six |\n|---|---|\n| a | b |\n\n"
          "Seven\n===\n\n<p>html</p>\n\n[ref]: http://x.org \"no\"\n"),
      ElementsAre("One", "Two lines", "Three more", "Four", "Five", "Six", "a", "b", "Seven"));
  EXPECT_THAT(markdown_texts("a  \nb\\\nc"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(markdown_texts("***\n\n12 %\n\n![](x.png)"), IsEmpty());
}

TEST(MarkdownReaderTest, CharactersAreThoseOfTheReader) {
  EXPECT_THAT(markdown_texts("a \\*b\\* &amp; &lt;c d\\_e"), ElementsAre("a *b* & <c d_e"));
  EXPECT_THAT(
      markdown_texts("use `` `x` `` and [*this*\nlink](u \"t\") or [that][ref]\n\n[ref]: u"),
      ElementsAre("use `x` and this link or that"));
  EXPECT_EQ(
      with("see <http://x.y/z>. Now", kMarkdown, {translated("siehe http://x.y/z. Jetzt", "")}),
      "siehe <http://x.y/z>. Jetzt");
  EXPECT_THAT(markdown_texts("see <http://a.b> or http://c.d/e_f_g now![alt *x*](u)"),
              ElementsAre("see http://a.b or http://c.d/e_f_g now"));
  EXPECT_THAT(markdown_texts("see ![the icon](u) here[^1]."), ElementsAre("the icon", "see here."));
}

// Found by fuzzing
TEST(MarkdownReaderTest, MarksOfFootnotesDoNotOverlap) {
  EXPECT_EQ(copied("a [^b[^c] d", kMarkdown), "a [^b[^c] d");
}

TEST(MarkdownReaderTest, TagsFollowTheirWords) {
  EXPECT_EQ(markdown_with("the **red** car", "la voiture rouge", "0-0 2-1 1-2"),
            "la voiture **rouge**");
  EXPECT_EQ(
      markdown_with("- see [the *red* car](u (t)).\n", "siehe die rote Karre.", "0-0 1-1 2-2 3-3"),
      "- siehe [die *rote* Karre](u (t)).\n");
  EXPECT_EQ(markdown_with("run `a  b` now", "jetzt a b starten", "0-3 1-1 2-2 3-0"),
            "jetzt `a  b` starten");
  EXPECT_EQ(markdown_with("a <b>c</b> d", "x y z", "0-0 1-1 2-2"), "x <b>y</b> z");
  EXPECT_EQ(markdown_with("> a\n> b\n", "x y"), "> x y\n");
}

TEST(MarkdownReaderTest, WhatWouldNotBeReadAsItIsMeantIsWrittenOtherwise) {
  EXPECT_EQ(markdown_with("a", "x_y * z *b* `c` [d]"), "x_y * z \\*b\\* &#96;c&#96; \\[d\\]");
  EXPECT_EQ(markdown_with("a", "- b"), "\\- b");
  EXPECT_EQ(markdown_with("a", "1. b"), "1\\. b");
  EXPECT_EQ(markdown_with("a", "&amp; <b> #c"), "\\&amp; \\<b> #c");
  EXPECT_EQ(markdown_with("| a |\n|---|\n", "b|c"), "| b\\|c |\n|---|\n");
  // A delimiter between characters of Chinese, or behind their punctuation, is none.
  EXPECT_EQ(markdown_with("press _OK_ now", "请按确定按钮", "1-2 1-3"), "请按<em>确定</em>按钮");
  EXPECT_EQ(markdown_with("say **yes!** now", "现在说“好！”吧", "1-3 1-4 1-5 1-6"),
            "现在说“<strong>好！”</strong>吧");
  EXPECT_EQ(markdown_with("wow [it](u)", "it! wow", "1-1 0-0"), "it! [wow](u)");
  EXPECT_EQ(markdown_with("a [it](u)", "看!它", "1-2"), "看\\!<a href=\"u\">它</a>");
}

// The blocks and tags that md4c finds, sorted; those that may be written as HTML by its names.
std::vector<std::string> markdown_tags(const std::string& markdown) {
  static constexpr std::string_view kNames[] = {"em", "strong", "del", "code", "a", "img"};
  std::vector<std::string> tags;
  for (const detail::MarkdownBlock& block : detail::markdown_blocks(markdown)) {
    tags.emplace_back(block.is_cell ? "cell" : "block");
    for (const detail::MarkdownEvent& event : block.events) {
      const std::string name(kNames[size_t(event.span)]);
      if (event.kind == detail::MarkdownEvent::Kind::html)
        tags.push_back(event.characters.substr(0, event.characters.find_first_of(" >")));
      if (event.kind == detail::MarkdownEvent::Kind::enter) tags.push_back("<" + name);
      if (event.kind == detail::MarkdownEvent::Kind::leave) tags.push_back("</" + name);
    }
  }
  std::erase(tags, "<br");  // the end of a line, as it may be written
  std::ranges::sort(tags);
  return tags;
}

class RandomMarkdown {
 public:
  explicit RandomMarkdown(uint64_t seed) : random_(seed) {}

  // An address alone can take in what follows it.
  std::string soup_without_addresses() { return soup(kParts.size() - 1); }
  std::string soup() { return soup(kParts.size()); }
  TranslatedText translation() {
    static const std::vector<std::string> words = {"wort", "<&>.", "_x",  "*", "-", "#", "1.",
                                                   "中文", "。",   "[y]", "!", "`", "|"};
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
  inline static const std::vector<std::string> kParts = {"*",
                                                         "**",
                                                         "_",
                                                         "`",
                                                         "``",
                                                         "[",
                                                         "](u)",
                                                         "![",
                                                         "][r]",
                                                         "]",
                                                         "a",
                                                         "word ",
                                                         " b",
                                                         "\n",
                                                         "# ",
                                                         "> ",
                                                         "- ",
                                                         "\\",
                                                         "~~",
                                                         "<",
                                                         ">",
                                                         "<i>x</i>",
                                                         "\n\n",
                                                         "&amp;",
                                                         "|",
                                                         "中",
                                                         "。",
                                                         "1. ",
                                                         "!",
                                                         "[^1]",
                                                         "\n\n|a|b|\n|---|---|\n|",
                                                         "  \n",
                                                         "<i>",
                                                         "</i>",
                                                         "<!-- -->",
                                                         " http://x.y "};

  std::string soup(size_t parts) {
    std::string markdown;
    for (uint64_t n = random_.below(30); n > 0; --n) markdown += kParts[random_.below(parts)];
    return markdown + "\n\n[r]: /u\n";
  }

  Random random_;
};

TEST(MarkdownReaderTest, ACopyHasTheSameBytes) {
  RandomMarkdown random(5);
  for (int i = 0; i < 3000; ++i) {
    const std::string markdown = random.soup();
    ASSERT_EQ(copied(markdown, kMarkdown), markdown);
  }
}

TEST(MarkdownReaderTest, EveryTagIsReadOnce) {
  RandomMarkdown random(6);
  int texts = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string markdown = random.soup_without_addresses();
    const FormattedDocument document(markdown, kMarkdown);
    std::vector<TranslatedText> translations;
    for (size_t t = 0; t < document.texts().size(); ++t)
      translations.push_back(random.translation());
    texts += int(translations.size());
    const std::string made = document.with(translations);
    ASSERT_EQ(markdown_tags(made), markdown_tags(markdown)) << markdown << "\n---\n" << made;
  }
  EXPECT_GT(texts, 3000);
}

}  // namespace
}  // namespace heed
