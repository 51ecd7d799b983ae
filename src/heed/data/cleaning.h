// Parallel text without the pairs that harm a model: those with the findings of an inspection
// (data_inspection.h).
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heed/core/parallel.h"
#include "heed/data/data_inspection.h"

namespace heed {

struct CleaningOptions {
  std::vector<std::string> drop = {"missing_column",    "invalid_utf8",   "empty",
                                   "test_pairs",        "test_sources",   "duplicate_pairs",
                                   "copied_sources",    "untranslated",   "wrong_script",
                                   "length_ratio",      "different_tags", "different_placeholders",
                                   "different_numbers", "double_encoded", "replacement_characters"};
  std::vector<std::string> keep;
  bool repair = true;
  double max_ratio_deviation = InspectionOptions().max_ratio_deviation;
  int64_t max_words = InspectionOptions().max_sentence_tokens;  // of a side, for "too_long"

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("drop", self.drop,
      {.help = "Drop pairs with these findings, named as by heed inspect data --json; a pair that "
               "cannot be read is dropped in any case",
       .value = "NAME..."});
    v("keep", self.keep,
      {.help = "Findings of --drop for which no pair is dropped",
       .value = "NAME...",
       .default_text = "none"});
    v("repair", self.repair,
      {.help = "Repair text that was encoded twice, and remove control characters, invisible "
               "characters and carriage returns, before a pair is judged"});
    v("max_ratio_deviation", self.max_ratio_deviation,
      {.help = "The finding length_ratio: the ratio of target to source characters differs from "
               "the median by more than this factor",
       .maximum = 1000,
       .above = 1});
    v("max_words", self.max_words,
      {.help = "The finding too_long: a side of more than N words; not among those of --drop "
               "unless it is named",
       .unit = "words",
       .minimum = 1,
       .maximum = 65535});
  }

  // By FindingKind. UsageError: a name that is unknown, or of a finding that is not one of single
  // pairs.
  std::bitset<kFindings> dropped() const;
};

// Why a pair is dropped.
struct DropReason {
  FindingKind kind{};
  std::string note;  // "only in the target: 5"; may be empty
};

// A pair that was judged.
struct CleanedPair {
  std::string source_file, target_file;
  int64_t line = 0;                        // from 1
  std::string source, target;              // as they were read
  std::string clean_source, clean_target;  // repaired
  std::vector<DropReason> reasons;         // none: it is kept

  bool kept() const { return reasons.empty(); }
  bool repaired() const { return source != clean_source || target != clean_target; }
};

struct CleaningReport {
  int64_t pairs = 0, kept = 0, repaired = 0;     // repaired: of the kept ones
  std::array<int64_t, kFindings> dropped_for{};  // by FindingKind; a pair may have several
};

// The findings for which pairs were dropped, the most frequent first.
std::vector<FindingKind> dropped_kinds(const CleaningReport& report);

// A pair that was dropped, as tab-separated text: the source's file and line, the findings, what
// was found, and the pair as it was read.
std::string rejected_row(const CleanedPair& pair);

// Gives every pair to `take`, in order. Reads the files twice, as inspect_data() does; of repeated
// pairs the first one that is kept stays. Memory: 32 bytes for each pair that is kept, besides that
// of an inspection. The result does not depend on the number of workers. Error: a file that cannot
// be read, files of different length (after the last pair of theirs was given), no pair at all.
CleaningReport clean_data(const InspectionFiles& files, const CleaningOptions& options,
                          Workers& workers, const std::function<void(const CleanedPair&)>& take);

}  // namespace heed
