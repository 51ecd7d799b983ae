#include "heed/serve/detect.h"

// cld2's header lacks this include.
#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "heed/core/scripts.h"
#include "heed/core/utf8.h"
#include "heed/serve/languages.h"

namespace heed {
namespace {

// Characters that only simplified or only traditional Chinese has, frequent ones.
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

// What cld2 refuses, as spaces: controls, noncharacters and bytes that are not UTF-8.
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

// A language of `among`.
struct Candidate {
  std::string code;                    // as given
  std::string canonical;               // of serve/languages.h
  std::optional<LanguageFacts> facts;  // nothing for an unknown language
  double share = 0;                    // of the letters: those that this language may have
  double confidence = 0;
};

// The share of the letters of a text that are of the scripts of a language.
double share_of(const ScriptCounts& counts, const Candidate& candidate) {
  const int64_t all = sum(counts);
  if (all == 0) return 0;
  if (!candidate.facts) return 1;
  const auto of = [&](Script script) { return double(counts[size_t(script)]) / double(all); };
  const double share = of(candidate.facts->script);
  const std::string& code = candidate.canonical;
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

// cld2's languages of a text. `hint` is a list of codes, separated by commas, or empty; cld2
// prefers them if they are few.
std::vector<Guess> guess(const std::string& text, const std::string& hint) {
  constexpr double kUnreliable = 0.6;
  CLD2::CLDHints hints{hint.empty() ? nullptr : hint.c_str(), nullptr, CLD2::UNKNOWN_ENCODING,
                       CLD2::UNKNOWN_LANGUAGE};
  CLD2::Language languages[3];
  int percents[3] = {}, text_bytes = 0, valid_bytes = 0;
  double scores[3];
  bool reliable = false;
  const CLD2::Language best = CLD2::ExtDetectLanguageSummaryCheckUTF8(
      text.data(), int(text.size()), true, &hints, CLD2::kCLDFlagBestEffort, languages, percents,
      scores, nullptr, &text_bytes, &reliable, &valid_bytes);
  std::vector<Guess> guesses;
  // Where the text is not valid to cld2, it leaves the arrays as they were.
  if (best == CLD2::UNKNOWN_LANGUAGE && size_t(valid_bytes) < text.size()) return guesses;
  for (int i = 0; i < 3; ++i)
    if (languages[i] != CLD2::UNKNOWN_LANGUAGE && percents[i] > 0)
      guesses.push_back({canonical_language(CLD2::LanguageCode(languages[i])),
                         percents[i] * (reliable ? 1 : kUnreliable)});
  return guesses;
}

std::string_view without_region(std::string_view code) {
  return code.substr(0, code.find('-'));
}

// Adds what was guessed to the confidence of the languages that match. True if any does.
bool add(const std::vector<Guess>& guesses, double weight, std::vector<Candidate>& candidates) {
  constexpr double kLeastShare = 0.02;
  bool any = false;
  for (const Guess& guess : guesses) {
    const auto matching = [&](auto&& matches) {
      bool found = false;
      for (Candidate& candidate : candidates) {
        if (candidate.share < kLeastShare || !matches(candidate.canonical)) continue;
        candidate.confidence += weight * guess.percent;
        found = true;
      }
      return found;
    };
    any |= matching([&](const std::string& code) { return code == guess.code; }) ||
           matching([&](const std::string& code) {
             return without_region(code) == without_region(guess.code);
           });
  }
  return any;
}

// Simplified and traditional Chinese are distinguished by their characters: cld2 often mistakes
// short texts.
void separate_chinese(std::u32string_view text, std::vector<Candidate>& candidates) {
  const auto of = [&](std::string_view code) {
    return std::find_if(candidates.begin(), candidates.end(),
                        [&](const Candidate& candidate) { return candidate.canonical == code; });
  };
  const auto simplified = of("zh"), traditional = of("zh-Hant");
  if (simplified == candidates.end() || traditional == candidates.end()) return;
  const auto count = [&](std::u32string_view set) {
    return std::count_if(text.begin(), text.end(),
                         [&](char32_t c) { return c > 0x7F && set.find(c) != set.npos; });
  };
  const auto of_simplified = count(kSimplified), of_traditional = count(kTraditional);
  if (of_simplified == of_traditional) return;
  const double both = simplified->confidence + traditional->confidence;
  const double share = double(of_simplified) / double(of_simplified + of_traditional);
  simplified->confidence = both * share;
  traditional->confidence = both * (1 - share);
}

// The confidence of languages by the scripts of the text alone.
void add_by_script(double percent, std::vector<Candidate>& candidates) {
  double all = 0;
  for (const Candidate& candidate : candidates) all += candidate.share;
  for (Candidate& candidate : candidates)
    if (all > 0) candidate.confidence = percent * candidate.share / std::max(all, 1.0);
}

}  // namespace

std::vector<DetectedLanguage> detect_language(std::string_view text,
                                              const std::vector<std::string>& among) {
  constexpr double kHinted = 0.5, kOtherLanguage = 10, kOnlyScript = 40;
  const std::u32string characters = interchangeable(text.substr(0, kMostDetectedBytes));
  const std::string plain = encode_utf8(characters);
  const ScriptCounts counts = count_scripts(characters);
  std::vector<Candidate> candidates;
  std::string hint;
  for (const std::string& code : among) {
    Candidate candidate{code, canonical_language(code), find_language(code)};
    candidate.share = share_of(counts, candidate);
    if (candidate.share > 0) hint += (hint.empty() ? "" : ",") + candidate.canonical;
    candidates.push_back(std::move(candidate));
  }
  if (sum(counts) > 0) {
    const std::vector<Guess> guesses = guess(plain, "");
    if (!add(guesses, 1, candidates) && !add(guess(plain, hint), kHinted, candidates))
      add_by_script(guesses.empty() ? kOnlyScript : kOtherLanguage, candidates);
    separate_chinese(characters, candidates);
  }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.confidence > b.confidence; });
  std::vector<DetectedLanguage> detected;
  for (const Candidate& candidate : candidates)
    if (candidate.confidence > 0 || detected.empty())
      detected.push_back({candidate.code, candidate.confidence});
  return detected;
}

}  // namespace heed
