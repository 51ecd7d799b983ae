#include "heed/text/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "heed/core/unicode.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using Texts = std::vector<std::string>;

std::string source_of(const SplitDocument& split) {
  std::string source;
  for (const TextSentence& sentence : split.sentences)
    source.append(sentence.before).append(sentence.text);
  return source.append(split.after);
}

Texts sentences_of(const SplitDocument& split) {
  Texts texts;
  for (const TextSentence& sentence : split.sentences) texts.emplace_back(sentence.text);
  return texts;
}

// Sentences that are separated by a bar in `marked`, which is split without the bars.
void expect_sentences(const std::string& marked) {
  Texts expected;
  std::string text;
  for (size_t begin = 0; begin <= marked.size();) {
    const size_t end = std::min(marked.find('|', begin), marked.size());
    text += marked.substr(begin, end - begin);
    std::string_view sentence = without_trailing_whitespace(
        without_leading_whitespace(std::string_view(marked).substr(begin, end - begin)));
    expected.emplace_back(sentence);
    begin = end + 1;
  }
  const SplitDocument split = split_document(text, TextUnit::sentences);
  EXPECT_EQ(sentences_of(split), expected);
  EXPECT_EQ(source_of(split), text);
}

TEST(Sentences, WhiteSpaceIsBetweenSentences) {
  const SplitDocument split = split_document(" \tOne.  Two.\r\n\r\n  Three\n", TextUnit::sentences);
  EXPECT_THAT(sentences_of(split), ElementsAre("One.", "Two.", "Three"));
  EXPECT_EQ(split.sentences[0].before, " \t");
  EXPECT_EQ(split.sentences[1].before, "  ");
  EXPECT_EQ(split.sentences[2].before, "\r\n\r\n  ");
  EXPECT_EQ(split.after, "\n");
}

TEST(Sentences, WhiteSpaceAloneIsNoSentence) {
  for (const char* text : {"", " ", "\n\n", "\r\n \u3000\u2028"}) {
    EXPECT_TRUE(split_document(text, TextUnit::sentences).sentences.empty());
    EXPECT_EQ(split_document(text, TextUnit::sentences).after, text);
    EXPECT_TRUE(split_document(text, TextUnit::lines).sentences.empty());
    EXPECT_EQ(split_document(text, TextUnit::lines).after, text);
  }
}

TEST(Sentences, LinesAreSplitAtEveryLineBreak) {
  const std::string text = " a. B\n\nc\rd\r\ne \u2028f\u2029g\u0085h\vi\f ";
  const SplitDocument split = split_document(text, TextUnit::lines);
  EXPECT_THAT(sentences_of(split), ElementsAre("a. B", "c", "d", "e", "f", "g", "h", "i"));
  EXPECT_EQ(source_of(split), text);
  EXPECT_EQ(split.sentences[1].before, "\n\n");
  EXPECT_EQ(sentences_of(split_document("a\rb\u2028c\u0085d", TextUnit::sentences)),
            (Texts{"a", "b", "c", "d"}));
}

TEST(Sentences, English) {
  expect_sentences("It rains. |We stay at home! |Why? |Because it rains.");
  expect_sentences("Mr. Smith met Dr. Jones at St. Mary's. |They left.");
  expect_sentences("Fruit, e.g. Apples, i.e. Pomes, vs. Nuts, etc. And so on.");
  expect_sentences("The U.S. Army and J. R. R. Tolkien, Ph.D. and J.-P. Sartre.");
  expect_sentences("See No. 5 and Fig. 3, pp. 4 and vol. 2. |No. |It is not.");
  expect_sentences("Pi is 3.14. |See www.a.b or www.example.com. |Then go.");
  expect_sentences("He paid $3.50. |Then he left. |It is version 1.2.3. |Good.");
  expect_sentences("He was 42. |She was in Paris in 1990. |5 people came.");
  expect_sentences(
      "\"Who is it?\" |John asked. |\"It is me.\" |(He smiled.) |Then \"Go!\" he said.");
  expect_sentences("“Is it you?” she asked. |‘Yes.’ |– Well…");
  expect_sentences("Wait... |What? |Well... I think so. |And... he left.");
  expect_sentences("1. First point. |2. Second point.");
  expect_sentences("Steps: 1. Open it. |2. Close it.");
  expect_sentences("II. Methods |\n (a) One. |IV. Results");
  expect_sentences("Stop it!!! |Really?! |Yes.");
  expect_sentences("It was shown.[12][3] |Later work confirmed it.");
  expect_sentences("World War II. |The end.");
  expect_sentences("Yahoo! is a company. iPhone users agree.");
  expect_sentences("Node.js and C++.Net and a.B?C!D are names.");
  expect_sentences("Great! |😀 Thanks! 😀");
}

TEST(Sentences, ALanguageCodeBelongsToItsSentence) {
  expect_sentences(">>up<< Red dog. |>>lo<< Green tree. it says");
  expect_sentences("Red dog! |>>zle_latn<< 「Green」 tree. >>lo<< green");
  expect_sentences("Version 2. >>x is none. >>y z<< neither");
}

TEST(Sentences, German) {
  expect_sentences("Am 3. Mai kam er. |Er blieb bis zum 5. Juni. |Danach ging er.");
  expect_sentences(
      "Im 19. Jahrhundert, z. B. In Berlin, d. h. Dort, bzw. Hier usw. Und so weiter.");
  expect_sentences("Der 2. Weltkrieg endete am 8. 5. 1945. |Es war Mai.");
  expect_sentences("Herr Dr. Müller wohnt in der Str. Nr. 5. |Er heißt „Max.“ |Na und?");
  expect_sentences("»Kommst du?« |»Ja.« |»Gut!«, sagte er. |„Schön“, sagte sie.");
  expect_sentences("Es kostet 5 Mio. Euro. |Das ist viel.");
}

TEST(Sentences, French) {
  expect_sentences("M. Dupont et Mme. Martin sont là. |Vraiment ? |Oui !");
  expect_sentences("Il a dit : « Bonjour. » |Puis il est parti.");
  expect_sentences("« Vraiment ? » demanda-t-il. |C'est p. ex. Paris. |L'art. 5 du code.");
  expect_sentences("Il vit à l'est. |État d'urgence.");
}

TEST(Sentences, Spanish) {
  expect_sentences("¡Hola! |¿Qué tal? |¡Muy bien! |El Sr. García vive en EE. UU. Desde ayer.");
  expect_sentences("Véase la pág. 5. |Él lo dijo.");
}

TEST(Sentences, Chinese) {
  expect_sentences("今天下雨。|我们在家！|为什么？|因为下雨。");
  expect_sentences("他说：“你好。|我走了。”|然后他走了。");
  expect_sentences("“好！”他说。|“真的吗？”她问道。|“真的！”|天黑了。");
  expect_sentences("他问：“你几岁了？”|我说：“十岁。”|他又问：“真的？”");
  expect_sentences("他来了；她走了；我们都看见了。|就这样。");
  expect_sentences("我……我不知道。|也许……");
  expect_sentences("他（真的吗？）走了。|（他走了。）|电影《你好，李焕英！》上映了。");
  expect_sentences("「什麼？！」|天黑了。|『好。』|再見。");
  expect_sentences("他来了。|“你好！”|“你好！”");

  expect_sentences("他说:\"你好。|我走了。\"|然后走了。|\"再见。\"");
  expect_sentences("圆周率是3.14。|版本2.0很好。|约翰·史密斯（J. Smith）和琼斯J. Jones来了。");
  expect_sentences("　　第一段。|\n　　第二段！");
  expect_sentences("中文。 |English follows. |然后是中文。");
}

TEST(Sentences, Japanese) {
  expect_sentences("今日は雨です。|家にいます。|なぜ？|雨だからです！");
  expect_sentences("「はい。」と彼は言った。|「すごい！」って。|「いいえ。」|彼女は笑った。");
  expect_sentences("えっ……そうですか。|であり，次のとおり．|値は３．１４です．");
}

TEST(Sentences, Russian) {
  expect_sentences("Идёт дождь. |Мы дома! |Почему?");
  expect_sentences("В 1990 г. А. С. Пушкин и т. д. Жил на ул. Ленина. |Потом уехал.");
  expect_sentences("«Привет!» – сказал он. |– Куда ты? |– Домой.");
}

TEST(Sentences, ArabicAndUrdu) {
  expect_sentences("مرحبا. |كيف حالك؟ |أنا بخير! |قال د. محمد نعم.");
  expect_sentences("یہ کتاب ہے۔ |وہ گھر ہے۔");
}

TEST(Sentences, IndianScripts) {
  expect_sentences("यह किताब है। |वह घर है।|क्या? |डॉ. शर्मा आए।");
  expect_sentences("আমি ভাত খাই। |তুমি? |সে যায়॥");
  expect_sentences("நான் வந்தேன். |நீ போ!");
}

TEST(Sentences, OtherScripts) {
  expect_sentences("Բարեւ։ |Ինչպես ես։");                        // Armenian
  expect_sentences("ሰላም ነው። |እንዴት ነህ፧ |ደህና።");                   // Ethiopic
  expect_sentences("ខ្ញុំទៅផ្ទះ។ |គាត់មក។");                          // Khmer
  expect_sentences("ကျွန်တော်သွားတယ်။ |သူလာတယ်။");                      // Myanmar
  expect_sentences("ผมไปบ้าน เขามา ดร. สมชาย พ.ศ. 2550 ครับ");     // Thai
  expect_sentences("Τι κάνεις; |Καλά. |Είναι, π.χ. Εδώ; ναι.");  // Greek
  expect_sentences("გამარჯობა. |როგორ ხარ?");                    // Georgian
  expect_sentences("안녕하세요. |잘 지내요? |네!");              // Hangul
  expect_sentences("שלום. |מה שלומך? |טוב!");                    // Hebrew
}

TEST(Sentences, BytesThatAreNotUtf8AreKept) {
  const std::string text = "\xff\xfe. A\x80! B\xe4\xbd\n\xc2\x85\xc2";
  const SplitDocument split = split_document(text, TextUnit::sentences);
  EXPECT_EQ(source_of(split), text);
  EXPECT_EQ(split.sentences.size(), 4u);
}

// Texts of pieces that decide where sentences end; without '"', whose count in the line matters.
std::string random_text(uint32_t& state) {
  static const Texts kPieces = {"a",    "B",      "Mr",       "z",    "no", "7",  "12", "I",  "V",
                                "am",   "der",    "mai",      ".",    ".",  ".",  "!",  "?",  "…",
                                "。",   "！",     "……",       "”",    "“",  "»",  "«",  "'",  "(",
                                ")",    "[1]",    "「",       "」",   "他", "说", "と", "は", "।",
                                "؟",    "د",      " ",        " ",    " ",  " ",  "  ", "\n", "\t",
                                "\r\n", "\u3000", "\u00A0",   "-",    "–",  ":",  ";",  "α",  ",",
                                "，",   "\xff",   "\xe4\xbd", "\x80", "😀",  "．", "1.", "ไ",  "ა"};
  std::string text;
  state = state * 1664525 + 1013904223;
  for (uint32_t left = state >> 27; left > 0; --left) {
    state = state * 1664525 + 1013904223;
    text += kPieces[(state >> 12) % kPieces.size()];
  }
  return text;
}

TEST(Sentences, OfRandomTextAreTheTextAndOneSentenceEach) {
  uint32_t state = 7;
  for (int trial = 0; trial < 100'000; ++trial) {
    const std::string text = random_text(state);
    for (const TextUnit unit : {TextUnit::lines, TextUnit::sentences}) {
      const SplitDocument split = split_document(text, unit);
      ASSERT_EQ(source_of(split), text);
      for (const TextSentence& sentence : split.sentences) {
        ASSERT_FALSE(sentence.text.empty());
        ASSERT_EQ(without_leading_whitespace(sentence.text), sentence.text);
        ASSERT_EQ(without_trailing_whitespace(sentence.text), sentence.text);
        ASSERT_EQ(without_leading_whitespace(sentence.before), "");
        ASSERT_EQ(split_document(sentence.text, unit).sentences.size(), 1u) << text << "\n"
                                                                            << sentence.text;
      }
    }
  }
}

// Seconds for a text of this many bytes.
double seconds_for(const std::string& unit, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += unit;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(source_of(split_document(text, TextUnit::sentences)).size(), text.size());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(Sentences, CostIsLinear) {
  // Quadratic cost would take minutes for most of these.
  for (const char* unit : {"One sentence, and more words. ",
                           "今天天气很好。",
                           ". ",
                           ".",
                           "。",
                           "(",
                           ".(",
                           "。”",
                           "? -",
                           "\"",
                           "1. ",
                           "- ",
                           "1. - ",
                           "a",
                           "……",
                           "\n",
                           "  ",
                           "[1",
                           ".[1",
                           "。\"",
                           "α;",
                           "\xff",
                           "\x80",
                           "！）",
                           "A. ",
                           "！”他",
                           "“",
                           "...  ",
                           "am 3. Mai "})
    EXPECT_LT(seconds_for(unit, 1 << 18), 20) << unit;
}

TEST(Sentences, SlowTimeOfTenMegabytesIsReported) {
  RecordProperty("seconds_for_10_MB_of_English",
                 std::to_string(seconds_for("One sentence, and more words. ", 10'000'000)));
  RecordProperty("seconds_for_10_MB_of_Chinese",
                 std::to_string(seconds_for("今天天气很好，我们走吧。", 10'000'000)));
}

std::string join(const std::vector<std::pair<std::string, std::string>>& sentences,
                 std::string_view after = {}) {
  std::vector<TextSentence> translations;
  translations.reserve(sentences.size());
  for (const auto& [before, text] : sentences) translations.push_back({before, text});
  return join_sentences(translations, after);
}

TEST(JoinSentences, TheLanguageDecidesWhereNothingOrASpaceWas) {
  EXPECT_EQ(join({{"", "One."}, {"", "Two."}, {" ", "Three."}}), "One. Two. Three.");
  EXPECT_EQ(join({{"", "你好。"}, {" ", "再见。"}, {"", "好。"}}), "你好。再见。好。");
  EXPECT_EQ(join({{"", "“你好。”"}, {" ", "“再见。”"}}), "“你好。”“再见。”");
  EXPECT_EQ(join({{"", "“Hello.”"}, {"", "“Bye.”"}}), "“Hello.” “Bye.”");
  EXPECT_EQ(join({{"", "One."}, {" ", ""}, {" ", "Two."}}), "One. Two.");
  EXPECT_EQ(join({{"", "One."}, {"\u3000", "Two."}, {"\u00A0", "好。"}}), "One. Two.好。");
  EXPECT_EQ(join({{"", "One."}, {"\t", "Two."}, {"\u3000\u3000", "好。"}}),
            "One.\tTwo.\u3000\u3000好。");
}

TEST(JoinSentences, OtherWhiteSpaceIsKept) {
  EXPECT_EQ(join({{" ", "One."}, {"  ", "Two."}, {"\n\n\t", "你好。"}, {"\r\n", "好。"}}, " \n"),
            " One.  Two.\n\n\t你好。\r\n好。 \n");
  EXPECT_EQ(join({{"", "One."}, {"\n", ""}, {" ", "Two."}}), "One.\nTwo.");
  EXPECT_EQ(join({}, " \n"), " \n");
}

TEST(JoinSentences, ATextThatIsItsOwnTranslationIsKept) {
  const std::string text = " It rains.  We stay.\n\n  Why? Because.\t";
  const SplitDocument split = split_document(text, TextUnit::sentences);
  EXPECT_EQ(join_sentences(split.sentences, split.after), text);
}

}  // namespace
}  // namespace heed
