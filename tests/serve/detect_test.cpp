#include "heed/serve/detect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "heed/core/utf8.h"

namespace heed {
namespace {

using Codes = std::vector<std::string>;

std::vector<DetectedLanguage> detect_language(std::string_view text, const Codes& among) {
  return LanguageDetector(among).detect(text);
}

DetectedLanguage best(std::string_view text, const Codes& among) {
  return detect_language(text, among).at(0);
}

TEST(DetectLanguage, SentencesInManyLanguages) {
  const Codes among = {"ar", "de", "en", "es", "fr", "he", "hi", "it", "ja",
                       "ko", "nl", "pl", "pt", "ru", "tr", "uk", "zh"};
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"ar", "ذهب الطلاب إلى المدرسة لتعلم القراءة والكتابة."},
      {"de", "Der Hund schläft auf dem Sofa, weil er müde ist."},
      {"en", "The quick brown fox jumps over the lazy dog."},
      {"es", "Los niños juegan en el parque todas las tardes."},
      {"fr", "Les enfants jouent dans le jardin tous les après-midi."},
      {"he", "הילדים משחקים בגינה כל אחר הצהריים."},
      {"hi", "बच्चे हर दोपहर बगीचे में खेलते हैं।"},
      {"it", "I bambini giocano nel giardino tutti i pomeriggi."},
      {"ja", "子供たちは毎日公園で遊んでいます。"},
      {"ko", "아이들은 매일 오후 공원에서 논다."},
      {"nl", "De kinderen spelen elke middag in de tuin."},
      {"pl", "Dzieci bawią się w ogrodzie każdego popołudnia."},
      {"pt", "As crianças brincam no jardim todas as tardes."},
      {"ru", "Дети играют в саду каждый день."},
      {"tr", "Çocuklar her öğleden sonra bahçede oynuyor."},
      {"uk", "Діти граються в саду щодня після обіду."},
      {"zh", "孩子们每天下午在公园里玩。"}};
  for (const auto& [code, text] : texts) {
    EXPECT_EQ(best(text, among).code, code) << text;
    EXPECT_GT(best(text, among).confidence, 70) << text;
    EXPECT_LE(best(text, among).confidence, 100) << text;
  }
}

TEST(DetectLanguage, ScriptsDecideForAWordOrACharacter) {
  for (const Codes& among : {Codes{"zh", "en"}, Codes{"en", "zh"}, Codes{"en", "ru", "zh", "he"}}) {
    for (const char* text : {"你", "好！", "東京", "1 个"}) EXPECT_EQ(best(text, among).code, "zh");
    for (const char* text : {"a", "Hi", "ja", "OK?", "42 cats"})
      EXPECT_EQ(best(text, among).code, "en") << text;
  }
  EXPECT_EQ(best("שלום", {"en", "ru", "he"}).code, "he");
  EXPECT_EQ(best("это", {"en", "he", "ru"}).code, "ru");
  EXPECT_EQ(best("ひ", {"zh", "ja", "en"}).code, "ja");
}

TEST(DetectLanguage, AmongLanguagesOfOneScriptTheNearestWins) {
  EXPECT_EQ(best("Hi", {"zh", "nb", "de"}).code, "de");
  EXPECT_LT(best("Hi", {"zh", "nb", "de"}).confidence, 50);
}

TEST(DetectLanguage, AnotherLanguageIsNamed) {
  const auto expect_other = [](std::string_view text, const Codes& among, const char* code) {
    const DetectedLanguage detected = best(text, among);
    EXPECT_FALSE(detected.is_among) << text;
    EXPECT_EQ(detected.code, code) << text;
  };
  expect_other("Діти граються в саду щодня після обіду.", {"en", "ru"}, "uk");
  expect_other("孩子们每天下午在公园里玩。", {"en", "de"}, "zh");
  expect_other("Les enfants jouent dans le jardin.", {"zh", "en"}, "fr");
  expect_other("Thank you for your invitation.", {"zh", "de"}, "en");
  expect_other("สวัสดี", {"zh", "en"}, "th");
  expect_other("이것은 책입니다.", {"zh", "en"}, "ko");
  EXPECT_TRUE(best("Thank you for your invitation.", {"zh", "en"}).is_among);
}

TEST(DetectLanguage, TextOfSeveralLanguagesIsOfOneThatIsServed) {
  // cld2 alone takes these for English, Hmong or Indonesian.
  for (const char* text : {"Was?", "Haus", "Berlin", "Kaffee"})
    EXPECT_EQ(best(text, {"de", "en"}).code, "de") << text;
  for (const char* text : {"cat", "red dog", "Good morning", "the fox"})
    EXPECT_EQ(best(text, {"de", "en"}).code, "en") << text;
}

TEST(DetectLanguage, WithoutLettersNothingIsDetected) {
  for (const char* text : {"", " \n", "1234", "?!", "\xff\xfe", "😀", "❤️", "§ 12", "。"})
    EXPECT_TRUE(detect_language(text, {"de", "en"}).empty()) << text;
  EXPECT_FALSE(best("Hello", {}).is_among);
}

TEST(DetectLanguage, CodesAreMatchedAcrossStandards) {
  const std::string hebrew = "הילדים משחקים בגינה כל אחר הצהריים.";
  EXPECT_EQ(best(hebrew, {"en", "iw"}).code, "iw");
  EXPECT_EQ(best(hebrew, {"en", "he"}).code, "he");
  const std::string norwegian = "Jeg er en gutt fra Norge og jeg liker å lese bøker.";
  EXPECT_EQ(best(norwegian, {"en", "no"}).code, "no");
  EXPECT_EQ(best(norwegian, {"en", "nb"}).code, "nb");
  EXPECT_EQ(best("As crianças brincam no jardim todas as tardes.", {"en", "pt-BR"}).code, "pt-BR");
  EXPECT_GT(best(norwegian, {"en", "NB"}).confidence, 70);
}

TEST(DetectLanguage, SimplifiedAndTraditionalChinese) {
  const std::string simplified = "您好世界，今天天气很好。", traditional = "這是一本關於歷史的書。";
  for (const char* code : {"zh", "cmn", "ZH"}) {
    EXPECT_EQ(best(simplified, {"en", code}).code, code);
    EXPECT_EQ(best(traditional, {"en", code}).code, code);
  }
  for (const Codes& among : {Codes{"zh", "zh-Hant", "en"}, Codes{"en", "zh-Hant", "zh"}}) {
    EXPECT_EQ(best(simplified, among).code, "zh");
    EXPECT_EQ(best(traditional, among).code, "zh-Hant");
  }
}

TEST(DetectLanguage, AScriptThatIsNamedIsNotTheOther) {
  const std::string simplified = "您好世界，今天天气很好。", traditional = "這是一本關於歷史的書。";
  for (const char* code : {"zh-Hans", "zh-CN"}) {
    EXPECT_EQ(best(simplified, {"en", code}).code, code);
    EXPECT_EQ(best(traditional, {"en", code}).code, "zh-Hant");
    EXPECT_FALSE(best(traditional, {"en", code}).is_among);
  }
  for (const char* code : {"zt", "zh-TW", "zh-Hant"}) {
    EXPECT_EQ(best(traditional, {"en", code}).code, code);
    EXPECT_EQ(best(simplified, {"en", code}).code, "zh");
    EXPECT_FALSE(best(simplified, {"en", code}).is_among);
    // Characters of both.
    EXPECT_EQ(best("你好", {"en", code}).code, code);
  }
}

TEST(DetectLanguage, MixedTextHasSeveralLanguages) {
  const auto detected = detect_language(
      "The weather is nice today, isn't it? 今天天气很好，我们去公园吧。", {"de", "zh", "en"});
  ASSERT_GE(detected.size(), 2u);
  EXPECT_GT(detected[1].confidence, 10);
}

TEST(DetectLanguage, InvalidTextIsReadAsFarAsItIsText) {
  EXPECT_EQ(
      best("The quick brown \xff fox \x01 jumps \xef\xbf\xbe over \xed\xa0\x80 it", {"de", "en"})
          .code,
      "en");
  std::string everything;
  for (char32_t c = 0; c < 0x11000; ++c) append_utf8(everything, c);
  EXPECT_FALSE(detect_language(everything, {"de", "en"}).empty());
}

TEST(DetectLanguage, OnlyTheBeginningOfALongTextIsRead) {
  std::string text = "Der Hund schläft auf dem Sofa. ";
  while (text.size() < (64 << 10)) text += "Die Katze schläft auch. ";
  const DetectedLanguage alone = best(text, {"en", "de"});
  for (int i = 0; i < 200'000; ++i) text += "The cat sleeps too. 你";
  EXPECT_EQ(best(text, {"en", "de"}).code, "de");
  EXPECT_EQ(best(text, {"en", "de"}).confidence, alone.confidence);
}

TEST(DetectLanguage, ThreadsGetTheSameAnswers) {
  const Codes among = {"de", "en", "zh", "fr"};
  const std::vector<std::string> texts = {"Der Hund schläft.", "The dog sleeps.", "狗在睡觉。",
                                          "Le chien dort."};
  std::vector<std::string> expected;
  expected.reserve(texts.size());
  for (const std::string& text : texts) expected.push_back(best(text, among).code);
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < wrong.size(); ++thread)
    threads.emplace_back([&, thread] {
      for (size_t i = 0; i < 400; ++i) {
        const size_t text = (i + thread) % texts.size();
        wrong[thread] += best(texts[text], among).code != expected[text];
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace heed
