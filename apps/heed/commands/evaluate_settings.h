// The options of `heed evaluate`.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/decode/options.h"
#include "heed/evaluate/metric_options.h"
#include "heed/evaluate/significance.h"

namespace heed {

constexpr auto enum_names(PairedTest) {
  return std::array<std::pair<std::string_view, PairedTest>, 2>{
      {{"bootstrap", PairedTest::bootstrap}, {"randomization", PairedTest::randomization}}};
}

struct EvaluateSettings {
  std::vector<std::string> hypothesis;
  std::string model, source;
  std::vector<std::string> reference;
  MetricOptions metrics;
  std::optional<PairedTest> paired;
  std::optional<int64_t> paired_trials, paired_seed;
  bool json = false;
  std::string html;
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
    v("source", self.source,
      {.help = "Text to translate with --model; with --hypothesis, shown on the page of --html",
       .value = "FILE"});
    v("reference", self.reference,
      {.help = "Reference translations, one per line; several files are several references",
       .value = "FILE",
       .required = true});
    v.group("Metrics");
    MetricOptions::visit(self.metrics, v);
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
    v("html", self.html,
      {.help = "Also write a page that compares the systems sentence by sentence",
       .value = "FILE"});
    DecodeOptions::visit_without_nbest(self.decode, v, " (with --model)");
  }
};

// Throws UsageError where options contradict each other or would change nothing.
void check_settings(const EvaluateSettings& settings);

}  // namespace heed
