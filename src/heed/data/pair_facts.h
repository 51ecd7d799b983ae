// Properties of one pair, and statistics of a corpus: the parts of an inspection
// (data_inspection.cpp) that do not compare a pair with other pairs.
#pragma once

#include <bitset>
#include <string>
#include <utility>
#include <vector>

#include "heed/core/ragged.h"
#include "heed/data/data_inspection.h"
#include "heed/data/sampled_map.h"
#include "heed/text/line_damage.h"

namespace heed::detail {

struct RawPair {
  std::string source, target;
  bool complete = true;  // false: tab-separated text that lacks a column
  // Of tab-separated text: the columns of the row, and of most rows of its file.
  int64_t columns = 1, usual_columns = 1;
};

struct LineFacts {
  uint64_t fingerprint = 0;     // line_fingerprint()
  int64_t characters = 0;       // of the line without the whitespace around it
  std::vector<uint64_t> words;  // fingerprints, in order
  ScriptCounts letters{};
  // Words of each script, or characters of scripts without spaces, so that a Latin name of many
  // letters in a short Chinese sentence counts once.
  ScriptCounts script_words{};
  bool question = false;      // ends with a question mark
  bool number = false;        // has a digit
  bool copied_parts = false;  // may have placeholders, tags or numbers (copied_parts.h)
  LineDamage damage;
  // Empty without a tokenizer. Of very long lines only the tokens of the beginning.
  std::vector<TokenId> tokens;
  bool all_tokens = true;
};
// Without tokens.
LineFacts facts_of(std::string_view line);

struct PairFacts {
  LineFacts source, target;
  std::bitset<kFindings> findings;  // those that do not depend on other pairs

  uint64_t fingerprint() const;
  bool has(FindingKind kind) const { return findings[size_t(kind)]; }
};

// Statistics of a sample of the corpus.
class CorpusStatistics {
 public:
  explicit CorpusStatistics(const std::vector<RawPair>& sample);

  double ratio() const { return ratio_; }  // median of target characters to source characters
  bool is_usual_source(Script script) const { return usual_source_[size_t(script)]; }
  bool is_usual_target(Script script) const { return usual_target_[size_t(script)]; }
  // By the frequencies of its words on both sides, whether a line is in the language of the other
  // side.
  bool source_is_in_target_language(const LineFacts& source) const;
  bool target_is_in_source_language(const LineFacts& target) const;
  // The factor, at least 1, by which the length ratio of a pair differs from ratio().
  double length_ratio_deviation(const LineFacts& source, const LineFacts& target) const;

 private:
  using Words = SampledMap<int64_t>;
  static bool is_in_other_language(const LineFacts& line, const Words& own, const Words& other);

  double ratio_ = 1;
  std::bitset<kScripts> usual_source_, usual_target_;
  Words source_words_, target_words_;
};

// All findings on a pair that do not depend on other pairs.
PairFacts examine(const RawPair& pair, const CorpusStatistics& statistics,
                  const InspectionOptions& options, const TokenizerPair* tokenizers);

// The note of an example of the finding; may be empty.
std::string note_on(FindingKind kind, const RawPair& pair, const PairFacts& facts,
                    const CorpusStatistics& statistics);

}  // namespace heed::detail
