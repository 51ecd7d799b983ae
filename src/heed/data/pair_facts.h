// Properties of one pair, and statistics of a corpus: the parts of an inspection
// (data_inspection.cpp) that do not compare a pair with other pairs.
#pragma once

#include <bitset>
#include <string>
#include <utility>
#include <vector>

#include "heed/core/ragged.h"
#include "heed/data/data_report.h"
#include "heed/data/inspection_options.h"
#include "heed/data/sampled_map.h"
#include "heed/text/line_damage.h"
#include "heed/text/tokenizer.h"

namespace heed::detail {

struct RawPair {
  std::string source, target;
  bool complete = true;  // false: tab-separated text that lacks a column
  // The columns of the row of tab-separated text, and of most rows of its file.
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
  void mark(FindingKind kind, bool found = true) { findings[size_t(kind)] = found; }
};

// Statistics of a sample of the corpus.
struct CorpusStatistics {
  struct Side {
    std::bitset<kScripts> usual;  // scripts that are no exception
    SampledMap<int64_t> words;    // the number of each word
  };

  explicit CorpusStatistics(const std::vector<RawPair>& sample);
  // The factor, at least 1, by which the length ratio of a pair differs from `ratio`.
  double length_ratio_deviation(const LineFacts& of_source, const LineFacts& of_target) const;

  double ratio = 1;  // median of target characters to source characters
  Side source, target;
};

// All findings on a pair that do not depend on other pairs.
PairFacts examine(const RawPair& pair, const CorpusStatistics& statistics,
                  const InspectionOptions& options, const TokenizerPair* tokenizers);

// The note of an example of the finding; may be empty.
std::string note_on(FindingKind kind, const RawPair& pair, const PairFacts& facts,
                    const CorpusStatistics& statistics);

}  // namespace heed::detail
