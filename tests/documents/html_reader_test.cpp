// What of HTML is translated, and where the tags of a translation are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "documents/documents.h"
#include "heed/core/rng.h"
#include "heed/text/html_tokens.h"
#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::ElementsAre;

constexpr DocumentFormat kHtml = DocumentFormat::html;

std::vector<std::string> texts_of(const std::string& html) {
  return texts_of(html, kHtml);
}
std::string copied(const std::string& html) {
  return copied(html, kHtml);
}
std::string with(const std::string& html, const std::vector<TranslatedText>& translations) {
  return with(html, kHtml, translations);
}

TEST(HtmlReaderTest, BlocksPartTextsAndInlineTagsDoNot) {
  EXPECT_THAT(texts_of("<h1>One</h1><p>Two <b>and</b>\n  three.<br>Four<ul><li>Five<li>Six</ul>"),
              ElementsAre("One", "Two and three.", "Four", "Five", "Six"));
  EXPECT_THAT(texts_of("a<custom-x>b</custom-x>c<u>d</u>"), ElementsAre("abcd"));
  EXPECT_THAT(texts_of("<title>A &lt;b&gt; c</title>x &amp; y&nbsp;z"),
              ElementsAre("A <b> c", "x & y\u00a0z"));
}

TEST(HtmlReaderTest, WhatIsNoTextIsKept) {
  EXPECT_THAT(texts_of("<script>a</script><style>b</style><pre>c</pre><textarea>d</textarea>"
                       "<svg><text>e</text></svg><p translate=no>f<p>g"
                       "<div class='x notranslate'>h<p>i</p></div>j<p>12 %</p><!-- k -->"),
              ElementsAre("g", "j"));
  EXPECT_THAT(texts_of("<ul><li translate='no'>a<li>b</ul><span translate=NO>c</span> d"),
              ElementsAre("b", "c d"));
}

TEST(HtmlReaderTest, AttributesAreTexts) {
  EXPECT_THAT(texts_of("<img alt='A &amp; b' src='c d'><a title=\"E  f\">g</a><i title=7>h</i>"),
              ElementsAre("A & b", "E f", "gh"));
  EXPECT_EQ(with("<img alt='a' title=b placeholder=\"c\">",
                 {translated("it's \"x\""), translated("y z"), translated("<&>")}),
            "<img alt='it&#39;s &quot;x&quot;' title=\"y z\" placeholder=\"&lt;&amp;&gt;\">");
}

TEST(HtmlReaderTest, TagsFollowTheirWords) {
  const auto moved = [](const std::string& html, const std::string& text,
                        const std::string& links) { return with(html, {translated(text, links)}); };
  EXPECT_EQ(moved("<p> the <b>red</b> car </p>", "la voiture rouge", "0-0 2-1 1-2"),
            "<p> la voiture <b>rouge</b> </p>");
  EXPECT_EQ(moved("<p>I have <i>not <b>seen</b></i> it.", "Ich habe es nicht gesehen.",
                  "0-0 1-1 4-2 2-3 3-4"),
            "<p>Ich habe es <i>nicht <b>gesehen</b></i>.");
  EXPECT_EQ(moved("Say <b>yes!</b> now", "Sag jetzt ja!", "0-0 2-1 1-2"), "Sag jetzt <b>ja!</b>");
  EXPECT_EQ(moved("<b>a</b> <i>b</i>", "y x", "1-0 0-1"), "<i>y</i> <b>x</b>");
  EXPECT_EQ(moved("我<b>爱</b>你", "I love you", "0-0 1-1 2-2"), "I <b>love</b> you");
  EXPECT_EQ(moved("I <b>love</b> you", "我爱你", "0-0 1-1 2-2"), "我<b>爱</b>你");
}

TEST(HtmlReaderTest, TagsWithoutWordsFollowTheWordBefore) {
  const auto moved = [](const std::string& html, const std::string& text,
                        const std::string& links) { return with(html, {translated(text, links)}); };
  EXPECT_EQ(moved("click <img src=x> to go", "zum gehen klicken", "1-0 2-1 0-2"),
            "zum gehen klicken <img src=x>");
  EXPECT_EQ(moved("click <img src=x> now", "klicken jetzt", "0-0 1-1"),
            "klicken <img src=x> jetzt");
  EXPECT_EQ(moved("click <img src=x>now", "klicken jetzt", "0-0 1-1"), "klicken <img src=x>jetzt");
  EXPECT_EQ(moved("click<img src=x> now", "klicken jetzt", "0-0 1-1"), "klicken<img src=x> jetzt");
  EXPECT_EQ(moved("a<wbr>b c", "x y", "0-0 1-1"), "x<wbr> y");
  EXPECT_EQ(moved("one <b>two</b> three", "eins drei", "0-0 2-1"), "eins <b></b>drei");
  EXPECT_EQ(moved("one <b>two</b> three", "", ""), "<b></b>");
}

TEST(HtmlReaderTest, FixedElementsReplaceTheirTranslation) {
  EXPECT_EQ(with("Run <code class=x>ls &lt;a&gt;</code> now",
                 {translated("Jetzt ls <a> starten", "0-3 1-1 2-2 3-0")}),
            "Jetzt <code class=x>ls &lt;a&gt;</code> starten");
  EXPECT_EQ(with("Press <kbd>X</kbd>!", {translated("Drücken!", "0-0")}), "Drücken! <kbd>X</kbd>");
}

TEST(HtmlReaderTest, PlaceholdersOfFixedElementsAreNotRepeated) {
  EXPECT_THAT(texts_of("Run <code>ls %s</code> on %s"), ElementsAre("Run ls on %s"));
  EXPECT_EQ(with("Run <code>%d</code> on %s", {translated("Auf %s läuft %d", "")}),
            "Auf %s läuft <code>%d</code>");
  // The fault: beside punctuation it was not found, and came twice.
  EXPECT_EQ(with("Run <code>ls</code> now", {translated("Jetzt (ls).", "")}),
            "Jetzt (<code>ls</code>).");
  EXPECT_EQ(with("See <code>http://a.b/c</code>", {translated("Siehe http://a.b/c/d", "")}),
            "Siehe <code>http://a.b/c</code>http://a.b/c/d")
      << "another address";
  EXPECT_EQ(with("Run <code>it</code> on %s", {translated("%s", "1-0")}), "<code>it</code>%s")
      << "the placeholder is not what the element replaces";
}

TEST(HtmlReaderTest, TagsAroundTheWholeTextStayThere) {
  EXPECT_EQ(
      with("<p><a href=x><b>All of it</b></a>&nbsp;<img></p>", {translated("Alles\u00a0", "")}),
      "<p><a href=x><b>Alles</b></a>&nbsp;<img></p>");
}

TEST(HtmlReaderTest, TagsThatAreNoPairsPartTexts) {
  EXPECT_THAT(texts_of("a <b>b <i>c</b> d</i> e"), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(copied("a <b>b <i>c</b> d</i> e"), "a <b>b <i>c</b> d</i> e");
}

// Found by fuzzing: moved into the sentence it would have taken in what follows.
TEST(HtmlReaderTest, WhatHasNoEndStaysWhereItIs) {
  for (const char* rest : {"<code>x", "<code>x</i> <img alt=\"", "<!-- x", "<i title='", "</b"}) {
    const std::string html = std::string("one <b>two</b> three ") + rest;
    const std::string made = with(html, {translated("drei zwei eins", "0-2 1-1 2-0")});
    EXPECT_EQ(made, std::string("drei <b>zwei</b> eins ") + rest);
  }
}

TEST(HtmlReaderTest, InvalidUtf8IsAnError) {
  EXPECT_THAT(error_of([] { FormattedDocument("a\xff", DocumentFormat::html); }),
              HasFacts("HTML byte 1 UTF-8"));
}

class RandomHtml {
 public:
  explicit RandomHtml(uint64_t seed) : random_(seed) {}

  // Properly nested.
  std::string element(int depth) {
    std::string html;
    for (uint64_t n = random_.below(5); n > 0; --n) {
      const uint64_t which = random_.below(depth > 0 ? 9 : 4);
      const std::string id = " id=" + std::to_string(++ids_);
      if (which < 3) html += text();
      if (which == 3) html += "<img" + id + (random_.below(2) ? " alt='ein Bild'>" : ">");
      if (which == 4) html += "<p" + id + ">" + element(depth - 1) + "</p>";
      if (which == 5) html += "<b" + id + "> " + element(depth - 1) + "</b>";
      if (which == 6) html += "<i" + id + ">" + element(depth - 1) + "</i>";
      if (which == 7) html += "<code" + id + ">" + text() + "</code>";
      if (which == 8) html += "<!-- " + id + " -->" + element(depth - 1);
    }
    return html;
  }
  // Anything.
  std::string soup() {
    static const std::vector<std::string> parts = {"<b>",
                                                   "</b>",
                                                   "<i>",
                                                   "</i>",
                                                   "<p>",
                                                   "</p>",
                                                   "<li>",
                                                   "<code>",
                                                   "</code>",
                                                   "<a title='x y'>",
                                                   "</a>",
                                                   "<img>",
                                                   "<br/>",
                                                   "text ",
                                                   " word",
                                                   "&amp;",
                                                   "<script>",
                                                   "</script>",
                                                   "<!--",
                                                   "-->",
                                                   "<pre>",
                                                   "</pre>",
                                                   "<p translate=no>",
                                                   "<td>",
                                                   "\n",
                                                   "é",
                                                   "中文",
                                                   "<",
                                                   "</",
                                                   "<title>"};
    std::string html;
    for (uint64_t n = random_.below(24); n > 0; --n) html += parts[random_.below(parts.size())];
    return html;
  }
  std::string text() {
    static const std::vector<std::string> words = {"ein ",  " Haus", "x",    " ",     "\n",
                                                   ", ",    "&lt;",  "中文", "café ", "3",
                                                   "“zu” ", "שלום ", "مرحبا"};
    std::string all;
    for (uint64_t n = 1 + random_.below(4); n > 0; --n) all += words[random_.below(words.size())];
    return all;
  }
  // Other words, and links at random.
  TranslatedText translation() {
    TranslatedText made;
    const uint64_t words = random_.below(7);
    for (uint64_t i = 0; i < words; ++i)
      made.text += (i > 0 ? " " : "") + std::string(random_.below(4) ? "wort" : "<&>.");
    for (uint64_t i = 0; i < words; ++i)
      for (uint64_t n = random_.below(3); n > 0; --n)
        made.links.push_back({int64_t(random_.below(8)), int64_t(i)});
    return made;
  }

 private:
  Random random_;
  int ids_ = 0;
};

// How often each tag, with its attributes, is in a document.
std::map<std::string, int> tags_of(const std::string& html, bool* nested = nullptr) {
  std::map<std::string, int> tags;
  std::vector<std::string> open;
  HtmlTokenizer tokenizer(html);
  for (HtmlToken token; tokenizer.next(token);) {
    if (token.kind == HtmlToken::Kind::text || token.kind == HtmlToken::Kind::raw) continue;
    std::string tag = html.substr(token.begin, token.end - token.begin);
    if (token.name == "img") tag = tag.substr(0, tag.find(" alt"));
    ++tags[tag];
    if (token.kind == HtmlToken::Kind::start_tag && token.name != "img") open.push_back(token.name);
    if (token.kind != HtmlToken::Kind::end_tag) continue;
    if (nested && (open.empty() || open.back() != token.name)) *nested = false;
    if (!open.empty()) open.pop_back();
  }
  return tags;
}

TEST(HtmlReaderTest, ACopyHasTheSameBytes) {
  RandomHtml random(7);
  for (int i = 0; i < 3000; ++i) {
    const std::string html = i % 2 ? random.soup() : random.element(4);
    ASSERT_EQ(copied(html), html);
  }
}

// Translates generated documents: each tag is there once, nested as before.
void expect_all_tags(int documents) {
  RandomHtml random(3);
  int translated_texts = 0;
  for (int i = 0; i < documents; ++i) {
    const std::string html = random.element(5);
    const FormattedDocument document(html, kHtml);
    std::vector<TranslatedText> translations;
    for (size_t t = 0; t < document.texts().size(); ++t)
      translations.push_back(random.translation());
    translated_texts += int(translations.size());
    const std::string made = document.with(translations);
    bool nested = true;
    ASSERT_EQ(tags_of(made, &nested), tags_of(html)) << html << "\n" << made;
    ASSERT_TRUE(nested) << html << "\n" << made;
  }
  EXPECT_GT(translated_texts, documents);
}

TEST(HtmlReaderTest, EveryTagIsThereOnceAndNested) {
  expect_all_tags(3000);
}
TEST(HtmlReaderTest, EveryTagIsThereOnceAndNestedSoak) {
  expect_all_tags(100'000);
}

TEST(HtmlReaderTest, DeepAndWideDocumentsTakeLinearTime) {
  constexpr int kMany = 30'000;
  std::string deep, wide, unclosed;
  for (int i = 0; i < kMany; ++i) {
    deep += "<b>";
    wide += "wort <b>x</b> ";
    unclosed += "<code>x<li><b title=a";
  }
  deep += "tief";
  for (int i = 0; i < kMany; ++i) deep += "</b>";
  for (const std::string& html : {deep, wide, unclosed}) {
    const FormattedDocument document(html, DocumentFormat::html);
    std::vector<TranslatedText> translations;
    for (const MarkedText& text : document.texts()) translations.push_back({text.text + " y"});
    EXPECT_EQ(tags_of(document.with(translations)), tags_of(html));
  }
}

}  // namespace
}  // namespace heed
