// Options of the search for the translations of a sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "heed/core/options.h"
#include "heed/decode/sampling.h"
#include "heed/model/generation_defaults.h"

namespace heed {

struct SearchOptions {
  // Unset values are the model's own (with_defaults()), or else the defaults below.
  std::optional<int64_t> beam;           // beam size (section 6.1); not with `sample`
  std::optional<double> length_penalty;  // alpha of section 6.1 (Wu et al., 2016, equation 14)
  // Lengths in tokens, of a translation or of a prompt with its continuation: the maximum counts
  // </s>, the minimum does not.
  int64_t extra_length = 50;         // maximum length = length of source or prompt + extra_length
  int64_t max_length = 0;            // maximum length; 0: by extra_length
  int64_t min_length = 0;            // minimum length
  int64_t nbest = 1;                 // hypotheses to return, at most `beam`; or number of samples
  int64_t no_repeat_ngram_size = 0;  // n-grams of this length are not repeated; 0 disables

  // Diverse beam search (Vijayakumar et al., 2016): the beam is split into groups, and a token's
  // log-probability is lowered by `diversity_penalty` for each time that earlier groups chose it at
  // the same step.
  int64_t beam_groups = 1;
  std::optional<double> diversity_penalty;

  // Instead of beam search: `nbest` independent samples. A draw is a function of the seed, the
  // source, the number of the sample and the position.
  bool sample = false;
  std::optional<double> temperature, top_p;  // of SamplingOptions
  std::optional<int64_t> top_k, seed;

  // The values of options that are not set.
  static constexpr int64_t kDefaultBeam = 4, kDefaultSeed = 1;
  static constexpr double kDefaultLengthPenalty = 0.6, kDefaultDiversityPenalty = 0.5;

  int64_t beam_size() const { return beam.value_or(kDefaultBeam); }
  // Of a group of diverse beam search; without groups, the beam size.
  int64_t group_size() const { return beam_size() / beam_groups; }
  double length_penalty_or_default() const {
    return length_penalty.value_or(kDefaultLengthPenalty);
  }
  double diversity_penalty_or_default() const {
    return diversity_penalty.value_or(kDefaultDiversityPenalty);
  }
  uint64_t sampling_seed() const { return uint64_t(seed.value_or(kDefaultSeed)); }
  SamplingOptions sampling() const {
    const SamplingOptions defaults;
    return {temperature.value_or(defaults.temperature), top_k.value_or(defaults.top_k),
            top_p.value_or(defaults.top_p)};
  }
  // Number of hypotheses of a sentence that are decoded together: the beam or the samples.
  int64_t hypothesis_count() const { return sample ? nbest : beam_size(); }

  static void visit(SearchOptions& self, OptionCollector& v);
  // The same of a language model, whose lengths are those of prompt and continuation together.
  static void visit_to_generate(SearchOptions& self, OptionCollector& v);
  // Those of a parser: the lengths of a tree follow from its words.
  static void visit_to_parse(SearchOptions& self, OptionCollector& v);
  // Without those of n-best lists, for commands that use the best translation alone; `note` is
  // appended to the headings.
  static void visit_without_nbest(SearchOptions& self, OptionCollector& v, std::string_view note);
  friend bool operator==(const SearchOptions&, const SearchOptions&) = default;
};

// Limits of the sentences that are decoded together.
struct SearchLimits {
  int64_t hypotheses = SearchOptions::kDefaultBeam;  // of a sentence: hypothesis_count()
  int64_t batch_tokens = 1024;                       // source tokens of all sentences
};

// Maximum length of a translation, </s> included.
int64_t max_target_length(const SearchOptions& options, int64_t source_length,
                          int64_t max_positions);

// The options, with the model's defaults for those that are not set. A beam of the model that is
// too small for `nbest`, or that `beam_groups` does not divide, is not used.
SearchOptions with_defaults(SearchOptions options, const SearchDefaults& defaults);

// Throws UsageError where options are out of range, contradict each other or have no effect.
void check_options(const SearchOptions& options);

}  // namespace heed
