// The result of an inspection of parallel text (data_inspection.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/core/scripts.h"
#include "heed/text/character_counter.h"

namespace heed {

// A histogram of lengths, exact up to kMaxBins - 1, in 32 KiB.
class LengthCounts {
 public:
  static constexpr int64_t kMaxBins = 4096;

  void add(int64_t length);
  int64_t count() const { return count_; }
  int64_t sum() const { return sum_; }
  int64_t max() const { return max_; }
  double mean() const { return count_ > 0 ? double(sum_) / double(count_) : 0; }
  // The q-quantile; kMaxBins - 1 if it is longer.
  int64_t quantile(double q) const;
  // Counts by length; the last bin includes all longer ones.
  const std::vector<int64_t>& bins() const { return bins_; }

 private:
  std::vector<int64_t> bins_;
  int64_t count_ = 0, sum_ = 0, max_ = 0;
};

// The words of one side. Counts of types are estimates if the table was reduced to a sample.
struct VocabularyReport {
  // The share of all words that are among the `types` most frequent ones.
  struct Coverage {
    int64_t types = 0;
    double share = 0;
  };
  int64_t words = 0;
  int64_t types = 0;
  int64_t singletons = 0;  // types that occur once
  bool estimated = false;
  std::vector<Coverage> coverage;  // for 100, 1000, ... types, and last for all
};

// The tokens of one side. All 0 without a tokenizer.
struct TokenReport {
  int64_t vocabulary = 0;  // ids of the vocabulary
  int64_t used = 0;        // of these, ids that occur in the text
  int64_t tokens = 0;      // of the text
  int64_t unknown = 0;     // of these, <unk>
};

// The lines and words of a test file, compared with the training text.
struct TestReport {
  int64_t lines = 0;
  int64_t lines_seen = 0;    // distinct lines that occur on this side of the training text
  int64_t words = 0;         // only sampled words if the table of words was reduced to a sample
  int64_t unseen_words = 0;  // that do not occur on this side of the training text
};

// The characters that a normalization changes.
struct NormalizationReport {
  std::string name;                      // of the rules: "nmt_nfkc", or "the vocabulary"
  int64_t changed_lines = 0;             // those with such a character
  std::vector<CharacterChange> changes;  // the most frequent ones
};

struct SideReport {
  LengthCounts words, characters, tokens;
  NormalizationReport normalization;
  ScriptCounts letters{};
  VocabularyReport vocabulary;
  TokenReport vocabulary_use;
  TestReport test;
};

enum class FindingKind {
  unequal_lines,
  shifted_lines,
  missing_column,
  extra_columns,  // than most rows of tab-separated text
  invalid_utf8,
  empty,
  test_pairs,
  test_sources,
  duplicate_pairs,
  several_targets,
  copied_sources,  // the target equals its source
  untranslated,    // a side is in the other's language
  wrong_script,
  length_ratio,
  different_placeholders,
  different_tags,
  different_numbers,
  too_long,
  double_encoded,
  replacement_characters,
  control_characters,
  invisible_characters,
  carriage_returns,
  unknown_tokens
};
inline constexpr size_t kFindings = 24;

// The texts of a kind of finding.
struct FindingText {
  std::string_view name;    // for programs: "duplicate_pairs"
  std::string_view title;   // "Repeated pairs"
  std::string_view advice;  // what to do about it; "{command}" is where the command belongs
  // A command that does it, for two files and for tab-separated text, where {source} and {target}
  // are the numbers of the columns; both empty if there is none.
  std::string_view command = {};
  std::string_view tsv_command = {};
};
const FindingText& text_of(FindingKind kind);

// A pair with a finding, for display: shortened, with control characters made visible.
struct FindingExample {
  std::string source_file, target_file;
  int64_t line = 0;  // from 1
  std::string source, target;
  std::string note;  // "first in line 17"; may be empty
};

// The lines with a finding in one file of each side, ascending, from 1.
struct FindingLines {
  std::string source_file, target_file;
  std::vector<uint32_t> lines;
};

struct Finding {
  // More lines are counted, not listed.
  static constexpr int64_t kMaxLines = 1'000'000;

  FindingKind kind{};
  int64_t pairs = 0;  // with this finding
  bool estimated = false;
  std::vector<FindingExample> examples;  // the first ones
  std::vector<FindingLines> lines;       // by file; not of estimates, which know some lines alone
  int64_t listed = 0;                    // the number of all lines in `lines`
  std::string command;                   // that of its kind, for this form of text; may be empty
  std::string specific_advice;           // replaces that of its kind; may be empty

  // Whether `lines` has every line with the finding.
  bool all_listed() const { return !estimated && listed == pairs; }
};
// Advice on what to do about a finding.
std::string advice_for(const Finding& finding);

struct DataReport {
  static constexpr int kRatioBins = 41;

  int64_t pairs = 0;              // inspected
  bool first_pairs_only = false;  // stopped at InspectionOptions::pairs: the files may have more
  bool tokenized = false;
  double typical_ratio = 0;  // median of target characters to source characters
  // Histogram of that ratio: bin i has ratios around 2^((i - 20) / 5), the outermost all beyond.
  std::array<int64_t, kRatioBins> ratios{};
  SideReport source, target;
  std::array<Finding, kFindings> findings;  // by FindingKind

  const Finding& operator[](FindingKind kind) const { return findings[size_t(kind)]; }
};

// Whether spaces separate the words of this side; in Chinese or Thai a sentence is one "word".
bool is_spaced(const SideReport& side);

// Whether the inspection could find this: some kinds need a test set or a tokenizer.
bool looked_for(FindingKind kind, const DataReport& report);

// Warnings before training: a line for each finding of more than `share` of the pairs; overlap with
// a test set is always reported. Findings that training rejects or filters itself are omitted.
std::vector<std::string> warnings(const DataReport& report, double share);

}  // namespace heed
