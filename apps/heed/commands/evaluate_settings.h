// The options of `heed evaluate`.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/decode/options.h"
#include "heed/evaluate/bleu.h"
#include "heed/evaluate/significance.h"
#include "heed/evaluate/ter.h"

namespace heed {

// For the options' visit: the names that evaluate/ gives.
inline auto enum_names(BleuSmoothing) {
  const auto named = [](BleuSmoothing each) { return std::pair(name(each), each); };
  return std::array{named(BleuSmoothing::none), named(BleuSmoothing::floor),
                    named(BleuSmoothing::add_k), named(BleuSmoothing::exponential)};
}

constexpr auto enum_names(PairedTest) {
  return std::array<std::pair<std::string_view, PairedTest>, 2>{
      {{"bootstrap", PairedTest::bootstrap}, {"randomization", PairedTest::randomization}}};
}

struct EvaluateSettings {
  std::vector<std::string> hypothesis;
  std::string model, source;
  std::vector<std::string> reference;
  std::vector<std::string> metrics{"bleu"};
  bool lowercase = false;
  bool sentence = false;
  std::optional<BleuTokenizer> bleu_tokenize;
  BleuSmoothing smooth_method = BleuSmoothing::exponential;
  std::optional<double> smooth_value;
  TerOptions ter;
  std::optional<PairedTest> paired;
  std::optional<int64_t> paired_trials, paired_seed;
  bool json = false;
  DecodeOptions decode;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Text");
    v("hypothesis", self.hypothesis,
      {.help = "Translations to score, one per line; several files are several systems, - is "
               "standard input",
       .value = "FILE"});
    v("model", self.model,
      {.help = "Translate --source with this model, instead of --hypothesis", .value = "DIR"});
    v("source", self.source, {.help = "Text to translate with --model", .value = "FILE"});
    v("reference", self.reference,
      {.help = "Reference translations, one per line; several files are several references",
       .value = "FILE",
       .required = true});
    visit_metrics(self, v);
    v.group("Several systems");
    v("paired", self.paired,
      {.help = "Significance test of each system against the first", .default_text = "no test"});
    v("paired_trials", self.paired_trials,
      {.help = "Number of bootstrap samples, or of random assignments",
       .default_text = "1000 or 10000",
       .minimum = 1,
       .maximum = 1e6});
    v("paired_seed", self.paired_seed,
      {.help = "Random seed of the test; the samples are sacreBLEU's with the same seed",
       .default_text = "12345",
       .minimum = 0});
    v.group("Output");
    v("json", self.json, {.help = "Print a JSON list of name, score and signature"});
    DecodeOptions::visit_without_nbest(self.decode, v, " (with --model)");
  }

 private:
  template <class Self, class Visitor>
  static void visit_metrics(Self& self, Visitor&& v) {
    v.group("Metrics");
    v("metrics", self.metrics,
      {.help = "Metrics, separated by spaces or commas: bleu, chrf (chrF2), chrf++ (chrF2++), ter",
       .value = "NAME"});
    v("sentence", self.sentence,
      {.help = "Score each sentence alone, with the effective order in BLEU"});
    v("lowercase", self.lowercase, {.help = "BLEU and chrF: ignore case"});
    v("bleu_tokenize", self.bleu_tokenize,
      {.help = "Tokenizer of BLEU, named as sacreBLEU's --tokenize",
       .default_text = "13a; with --model by the writing system of the reference"});
    v("smooth_method", self.smooth_method,
      {.help = "BLEU smoothing method for n-gram orders without a match"});
    v("smooth_value", self.smooth_value,
      {.help = "Smoothing value of --smooth-method floor or add-k",
       .default_text = "0.1 or 1",
       .minimum = 0});
    v("ter_normalized", self.ter.normalized,
      {.help = "TER: separate punctuation from words and decode HTML entities (quotes, ampersands, "
               "angle brackets)"});
    v("ter_no_punct", self.ter.no_punctuation, {.help = "TER: ignore punctuation"});
    v("ter_asian_support", self.ter.asian_support,
      {.help = "TER: apply the two options above to Asian characters and punctuation"});
    v("ter_case_sensitive", self.ter.case_sensitive, {.help = "TER: distinguish case"});
  }
};

// The names of --metrics. Throws UsageError where one is unknown or given twice.
std::vector<std::string> metric_names(const EvaluateSettings& settings);

// Throws UsageError where options contradict each other or would change nothing.
void check_settings(const EvaluateSettings& settings);

}  // namespace heed
