// What of XML and XLIFF is translated, and what both refuse.
#include "documents/documents.h"
#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr DocumentFormat kXml = DocumentFormat::xml, kXliff = DocumentFormat::xliff;

TEST(XmlReaderTest, ElementsInsideTextAreInline) {
  EXPECT_THAT(
      texts_of("<?xml version='1.0'?><!-- x --><d><t>One <b>big</b>\n  word</t>"
               "<t><b>Two</b></t><l>\n<i>Three</i>\n<i>Four &amp; <!-- c -->five</i></l></d>",
               kXml),
      ElementsAre("One big word", "Two", "Three", "Four & five"));
  EXPECT_THAT(
      texts_of("<para>Text <list>\n <item>a</item>\n <item>b</item>\n</list> more</para>", kXml),
      ElementsAre("Text", "a", "b", "more"));
  EXPECT_EQ(with("<d><t> the <b x='&lt;'>red</b> car </t></d>", kXml,
                 {translated("la voiture rouge", "0-0 2-1 1-2")}),
            "<d><t> la voiture <b x='&lt;'>rouge</b> </t></d>");
  EXPECT_EQ(with("<d>a</d>", kXml, {translated("x < y & z ]]>\x01\x0b")}),
            "<d>x &lt; y &amp; z ]]&gt;</d>");
}

TEST(XmlReaderTest, CodeAndWhatAsksForItIsKept) {
  EXPECT_THAT(texts_of("<d><p translate='no'>a</p><s translatable=\"false\">b</s><q xmlns:its='u' "
                       "its:translate='no'>c</q><programlisting>d</programlisting><p>12 %</p>"
                       "<p>Run <command>ls</command> now</p></d>",
                       kXml),
              ElementsAre("Run ls now"));
  EXPECT_EQ(with("<p>Run <command>ls</command> now</p>", kXml,
                 {translated("Jetzt ls starten", "0-2 1-1 2-0")}),
            "<p>Jetzt <command>ls</command> starten</p>");
}

TEST(XmlReaderTest, EntitiesAndSectionsOfCdata) {
  const std::string head = "<!DOCTYPE d [<!ENTITY name \"heed\">]>";
  EXPECT_THAT(texts_of(head + "<d>Use &name; now</d>", kXml), ElementsAre("Use name now"));
  EXPECT_EQ(reversed(head + "<d>Use &name; now</d>", kXml), head + "<d>now &name; Use</d>");
  EXPECT_THAT(texts_of("<d><![CDATA[a < b]]> c</d>", kXml), ElementsAre("a < b c"));
  EXPECT_EQ(with("<d><![CDATA[a < b]]></d>", kXml, {translated("c < d")}), "<d>c &lt; d</d>");
  // HTML as the value of an element
  EXPECT_THAT(texts_of("<d>&lt;p&gt;One &lt;b&gt;two&lt;/b&gt;&lt;p&gt;three</d>", kXml),
              ElementsAre("One two", "three"));
  EXPECT_EQ(reversed("<d><![CDATA[<p>One <b>two</b>]]></d>", kXml),
            "<d>&lt;p&gt;&lt;b&gt;two&lt;/b&gt; One</d>");
}

TEST(XmlReaderTest, ACopyHasTheSameBytes) {
  for (const DocumentFormat format : {kXml}) {
    for (const std::string xml :
         {"<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<a>\r\n <b  c = 'd' >e &#x65; <f/>g</b "
          ">\r\n</a>\n<!-- h -->\n",
          "\xEF\xBB\xBF<a>b<![CDATA[c]]>d</a>", "<a><b><c>d</c></b>e<?f g?></a>"})
      EXPECT_EQ(copied(xml, format), xml);
  }
}

TEST(XmlReaderTest, WhatIsNotWellFormedIsAnError) {
  const auto error = [](const std::string& xml, DocumentFormat format = kXml) {
    return error_of([&] { FormattedDocument(xml, format, "a.xml"); });
  };
  EXPECT_THAT(error("<a>\n<b></a>"), HasFacts("a.xml: line 2, column 6 mismatched tag"));
  EXPECT_THAT(error("<a>&nbsp;</a>"), HasFacts("line 1 undefined entity"));
  EXPECT_THAT(error(""), HasFacts("line 1 no element found"));
  EXPECT_THAT(error("<?xml version='1.0' encoding='iso-8859-1'?><a/>"),
              HasFacts("iso-8859-1 UTF-8"));
  EXPECT_THAT(error("<a/>", kXliff), HasFacts("<a> <xliff>"));
}

TEST(XmlReaderTest, BombsAndDepthTakeLittle) {
  std::string bomb = "<!DOCTYPE d [<!ENTITY e0 \"heed heed heed\">";
  for (int i = 1; i < 40; ++i)
    bomb += fmt::format("<!ENTITY e{} \"&e{};&e{};&e{};\">", i, i - 1, i - 1, i - 1);
  EXPECT_THAT(texts_of(bomb + "]><d>a &e39; b</d>", kXml), ElementsAre("a e39 b"));
  EXPECT_THAT(error_of([&] { FormattedDocument(bomb + "]><d e='&e39;'/>", kXml); }),
              HasFacts("amplification"));
  EXPECT_THAT(texts_of("<!DOCTYPE d [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><d>&f;</d>", kXml),
              IsEmpty());
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<b>a";
  for (int i = 0; i < 100'000; ++i) deep += "</b>";
  EXPECT_EQ(copied(deep, kXml), deep);
}

std::string xliff(const std::string& units) {
  return "<xliff version=\"1.2\"><file><body>" + units + "</body></file></xliff>";
}

TEST(XliffReaderTest, TargetsThatNobodyTranslatedAreFilled) {
  EXPECT_EQ(with(xliff("<trans-unit id='1'>\n  <source>One</source>\n</trans-unit>"
                       "<trans-unit id='2'><source>Two</source><target/></trans-unit>"
                       "<trans-unit id='3'><source>Three</source><target>Drei</target></trans-unit>"
                       "<trans-unit id='4'><source>Four</source><target state='new' x='y'>Four"
                       "</target></trans-unit>"
                       "<trans-unit id='5' translate='no'><source>Five</source></trans-unit>"),
                 kXliff, {translated("Eins"), translated("Zwei"), translated("Vier")}),
            xliff("<trans-unit id='1'>\n  <source>One</source>\n  <target>Eins</target>\n"
                  "</trans-unit>"
                  "<trans-unit id='2'><source>Two</source><target>Zwei</target></trans-unit>"
                  "<trans-unit id='3'><source>Three</source><target>Drei</target></trans-unit>"
                  "<trans-unit id='4'><source>Four</source><target "
                  "state='needs-review-translation' x='y'>Vier</target></trans-unit>"
                  "<trans-unit id='5' translate='no'><source>Five</source></trans-unit>"));
  const std::string done = xliff(
      "<trans-unit approved='yes'><source>a</source><target "
      "state='new'>b</target></trans-unit><alt-trans><source>c</source>"
      "<target/></alt-trans>");
  EXPECT_THAT(texts_of(done, kXliff), IsEmpty());
  EXPECT_EQ(copied(done, kXliff), done);
}

TEST(XliffReaderTest, ADoubtfulTranslationNeedsReview) {
  const TranslatedText doubtful{.text = "eins", .doubtful = true};
  const auto unit = [](const std::string& target) {
    return xliff("<trans-unit id='1'><source>One</source>" + target + "</trans-unit>");
  };
  constexpr const char* kMarked = "<target state=\"needs-review-translation\">eins</target>";
  EXPECT_EQ(with(unit(""), kXliff, {doubtful}), unit(kMarked));
  EXPECT_EQ(with(unit("<target/>"), kXliff, {doubtful}), unit(kMarked));
  EXPECT_EQ(with(unit("<target></target>"), kXliff, {doubtful}), unit(kMarked));
  EXPECT_EQ(with(unit("<target xml:lang='de' />"), kXliff, {doubtful}),
            unit("<target state=\"needs-review-translation\" xml:lang='de' >eins</target>"));
  EXPECT_EQ(with(unit("<target state='new'/>"), kXliff, {doubtful}),
            unit("<target state='needs-review-translation'>eins</target>"));
  EXPECT_EQ(with(unit("<target state='x'/>"), kXliff, {doubtful}),
            unit("<target state='x'>eins</target>"));
}

TEST(XliffReaderTest, InlineElementsArePlaced) {
  const auto unit = [](const std::string& source, const std::string& target) {
    return xliff("<trans-unit><source>" + source + "</source>" + target + "</trans-unit>");
  };
  const auto target_of = [&](const std::string& source) {
    const std::string made = reversed(unit(source, ""), kXliff);
    const size_t begin = made.find("<target>"), end = made.find("</target>");
    EXPECT_EQ(made, unit(source, made.substr(begin, end + 9 - begin)));
    return made.substr(begin + 8, end - begin - 8);
  };
  EXPECT_EQ(target_of("a <g id='1'>b c</g> d"), "d <g id='1'>c b</g> a");
  EXPECT_EQ(target_of("a <bpt id='1'>&lt;b></bpt>b<ept id='1'>&lt;/b></ept> c"),
            "c <bpt id='1'>&lt;b></bpt>b<ept id='1'>&lt;/b></ept> a");
  EXPECT_EQ(target_of("a <ph id='1'>%s</ph> b"), "b a <ph id='1'>%s</ph>");
  EXPECT_EQ(target_of("a <mrk mtype='protected'>X</mrk> b"), "b <mrk mtype='protected'>X</mrk> a");
  EXPECT_EQ(target_of("a <bx id='1'/> b"), "b a <bx id='1'/>") << "without an end";
  EXPECT_EQ(target_of("One &lt;b&gt;two&lt;/b&gt;\nThree four"),
            "&lt;b&gt;two&lt;/b&gt; One\nfour Three");
}

TEST(XliffReaderTest, Version2HasSegments) {
  const auto file = [](const std::string& units) {
    return "<x:xliff xmlns:x='urn' version='2.0'><x:file>" + units + "</x:file></x:xliff>";
  };
  EXPECT_EQ(with(file("<x:unit><x:segment state='initial'><x:source>One <x:pc id='1'>two</x:pc>"
                      "</x:source><x:target>One</x:target></x:segment><x:segment><x:source>Three"
                      "</x:source></x:segment><x:ignorable><x:source>z</x:source></x:ignorable>"
                      "</x:unit><x:unit translate='no'><x:segment><x:source>a</x:source>"
                      "</x:segment></x:unit>"),
                 kXliff, {translated("Zwei eins", "0-1 1-0"), translated("Drei")}),
            file("<x:unit><x:segment state='translated'><x:source>One <x:pc id='1'>two</x:pc>"
                 "</x:source><x:target><x:pc id='1'>Zwei</x:pc> eins</x:target></x:segment>"
                 "<x:segment><x:source>Three</x:source><x:target>Drei</x:target></x:segment>"
                 "<x:ignorable><x:source>z</x:source></x:ignorable></x:unit><x:unit "
                 "translate='no'><x:segment><x:source>a</x:source></x:segment></x:unit>"));
}

}  // namespace
}  // namespace heed
