#include "heed/evaluate/metric_options.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "heed/evaluate/chrf.h"

namespace heed {
namespace {

// An option that differs from its default, and the metrics that it is for.
struct MetricOption {
  bool given;
  std::string_view flag;
  std::vector<std::string> metrics;
};

bool any_named(const std::vector<std::string>& named, const std::vector<std::string>& wanted) {
  return std::find_first_of(named.begin(), named.end(), wanted.begin(), wanted.end()) !=
         named.end();
}

}  // namespace

std::vector<std::string> metric_names(const MetricOptions& options) {
  const std::vector<std::string> known{"bleu",     "chrf", "chrf++", "ter", "brackets",
                                       "accuracy", "f1",   "spans",  "aer"};
  const std::string expected =
      fmt::format("{} or {}", fmt::join(known.begin(), known.end() - 1, ", "), known.back());
  std::vector<std::string> names;
  for (const std::string& name : split_at_commas(options.metrics)) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const std::string& metric) {
      return names_choice(name, metric);
    });
    if (found == known.end()) {
      fail_usage("--metrics: expected {}, got '{}'{}", expected, name, suggestion(name, known));
    }
    if (any_named(names, {*found})) fail_usage("--metrics names {} twice: name each once", *found);
    names.push_back(*found);
  }
  if (names.empty()) fail_usage("--metrics: expected {}, got none", expected);
  return names;
}

void check_options(const MetricOptions& options) {
  const MetricOptions usual;
  const MetricOption given[] = {
      {options.lowercase, "--lowercase", {"bleu", "chrf", "chrf++"}},
      {options.bleu_tokenize.has_value(), "--bleu-tokenize", {"bleu"}},
      {options.smooth_method != usual.smooth_method, "--smooth-method", {"bleu"}},
      {options.smooth_value.has_value(), "--smooth-value", {"bleu"}},
      {options.ter.normalized, "--ter-normalized", {"ter"}},
      {options.ter.no_punctuation, "--ter-no-punct", {"ter"}},
      {options.ter.asian_support, "--ter-asian-support", {"ter"}},
      {options.ter.case_sensitive, "--ter-case-sensitive", {"ter"}},
      {options.brackets.max_words.has_value(), "--brackets-max-words", {"brackets"}},
      {options.spans.scheme != usual.spans.scheme, "--span-scheme", {"spans"}},
  };
  const std::vector<std::string> named = metric_names(options);
  for (const MetricOption& option : given) {
    if (!option.given || any_named(named, option.metrics)) continue;
    fail_usage("{} changes nothing: --metrics is {}, add {} or leave the option out", option.flag,
               fmt::join(named, ","), option.metrics.front());
  }
  const bool takes_value = options.smooth_method == BleuSmoothing::floor ||
                           options.smooth_method == BleuSmoothing::add_k;
  if (options.smooth_value && !takes_value) {
    fail_usage("--smooth-value goes with --smooth-method floor or add-k, not {}",
               to_text(options.smooth_method));
  }
  if (options.ter.asian_support && !options.ter.normalized && !options.ter.no_punctuation) {
    fail_usage("--ter-asian-support needs --ter-normalized or --ter-no-punct to change anything");
  }
}

void MetricOptions::visit(MetricOptions& self, OptionCollector& v) {
  v("metrics", self.metrics,
    {.help =
         "Metrics, separated by spaces or commas: bleu, chrf (chrF2), chrf++ (chrF2++), ter, "
         "brackets (of parse trees, one a line), accuracy, f1 and spans (of labels, separated by "
         "spaces), aer (alignment error rate of lines such as 0-0 2-1, as heed align writes them)",
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
  v("brackets_max_words", self.brackets.max_words,
    {.help = "Brackets: score only sentences of at most N words in the reference",
     .default_text = "no limit",
     .minimum = 1});
  v("span_scheme", self.spans.scheme,
    {.help = "Spans: rules of B- and I- labels, as conlleval's and seqeval's default, or as "
             "seqeval's strict IOB2"});
}

std::vector<std::unique_ptr<SystemStatistics>> measure(std::span<const Lines> systems,
                                                       std::span<const Lines> references,
                                                       const MetricOptions& options) {
  std::vector<std::unique_ptr<SystemStatistics>> measurements;
  for (const std::string& metric : metric_names(options)) {
    if (metric == "bleu") {
      measurements.push_back(bleu_system_statistics(
          systems, references,
          {options.bleu_tokenize.value_or(BleuOptions().tokenizer), options.lowercase,
           options.smooth_method, options.smooth_value, options.sentence}));
    } else if (metric == "ter") {
      measurements.push_back(ter_system_statistics(systems, references, options.ter));
    } else if (metric == "brackets") {
      measurements.push_back(bracket_system_statistics(systems, references, options.brackets));
    } else if (metric == "aer") {
      measurements.push_back(alignment_system_statistics(systems, references));
    } else if (metric == "spans") {
      measurements.push_back(span_system_statistics(systems, references, options.spans));
    } else if (metric == "accuracy" || metric == "f1") {
      measurements.push_back(label_system_statistics(
          systems, references, metric == "accuracy" ? LabelMetric::accuracy : LabelMetric::f1));
    } else {
      measurements.push_back(chrf_system_statistics(
          systems, references, {metric == "chrf++" ? kChrfWordOrder : 0, options.lowercase}));
    }
  }
  return measurements;
}

}  // namespace heed
