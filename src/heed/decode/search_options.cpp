#include "heed/decode/search_options.h"

#include <algorithm>

namespace heed {
namespace {

// The defaults of optional fields, as text.
struct DefaultTexts {
  std::string beam = fmt::format("{}, or the model's", SearchOptions::kDefaultBeam);
  std::string length_penalty =
      fmt::format("{}, or the model's", SearchOptions::kDefaultLengthPenalty);
  std::string diversity_penalty = to_text(SearchOptions::kDefaultDiversityPenalty);
  std::string temperature = to_text(SamplingOptions().temperature);
  std::string top_p = to_text(SamplingOptions().top_p);
  std::string seed = to_text(SearchOptions::kDefaultSeed);
};

// Options that contradict each other, or do nothing without another.
void check_sampling(const SearchOptions& options) {
  const auto needs_sample = [](const auto& value, const char* flag) {
    if (value) fail_usage("{}: changes nothing without --sample", flag);
  };
  if (!options.sample) {
    needs_sample(options.temperature, "--temperature");
    needs_sample(options.top_k, "--top-k");
    needs_sample(options.top_p, "--top-p");
    needs_sample(options.seed, "--seed");
    return;
  }
  if (options.beam)
    fail_usage(
        "--beam {}: belongs to beam search, not to --sample; --nbest {} draws that many samples",
        *options.beam, *options.beam);
  if (options.beam_groups > 1)
    fail_usage("--beam-groups {}: belongs to beam search, not to --sample", options.beam_groups);
}

// Help texts that differ between translating and continuing a text.
struct SearchTexts {
  const char *length_penalty, *extra_length, *max_length, *min_length, *nbest;
};

constexpr SearchTexts kTranslating{
    .length_penalty =
        "Length penalty (alpha in the paper); larger values favour longer translations",
    .extra_length = "Number of tokens by which a translation may be longer than its source",
    .max_length = "Maximum length of a translation, with </s>; 0: by --extra-length",
    .min_length = "Minimum length of a translation, without </s>",
    .nbest =
        "Number of translations for each line, at most --beam; with --sample: number of samples"};

constexpr SearchTexts kGenerating{
    .length_penalty =
        "Length penalty (alpha in the paper); larger values favour longer continuations",
    .extra_length = "Number of tokens that may follow a prompt, with </s>",
    .max_length =
        "Maximum length of a prompt and its continuation, with </s>; 0: by --extra-length",
    .min_length = "Minimum length of a prompt and its continuation, without </s>",
    .nbest =
        "Number of continuations for each prompt, at most --beam; with --sample: number of "
        "samples"};

constexpr SearchTexts kParsing{
    .length_penalty =
        "Length penalty (alpha in the paper, 0.3 in its section 6.3); larger values "
        "favour trees of more constituents",
    .extra_length = "",
    .max_length = "",
    .min_length = "",
    .nbest = "Number of trees for each sentence, at most --beam; with --sample: number of samples"};

void visit_beam(SearchOptions& self, OptionCollector& v, const SearchTexts& texts) {
  static const DefaultTexts defaults;
  v("beam", self.beam,
    {.help = "Beam size; 1: greedy search. Not with --sample",
     .default_text = defaults.beam,
     .minimum = 1,
     .maximum = 1024});
  v("length_penalty", self.length_penalty,
    {.help = texts.length_penalty,
     .default_text = defaults.length_penalty,
     .minimum = 0,
     .maximum = 10});
}

void visit_search(SearchOptions& self, OptionCollector& v, const SearchTexts& texts) {
  visit_beam(self, v, texts);
  v("extra_length", self.extra_length,
    {.help = texts.extra_length, .unit = "tokens", .minimum = 0, .maximum = 65536});
  v("max_length", self.max_length,
    {.help = texts.max_length, .unit = "tokens", .minimum = 0, .maximum = 65536});
  v("min_length", self.min_length,
    {.help = texts.min_length, .unit = "tokens", .minimum = 0, .maximum = 65536});
  v("no_repeat_ngram_size", self.no_repeat_ngram_size,
    {.help = "Forbid repeated n-grams of this length; 0 disables",
     .unit = "tokens",
     .minimum = 0,
     .maximum = 64});
}

// N-best options.
void visit_nbest(SearchOptions& self, OptionCollector& v, const SearchTexts& texts) {
  static const DefaultTexts defaults;
  v("nbest", self.nbest, {.help = texts.nbest, .minimum = 1, .maximum = 1024});
  v("beam_groups", self.beam_groups,
    {.help = "Number of beam groups in diverse beam search (Vijayakumar et al., 2016); --nbest "
             "takes from each in turn",
     .minimum = 1,
     .maximum = 1024});
  v("diversity_penalty", self.diversity_penalty,
    {.help =
         "Penalty on a token's log-probability for each hypothesis of earlier groups that chose "
         "it at the same step",
     .default_text = defaults.diversity_penalty,
     .minimum = 0,
     .maximum = 100});
}

void visit_sampling(SearchOptions& self, OptionCollector& v) {
  static const DefaultTexts defaults;
  v("sample", self.sample,
    {.help = "Sample from the model's distribution instead of beam search; the draws depend only "
             "on --seed and the line"});
  v("temperature", self.temperature,
    {.help = "Sampling temperature; values below 1 favour probable tokens",
     .default_text = defaults.temperature,
     .maximum = 100,
     .above = 0});
  v("top_k", self.top_k,
    {.help = "Sample from the K most probable tokens", .default_text = "all", .minimum = 1});
  v("top_p", self.top_p,
    {.help = "Sample from the smallest set of most probable tokens whose total probability reaches "
             "this value, after --top-k",
     .default_text = defaults.top_p,
     .maximum = 1,
     .above = 0});
  v("seed", self.seed,
    {.help = "Random seed for sampling", .default_text = defaults.seed, .minimum = 0});
}

void visit_all(SearchOptions& self, OptionCollector& v, const SearchTexts& texts) {
  v.group("Search");
  visit_search(self, v, texts);
  visit_nbest(self, v, texts);
  v.group("Sampling");
  visit_sampling(self, v);
}

}  // namespace

void SearchOptions::visit(SearchOptions& self, OptionCollector& v) {
  visit_all(self, v, kTranslating);
}

void SearchOptions::visit_to_generate(SearchOptions& self, OptionCollector& v) {
  visit_all(self, v, kGenerating);
}

void SearchOptions::visit_to_parse(SearchOptions& self, OptionCollector& v) {
  v.group("Search");
  visit_beam(self, v, kParsing);
  visit_nbest(self, v, kParsing);
  v.group("Sampling");
  visit_sampling(self, v);
}

void SearchOptions::visit_without_nbest(SearchOptions& self, OptionCollector& v,
                                        std::string_view note) {
  v.group(fmt::format("Search{}", note));
  visit_search(self, v, kTranslating);
  v.group(fmt::format("Sampling{}", note));
  visit_sampling(self, v);
}

int64_t max_target_length(const SearchOptions& options, int64_t source_length,
                          int64_t max_positions) {
  const int64_t wanted =
      options.max_length > 0 ? options.max_length : source_length + options.extra_length;
  return std::clamp<int64_t>(wanted, 1, max_positions);
}

SearchOptions with_defaults(SearchOptions options, const SearchDefaults& defaults) {
  if (!options.length_penalty) options.length_penalty = defaults.length_penalty;
  if (options.beam || options.sample || !defaults.beam) return options;
  const int64_t beam = *defaults.beam;
  if (options.nbest <= beam && beam % options.beam_groups == 0) options.beam = beam;
  return options;
}

void check_options(const SearchOptions& options) {
  validate(options);
  check_sampling(options);
  const int64_t beam = options.beam_size();
  if (!options.sample && options.nbest > beam)
    fail_usage("--nbest: expected at most the beam, {}, got '{}'", beam, options.nbest);
  if (beam % options.beam_groups != 0)
    fail_usage("--beam-groups: expected a divisor of the beam, {}, got '{}'", beam,
               options.beam_groups);
  if (options.diversity_penalty && options.beam_groups == 1)
    fail_usage("--diversity-penalty: changes nothing without --beam-groups of at least 2");
  if (options.max_length > 0 && options.min_length > options.max_length)
    fail_usage("--min-length: expected at most --max-length, {}, got '{}'", options.max_length,
               options.min_length);
}

}  // namespace heed
