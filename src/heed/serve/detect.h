// The language of a text, among those that a server translates from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct DetectedLanguage {
  std::string code;       // as in `among`
  double confidence = 0;  // in percent
};

// How much of a text decides about its language.
inline constexpr size_t kMostDetectedBytes = 64 << 10;

// The languages of `among` (codes as serve/languages.h has them) that the text may be in, best
// first; at least one if there are any. The first kMostDetectedBytes of the text decide, by cld2
// and by the scripts of its letters. Text that cld2 takes for none of them, such as a word or a
// language that is not served, gets those that are written in its script, with a confidence below
// 50; text without letters gets the first of `among` with confidence 0.
//
// A function of its arguments. Any number of threads may call it: cld2 keeps no state between
// calls.
std::vector<DetectedLanguage> detect_language(std::string_view text,
                                              const std::vector<std::string>& among);

}  // namespace heed
