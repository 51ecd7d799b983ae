// What an inspection of parallel text found (data_inspection.h makes one).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/core/scripts.h"

namespace heed {

// How long things are: exact counts up to kMostBins - 1, in 32 KiB.
class LengthCounts {
 public:
  static constexpr int64_t kMostBins = 4096;

  void add(int64_t length);
  int64_t count() const { return count_; }
  int64_t sum() const { return sum_; }
  int64_t greatest() const { return greatest_; }
  double mean() const { return count_ > 0 ? double(sum_) / double(count_) : 0; }
  // The least length that `share` of all do not exceed; kMostBins - 1 stands for what is longer.
  int64_t quantile(double share) const;
  // How many have this length; the last bin has all that are longer.
  const std::vector<int64_t>& bins() const { return bins_; }

 private:
  std::vector<int64_t> bins_;
  int64_t count_ = 0, sum_ = 0, greatest_ = 0;
};

// The words of one side. Counts of types are estimates where the table had to be thinned.
struct VocabularyReport {
  // The share of all words that the `types` most frequent ones make up.
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

// What a tokenizer makes of one side. All 0 without one.
struct PieceReport {
  int64_t vocabulary = 0;  // its ids
  int64_t used = 0;        // ids that the text uses
  int64_t pieces = 0;      // in all
  int64_t unknown = 0;     // of them <unk>
};

// The words of a test file, seen from the training text.
struct TestReport {
  int64_t lines = 0;
  int64_t lines_seen = 0;    // distinct lines that the training text has on this side
  int64_t words = 0;         // where the table of words was thinned: those of the sample
  int64_t unseen_words = 0;  // that the training text has nowhere on this side
};

struct SideReport {
  LengthCounts words, characters, tokens;
  ScriptCounts letters{};
  VocabularyReport vocabulary;
  PieceReport pieces;
  TestReport test;
};

enum class FindingKind {
  unequal_lines,
  shifted_lines,
  missing_column,
  invalid_utf8,
  empty,
  test_pairs,
  test_sources,
  duplicate_pairs,
  several_targets,
  copies,
  untranslated,
  wrong_script,
  length_ratio,
  too_long,
  double_encoded,
  replacement_characters,
  control_characters,
  carriage_returns,
  unknown_pieces
};
inline constexpr size_t kFindings = 19;

// What to say about a kind of finding.
struct FindingText {
  std::string_view name;    // for programs: "duplicate_pairs"
  std::string_view title;   // "Pairs that came before"
  std::string_view advice;  // what to do about it
};
const FindingText& text_of(FindingKind kind);

// A pair that shows a finding, fit to be shown: cut to a length, control characters made visible.
struct FindingExample {
  std::string source_file, target_file;
  int64_t line = 0;  // from 1
  std::string source, target;
  std::string note;  // "first in line 17"; may be empty
};

struct Finding {
  FindingKind kind{};
  int64_t pairs = 0;  // that show it
  bool estimated = false;
  std::vector<FindingExample> examples;  // the first ones
  std::string own_advice;                // in place of its kind's, where more is known
};
// What to do about a finding.
std::string_view advice_on(const Finding& finding);

struct DataReport {
  static constexpr int kRatioBins = 41;

  int64_t pairs = 0;     // looked at
  bool sampled = false;  // stopped there, as InspectionOptions::pairs asks: more may follow
  bool tokenized = false;
  double typical_ratio = 0;  // median of target characters to source characters
  // Pairs by that ratio: bin i holds ratios around 2^((i - 20) / 5), the outer ones all beyond.
  std::array<int64_t, kRatioBins> ratios{};
  SideReport source, target;
  std::array<Finding, kFindings> findings;  // by FindingKind

  const Finding& operator[](FindingKind kind) const { return findings[size_t(kind)]; }
};

// The warnings to give before a training: a line for each finding that more than `share` of the
// pairs have; overlap with a test set is always named. What the training itself refuses, or drops
// and counts, is left out.
std::vector<std::string> warnings(const DataReport& report, double share);

}  // namespace heed
