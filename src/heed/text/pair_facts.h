// What one pair says about itself, and what is typical for its corpus: the parts of an inspection
// (data_inspection.cpp) that need no memory of other pairs.
#pragma once

#include <bitset>
#include <string>
#include <utility>
#include <vector>

#include "heed/core/ragged.h"
#include "heed/text/data_inspection.h"
#include "heed/text/hash_table.h"
#include "heed/text/line_damage.h"

namespace heed::detail {

struct RawPair {
  std::string source, target;
  bool complete = true;  // has both columns, where tab-separated text is read
};

struct LineFacts {
  uint64_t fingerprint = 0;     // of the line without the whitespace around it
  int64_t characters = 0;       // of the same
  std::vector<uint64_t> words;  // fingerprints, in order
  ScriptCounts letters{};
  // Words of each script; characters, where it is written without spaces: a name of many letters in
  // a sentence of few characters is one word.
  ScriptCounts script_words{};
  bool question = false;  // ends with a question mark
  bool number = false;    // has a digit
  LineDamage damage;
  // Where there is a tokenizer: of a line with more than Tokenizer::kBytesPerToken bytes for each
  // token that is counted exactly, those of its beginning.
  std::vector<TokenId> tokens;
  bool all_tokens = true;
};
// Without tokens.
LineFacts facts_of(std::string_view line);

struct PairFacts {
  LineFacts source, target;
  std::bitset<kFindings> findings;  // those of the pair alone

  uint64_t fingerprint() const;
  bool has(FindingKind kind) const { return findings[size_t(kind)]; }
};

// What is typical for the corpus, by a sample of it.
class Habits {
 public:
  explicit Habits(const std::vector<RawPair>& sample);

  double ratio() const { return ratio_; }  // median of target characters to source characters
  bool is_usual_source(Script script) const { return usual_source_[size_t(script)]; }
  bool is_usual_target(Script script) const { return usual_target_[size_t(script)]; }
  // Whether the words of a line are those of the other side's language, by how often each side
  // uses them.
  bool source_speaks_target(const LineFacts& source) const;
  bool target_speaks_source(const LineFacts& target) const;
  // How many times as long as typical the longer side is: at least 1.
  double oddness(const LineFacts& source, const LineFacts& target) const;

 private:
  using Words = HashTable<int64_t>;
  static bool speaks(const LineFacts& line, const Words& own, const Words& other);

  double ratio_ = 1;
  std::bitset<kScripts> usual_source_, usual_target_;
  Words source_words_, target_words_;
};

// Everything about a pair that does not depend on others.
PairFacts examine(const RawPair& pair, const Habits& habits, const InspectionOptions& options,
                  const TokenizerPair* tokenizers);

// What an example of the finding should say beside its two sides; may be empty.
std::string note_on(FindingKind kind, const RawPair& pair, const PairFacts& facts,
                    const Habits& habits);

}  // namespace heed::detail
