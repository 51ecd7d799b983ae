// The language of a text, among those that a server knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/serve/languages.h"

namespace heed {

struct DetectedLanguage {
  std::string code;       // as it was given to the detector; of another language: canonical
  double confidence = 0;  // in percent
  bool is_among = true;   // whether the language was given to the detector
};

// The code (ISO 639-2) of letters whose language is not known.
inline constexpr std::string_view kUndetermined = "und";

// Maximum number of bytes of a text that decide about its language.
inline constexpr size_t kMaxDetectedBytes = 64 << 10;

// A language that may be detected.
struct DetectableLanguage {
  std::string code;
  LanguageTag tag;
  const LanguageFacts* facts;  // null for an unknown language
};

// Detects the languages of any number of texts. Any number of threads may use one: cld2 keeps no
// state between calls. A short text takes about 0.1 ms; longer ones are read at a few MB a second,
// up to kMaxDetectedBytes of each.
class LanguageDetector {
 public:
  explicit LanguageDetector(const std::vector<std::string>& among);

  // The languages that the text may be in, best first; none if it has no letters. The first
  // kMaxDetectedBytes of the text decide, by cld2 and by the scripts of its letters. A language
  // that is not of `among` is returned if the text certainly is in it, or has no letters of their
  // scripts. Ambiguous text, such as a name, is taken for a language of `among` that has its
  // script, with a confidence below 50. "zh" is Chinese in both scripts, "zh-Hans" is not.
  std::vector<DetectedLanguage> detect(std::string_view text) const;

 private:
  std::vector<DetectableLanguage> among_;
};

}  // namespace heed
