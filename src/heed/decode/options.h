// Options of translating, the search and how it runs, and of scoring.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/backend/compute.h"
#include "heed/core/options.h"
#include "heed/decode/search_options.h"
#include "heed/text/protected_spans.h"
#include "heed/text/sentences.h"
#include "heed/text/terms.h"

namespace heed {

class Scorer;

// For every command that decodes in batches.
inline constexpr OptionInfo kBatchTokensOption{
    .help =
        "Maximum number of source tokens in the batch of each thread; does not affect the result",
    .unit = "tokens",
    .minimum = 1,
    .maximum = 1 << 20,
    .ignored_in_comparison = true};

// The least beam size of a sentence with terms: in a smaller beam the hypotheses that lack a term
// leave no room for those that have it.
inline constexpr int64_t kLeastTermBeam = 4;

struct DecodeOptions {
  SearchOptions search;
  // Source tokens in the batch of each thread.
  int64_t batch_tokens = SearchLimits().batch_tokens;
  Device device = Device::cpu;
  ComputeChoice compute = ComputeChoice::automatic;
  std::optional<int64_t> threads;
  TextUnit split = TextUnit::lines;  // what is translated at a time
  // The parts of a line that reach its translation as they are (ProtectedKinds).
  std::vector<std::string> protect = {"placeholders", "urls", "emails", "unknown"};
  // The same with its files of expressions open, by with_defaults(); null: not opened yet.
  std::shared_ptr<const ProtectedKinds> protected_kinds;
  // What words of a line must be called in its translation; null: nothing. Not for sampling and
  // diverse beam search. Given as a file, not by visit().
  std::shared_ptr<const TermList> terms;
  // A model that translates back, for the confidence; must outlive the translations. Not given by
  // visit().
  std::shared_ptr<const Scorer> reverse;
  // Translations of which the confidence is lower are marked (LineStatus::doubtful). Not given by
  // visit().
  std::optional<double> min_confidence;
  bool strict = false;
  bool attention = false;  // fill TextHypothesis::attention; not an option of the command line

  // At most, of those that are decoded together.
  int64_t hypotheses_of_sentence() const {
    const int64_t most = search.hypothesis_count();
    return terms ? std::max(most, kLeastTermBeam) : most;
  }

  static void visit(DecodeOptions& self, OptionCollector& v);
  // Those of a language model, with SearchOptions::visit_to_generate().
  static void visit_to_generate(DecodeOptions& self, OptionCollector& v);
  // Those of a parser, with SearchOptions::visit_to_parse().
  static void visit_to_parse(DecodeOptions& self, OptionCollector& v);
  // Without those of splitting and search.
  static void visit_runtime(DecodeOptions& self, OptionCollector& v);
  // With SearchOptions::visit_without_nbest().
  static void visit_without_nbest(DecodeOptions& self, OptionCollector& v, std::string_view note);
  friend bool operator==(const DecodeOptions&, const DecodeOptions&) = default;
};

// Throws UsageError if the options of the search are out of range or contradict each other
// (check_options()) or the terms.
void check_options(const DecodeOptions& options);

class SequenceModel;

// The options, with the model's defaults for those of the search that are not set, and with the
// files of `protect` open.
DecodeOptions with_defaults(DecodeOptions options, const SequenceModel& model);

struct ScoreOptions {
  int64_t batch_tokens = 2048;  // of each side in the batch of each thread
  Device device = Device::cpu;
  ComputeChoice compute = ComputeChoice::fp32;
  std::optional<int64_t> threads = {};
  bool strict = false;

  static void visit(ScoreOptions& self, OptionCollector& v);
};

}  // namespace heed
