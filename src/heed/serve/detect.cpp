#include "heed/serve/detect.h"

// cld2's header lacks this include.
#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "heed/core/utf8.h"

namespace heed {
namespace {

// Frequent characters that only simplified or only traditional Chinese has.
constexpr std::u32string_view kSimplified =
    U"们这来说时为会个国学对发经过东车马气书长门问间见现开关进还没"
    U"无电话语读写听买卖钱银铁红绿热爱亲欢乐难点业务员头样种总义习"
    U"师龙飞鸟鱼风云岁万亿两边达远运连选让认识谁请谢该应当战争军队"
    U"广场厂产医药岛湾从众体";
constexpr std::u32string_view kTraditional =
    U"們這來說時為會個國學對發經過東車馬氣書長門問間見現開關進還沒"
    U"無電話語讀寫聽買賣錢銀鐵紅綠熱愛親歡樂難點業務員頭樣種總義習"
    U"師龍飛鳥魚風雲歲萬億兩邊達遠運連選讓認識誰請謝該應當戰爭軍隊"
    U"廣場廠產醫藥島灣從眾體";

// Replaces by spaces what cld2 refuses: controls, noncharacters and bytes that are not UTF-8.
std::u32string interchangeable(std::string_view text) {
  std::u32string characters = decode_utf8(text);
  for (char32_t& c : characters) {
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool no_character = (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
    if (control || no_character || c == kReplacementCharacter) c = U' ';
  }
  return characters;
}

ScriptCounts count_scripts(std::u32string_view text) {
  ScriptCounts counts{};
  for (const char32_t c : text)
    if (const std::optional<Script> script = script_of(c)) ++counts[size_t(*script)];
  return counts;
}

// The share of the letters of a text that are of the scripts of a language.
double share_of(const ScriptCounts& counts, const DetectableLanguage& language) {
  const int64_t all = sum(counts);
  if (all == 0) return 0;
  if (!language.facts) return 1;
  const auto of = [&](Script script) { return double(counts[size_t(script)]) / double(all); };
  const double share = of(language.facts->script);
  const std::string& code = language.tag.language;
  if (code == "ja" || code == "ko") return share + of(Script::han);
  if (code == "sr") return share + of(Script::latin);
  if (code == "az" || code == "uz" || code == "tk") return share + of(Script::cyrillic);
  if (code == "ku") return share + of(Script::arabic);
  return share;
}

struct Guess {
  std::string code;  // canonical
  double percent = 0;
};

struct Guesses {
  std::vector<Guess> languages;
  bool reliable = false;
};

// cld2's languages of a text. `hint` is a list of codes, separated by commas, or empty; cld2
// prefers them for an ambiguous text, such as a word of several languages.
Guesses guess(const std::string& text, const std::string& hint) {
  constexpr double kUnreliableFactor =
      0.6;  // chosen on short texts: most of their percentages stay below 50
  CLD2::CLDHints hints{hint.empty() ? nullptr : hint.c_str(), nullptr, CLD2::UNKNOWN_ENCODING,
                       CLD2::UNKNOWN_LANGUAGE};
  CLD2::Language languages[3];
  int percents[3] = {}, text_bytes = 0, valid_bytes = 0;
  double scores[3];
  Guesses guesses;
  const CLD2::Language best = CLD2::ExtDetectLanguageSummaryCheckUTF8(
      text.data(), int(text.size()), true, &hints, CLD2::kCLDFlagBestEffort, languages, percents,
      scores, nullptr, &text_bytes, &guesses.reliable, &valid_bytes);
  // cld2 leaves the arrays as they were if the text is not valid to it.
  if (best == CLD2::UNKNOWN_LANGUAGE && size_t(valid_bytes) < text.size()) return {};
  for (int i = 0; i < 3; ++i) {
    const std::string_view code = CLD2::LanguageCode(languages[i]);
    // "xx-Runr" is a script without a language.
    if (languages[i] == CLD2::UNKNOWN_LANGUAGE || percents[i] <= 0 || code.starts_with("xx"))
      continue;
    guesses.languages.push_back(
        {canonical_language(code), percents[i] * (guesses.reliable ? 1 : kUnreliableFactor)});
  }
  return guesses;
}

// The script of Chinese that the characters of a text belong to; empty if they belong to both.
std::string_view chinese_script(std::u32string_view text) {
  const auto count = [&](std::u32string_view set) {
    return std::ranges::count_if(text,
                                 [&](char32_t c) { return c > 0x7F && set.find(c) != set.npos; });
  };
  const auto simplified = count(kSimplified), traditional = count(kTraditional);
  if (simplified == traditional) return {};
  return simplified > traditional ? "Hans" : "Hant";
}

// The evidence for one of the languages that a server knows.
struct Evidence {
  const DetectableLanguage* language;
  double share = 0;  // of the letters: those in scripts of the language
  double confidence = 0;

  // Whether the text may be written in the language.
  bool is_possible() const {
    constexpr double kMinShare = 0.02;  // fewer letters are taken for those of foreign words
    return share >= kMinShare;
  }
};

// Whether a detected language is a served one. If it has no script it is taken to have that of the
// served one: share_of() judges the letters of the text by that script.
LanguageMatch match_detected(LanguageTag detected, const DetectableLanguage& language) {
  if (detected.script.empty()) detected.script = language.tag.script;
  return match_sources(detected, language.tag);
}

// Adds `percent` to the confidence of the languages that match `tag` best. False if none does.
bool add_guess(const LanguageTag& tag, double percent, std::vector<Evidence>& all) {
  LanguageMatch best = LanguageMatch::none;
  for (const Evidence& one : all) best = std::max(best, match_detected(tag, *one.language));
  if (best == LanguageMatch::none) return false;
  for (Evidence& one : all)
    if (match_detected(tag, *one.language) == best && one.is_possible()) one.confidence += percent;
  return true;
}

}  // namespace

LanguageDetector::LanguageDetector(const std::vector<std::string>& among) {
  for (const std::string& code : among)
    among_.push_back({code, parse_language(code), find_language(code)});
}

std::vector<DetectedLanguage> LanguageDetector::detect(std::string_view text) const {
  // Below 50: the letters fit, and cld2 guessed other languages, or none.
  constexpr double kConfidenceAgainstOtherGuess = 10, kConfidenceByScript = 40;
  const std::u32string characters = interchangeable(text.substr(0, kMaxDetectedBytes));
  const ScriptCounts counts = count_scripts(characters);
  std::vector<Evidence> evidence;
  std::string hint;
  double shares = 0;
  for (const DetectableLanguage& language : among_) {
    const double share = share_of(counts, language);
    evidence.push_back({&language, share});
    shares += share;
    if (share > 0) (hint += hint.empty() ? "" : ",") += canonical_language(language.code);
  }
  const Guesses guesses = guess(encode_utf8(characters), hint);
  // cld2 often mistakes the characters of short Chinese texts, which this file knows better.
  const std::string_view chinese = chinese_script(characters);
  std::vector<DetectedLanguage> others;
  for (const auto& [code, percent] : guesses.languages) {
    LanguageTag tag = parse_language(code);
    const bool is_chinese = tag.language == "zh";
    if (is_chinese) tag.script = chinese;
    if (add_guess(tag, percent, evidence)) continue;
    const std::string better =
        is_chinese && !chinese.empty() ? fmt::format("zh-{}", chinese) : code;
    others.push_back({canonical_language(better), percent, false});
  }
  const auto any_of = [&](auto holds) { return std::ranges::any_of(evidence, holds); };
  if (!any_of([](const Evidence& one) { return one.confidence > 0; })) {
    if (any_of([](const Evidence& one) { return one.is_possible(); })) {
      if (!guesses.reliable) others.clear();
      const double percent =
          guesses.languages.empty() ? kConfidenceByScript : kConfidenceAgainstOtherGuess;
      for (Evidence& one : evidence) one.confidence = percent * one.share / std::max(shares, 1.0);
    } else if (others.empty() && sum(counts) > 0) {
      others.push_back({std::string(kUndetermined), 0, false});
    }
  }
  std::vector<DetectedLanguage> detected;
  for (const Evidence& one : evidence)
    if (one.confidence > 0) detected.push_back({one.language->code, one.confidence, true});
  detected.insert(detected.end(), others.begin(), others.end());
  std::ranges::stable_sort(detected, std::greater<>(), &DetectedLanguage::confidence);
  return detected;
}

}  // namespace heed
