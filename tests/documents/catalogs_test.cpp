// Messages of programs (PO, JSON) and subtitles (SRT).
#include "documents/documents.h"
#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr DocumentFormat kPo = DocumentFormat::po, kJson = DocumentFormat::json,
                         kSrt = DocumentFormat::srt;

TEST(PoReaderTest, EmptyTranslationsAreFilled) {
  const std::string header =
      "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n";
  EXPECT_EQ(with(header + "# c\n#, fuzzy\nmsgid \"Done\"\nmsgstr \"Fertig\"\n\n"
                          "msgctxt \"x\"\nmsgid \"One \\\"two\\\"\"\nmsgstr \"\"\n\n"
                          "msgid \"\"\n\"First line\\n\"\n\" second\\n\"\nmsgstr \"\"\n\n"
                          "#~ msgid \"old\"\n#~ msgstr \"\"\n"
                          "msgid \"a file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\n"
                          "msgstr[1] \"\"\nmsgid \"%s\"\nmsgstr \"\"\n",
                 kPo,
                 {translated("Eins \"zwei\""), translated("Erste Zeile"), translated("zweite"),
                  translated("eine Datei"), translated("%d Dateien")}),
            header +
                "# c\n#, fuzzy\nmsgid \"Done\"\nmsgstr \"Fertig\"\n\n"
                "msgctxt \"x\"\nmsgid \"One \\\"two\\\"\"\nmsgstr \"Eins \\\"zwei\\\"\"\n\n"
                "msgid \"\"\n\"First line\\n\"\n\" second\\n\"\nmsgstr \"\"\n"
                "\"Erste Zeile\\n\"\n\" zweite\\n\"\n\n"
                "#~ msgid \"old\"\n#~ msgstr \"\"\n"
                "msgid \"a file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"eine Datei\"\n"
                "msgstr[1] \"%d Dateien\"\nmsgid \"%s\"\nmsgstr \"%s\"\n");
}

TEST(PoReaderTest, EscapesAreWrittenBack) {
  const std::string id = "\"\\ttab \\\\ \\x41\\102 \\a\"";
  EXPECT_THAT(texts_of("msgid " + id + "\nmsgstr \"\"\n", kPo), ElementsAre("tab \\ AB \a"));
  EXPECT_EQ(copied("msgid " + id + "\nmsgstr \"\"", kPo),
            "msgid " + id + "\nmsgstr \"\\ttab \\\\ AB \\a\"");
}

TEST(PoReaderTest, TagsAndColumnsOfMessages) {
  const auto made = [](const std::string& message) {
    const std::string all = reversed("msgid \"" + message + "\"\nmsgstr \"\"\n", kPo);
    const std::string begin = "msgid \"" + message + "\"\nmsgstr \"";
    EXPECT_EQ(all.substr(0, begin.size()), begin);
    return all.substr(begin.size(), all.size() - begin.size() - 2);
  };
  EXPECT_EQ(made("Press <b>OK</b> now"), "now <b>OK</b> Press");
  EXPECT_EQ(made("<0>Log in</0> here"), "here <0>in Log</0>");
  EXPECT_EQ(made("Usage: %s <file> now"), "now <file> %s Usage:");
  EXPECT_EQ(made("a &lt; b & <i>c</i>"), "<i>c</i> &amp; b &lt; a");
  EXPECT_EQ(made("Save & exit"), "exit & Save");
  EXPECT_EQ(made("print <n> & exit"), "exit & <n> print");
  EXPECT_EQ(made("send <address> now"), "now <address> send") << "a block of HTML elsewhere";
  EXPECT_EQ(made("  -f, --force   do it"), "  -f, --force   it do");
  EXPECT_EQ(made("Use <code>a b</code> here"), "here <code>a b</code> Use");
  EXPECT_EQ(made("one</b> two"), "two one</b>");
}

TEST(PoReaderTest, NamesInAngleBracketsAreThoseOfTheMessage) {
  EXPECT_EQ(with("msgid \"open <file>\"\nmsgstr \"\"\n", kPo,
                 {translated("<Datei> öffnen <x>", "1-0 0-1")}),
            "msgid \"open <file>\"\nmsgstr \"<file> öffnen x\"\n");
}

TEST(PoReaderTest, AMessageWithoutPlaceholdersGetsNone) {
  EXPECT_EQ(with("msgid \"one\"\nmsgstr \"\"\n", kPo, {translated("eins [%s] {x}")}),
            "msgid \"one\"\nmsgstr \"eins [ ]  \"\n");
  EXPECT_EQ(with("msgid \"%d of it\"\nmsgstr \"\"\n", kPo, {translated("davon %d")}),
            "msgid \"%d of it\"\nmsgstr \"davon %d\"\n");
}

TEST(PoReaderTest, ADoubtfulTranslationIsFuzzy) {
  const TranslatedText doubtful{.text = "zwei", .doubtful = true};
  const std::string po =
      "#: a.c:1\n#, c-format\nmsgctxt \"x\"\nmsgid \"one\"\nmsgstr \"\"\n\n"
      "#: a.c:2\n  msgid \"two\"\n  msgid_plural \"twos\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n";
  EXPECT_EQ(with(po, kPo, {doubtful, translated("eins"), translated("drei")}),
            "#: a.c:1\n#, c-format\n#, fuzzy\nmsgctxt \"x\"\nmsgid \"one\"\nmsgstr \"zwei\"\n\n"
            "#: a.c:2\n  msgid \"two\"\n  msgid_plural \"twos\"\nmsgstr[0] \"eins\"\n"
            "msgstr[1] \"drei\"\n");
  EXPECT_EQ(with(po, kPo, {translated("eins"), translated("drei"), doubtful}),
            "#: a.c:1\n#, c-format\nmsgctxt \"x\"\nmsgid \"one\"\nmsgstr \"eins\"\n\n"
            "#: a.c:2\n#, fuzzy\n  msgid \"two\"\n  msgid_plural \"twos\"\nmsgstr[0] \"drei\"\n"
            "msgstr[1] \"zwei\"\n");
  // The flags come before the previous msgid, and once.
  const std::string changed = "#| msgid \"tow\"\n#| \"\"\nmsgid \"two\"\nmsgstr \"";
  EXPECT_EQ(with("#. x\n" + changed + "\"\n", kPo, {doubtful}),
            "#. x\n#, fuzzy\n" + changed + "zwei\"\n");
  EXPECT_EQ(with("#, c-format, fuzzy\n" + changed + "\"\n", kPo, {doubtful}),
            "#, c-format, fuzzy\n" + changed + "zwei\"\n");
  EXPECT_EQ(with("msgid \"two\"\r\nmsgstr \"\"\r\n", kPo, {doubtful}),
            "#, fuzzy\r\nmsgid \"two\"\r\nmsgstr \"zwei\"\r\n");
}

TEST(PoReaderTest, WhatIsNotACatalogIsAnError) {
  const auto error = [](const std::string& po) {
    return error_of([&] { FormattedDocument(po, kPo, "de.po"); });
  };
  EXPECT_THAT(error("msgid \"a\"\n\n\"b"), HasFacts("de.po: line 3: quote"));
  EXPECT_THAT(error("msgstr \"a\"\n"), HasFacts("line 1 msgstr msgid"));
  EXPECT_THAT(error("msgid \"a\"\nmsgid \"b\"\n"), HasFacts("line 2 second msgid"));
  EXPECT_THAT(error("msgid \"a\"\n"), HasFacts("line 1 without msgstr"));
  EXPECT_THAT(error("\"a\"\n"), HasFacts("line 1 no keyword"));
  EXPECT_THAT(error("msgid \"a\" x\nmsgstr \"\"\n"), HasFacts("line 1 behind the string"));
  EXPECT_THAT(error("msgid \"\\q\"\nmsgstr \"\"\n"), HasFacts("line 1 escape \\q"));
  EXPECT_THAT(error("msgid \"\\377\"\nmsgstr \"\"\n"), HasFacts("line 1 byte 255 ASCII"));
  EXPECT_THAT(error("msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[1] \"\"\n"),
              HasFacts("line 3 msgstr[0]"));
  EXPECT_THAT(error("hello\n"), HasFacts("line 1 hello msgid"));
  EXPECT_THAT(error("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n"),
              HasFacts("iso-8859-1 UTF-8 msgconv"));
}

TEST(JsonReaderTest, ValuesAreTranslatedAndKeysAreNot) {
  EXPECT_EQ(with(R"({ "save": "Save \"it\"", "n": 12, "@save": {"note": "x"},
 "list": ["One", null, {"deep": "T\u0077o\nlines"}], "@@locale": "en", "none": "%1$s" })",
                 kJson,
                 {translated("Sichern"), translated("„Eins“ \\"), translated("Zwei"),
                  translated("Zeilen")}),
            R"({ "save": "Sichern", "n": 12, "@save": {"note": "x"},
 "list": ["„Eins“ \\", null, {"deep": "Zwei\nZeilen"}], "@@locale": "en", "none": "%1$s" })");
  EXPECT_EQ(copied("\"T\\u0077o\"", kJson), "\"T\\u0077o\"");
  EXPECT_THAT(texts_of("{\"<b>\": \"Press <b>OK</b><p>Next\"}", kJson),
              ElementsAre("Press OK", "Next"));
  EXPECT_THAT(error_of([] { FormattedDocument("{\"a\":\n1,}", kJson, "a.json"); }),
              HasFacts("a.json: line 2"));
  EXPECT_THAT(error_of([] { FormattedDocument("\"\\ud800\"", kJson, "a.json"); }),
              HasFacts("a.json: surrogate"));
  EXPECT_THAT(error_of([] { FormattedDocument(std::string("1\0\"x", 4), kJson, "a.json"); }),
              HasFacts("a.json: byte 1 NUL"));
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(copied(deep, kJson), deep);
}

TEST(SrtReaderTest, SubtitlesKeepTheirLines) {
  const std::string head = "1\n00:00:01,000 --> 00:00:02,500\n";
  EXPECT_EQ(
      with(head + "Where are you\ngoing to?\n\n2\n00:00:03,000 --> 00:00:04,000\n- Home.\n- "
                  "<i>When?</i>\n",
           kSrt,
           {translated("Wohin wollen Sie denn gehen?"), translated("Heim."), translated("Wann?")}),
      head +
          "Wohin wollen\nSie denn gehen?\n\n2\n00:00:03,000 --> 00:00:04,000\n- Heim.\n- "
          "<i>Wann?</i>\n");
  EXPECT_EQ(
      with(head + "{\\an8}I <b>will\nnot</b> go.", kSrt, {translated("我不去了。", "0-0 2-1 1-1")}),
      head + "{\\an8}我<b>不</b>\n去了。");
  EXPECT_EQ(with("\xEF\xBB\xBF"
                 "1\r\n00:00:01,000 --> 00:00:02,000\r\na b\r\nc d\r\n",
                 kSrt, {translated("w x y z")}),
            "\xEF\xBB\xBF"
            "1\r\n00:00:01,000 --> 00:00:02,000\r\nw x\r\ny z\r\n");
}

TEST(CatalogsTest, ManyTagsTakeLinearTime) {
  std::string tags, styles;
  for (int i = 0; i < 100'000; ++i) tags += "<a>x", styles += "{\\x}<i>y";
  for (const std::string& line : {tags, styles}) {
    const std::string srt = "1\n00:00:01,000 --> 00:00:02,000\n" + line + "\n";
    EXPECT_EQ(copied(srt, kSrt), srt);
  }
  const std::string po = "msgid \"" + tags + "\"\nmsgstr ";
  EXPECT_EQ(copied(po + "\"\"\n", kPo), po + "\"" + tags + "\"\n");
}

TEST(SrtReaderTest, ManyLinesTakeLinearTime) {
  std::string lines, words;
  for (int i = 0; i < 100'000; ++i) lines += "a\n", words += i > 0 ? " b" : "b";
  const std::string head = "1\n00:00:01,000 --> 00:00:02,000\n";
  const std::string made = with(head + lines, kSrt, {translated(words)});
  EXPECT_EQ(std::ranges::count(made, '\n'), 100'002);
  EXPECT_EQ(std::ranges::count(made, 'b'), 100'000);
}

TEST(SrtReaderTest, OddFiles) {
  const std::string odd =
      "\n\n00:00:01.000 --> 00:00:02.000 align:start\n12\n\nstill said\n\n\n3\n"
      "00:00:03,000 --> 00:00:04,000\n\n4\n1:00:05,000 --> 1:00:06,000\n--\n—";
  EXPECT_EQ(copied(odd, kSrt), odd);
  EXPECT_THAT(texts_of(odd, kSrt), ElementsAre("still said"));
  EXPECT_THAT(texts_of("", kSrt), IsEmpty());
  EXPECT_THAT(error_of([] { FormattedDocument("\nHello\n", kSrt, "a.srt"); }),
              HasFacts("a.srt: line 2 00:00:01,000"));
}

}  // namespace
}  // namespace heed
