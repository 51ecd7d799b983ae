// heed evaluate: scores of translations against references.
#include <algorithm>

#include "commands/commands.h"
#include "files/lost_sentences.h"
#include "files/outputs.h"
#include "files/reverse_model.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/core/json_text.h"
#include "heed/decode/model.h"
#include "heed/evaluate/chrf.h"
#include "heed/evaluate/metric_options.h"
#include "heed/model/sequence_model.h"
#include "heed/pages/evaluation_page.h"
#include "heed/text/variation.h"

namespace heed {

namespace {

struct EvaluateSettings {
  std::vector<std::string> hypothesis;
  std::string model, reverse_model, source;
  std::vector<std::string> reference;
  MetricOptions metrics;
  std::optional<PairedTest> paired;
  std::optional<int64_t> paired_trials, paired_seed;
  bool per_class = false, json = false;
  std::string html;
  std::vector<std::string> vary;
  DecodeOptions decode;

  static void visit(auto& self, auto&& v) {
    v.group("Text");
    v("hypothesis", self.hypothesis,
      {.help = "Translations to score, one per line; several files are several systems, - is "
               "standard input",
       .value = "FILE"});
    v("model", self.model,
      {.help = "Translate --source with this model, instead of --hypothesis", .value = "DIR"});
    v("reverse_model", self.reverse_model,
      {.help = "With --model: a model that translates back, for a better confidence: the one of "
               "heed calibrate --reverse-model",
       .value = "DIR"});
    v("source", self.source,
      {.help = "Text to translate with --model; with --hypothesis, shown on the page of --html",
       .value = "FILE"});
    v("reference", self.reference,
      {.help = "Reference translations, one per line; several files are several references",
       .value = "FILE",
       .required = true});
    v.group("Metrics");
    MetricOptions::visit(self.metrics, v);
    v.group("Varied text");
    v("vary", self.vary,
      {.help =
           "With --model, also score the text as users may write it: upper (in capitals), title "
           "(a capital for each word), unpunctuated (without the punctuation at the end), typos "
           "(typing errors in the source), noise (a web address, code, placeholder or emoji in "
           "the source and the references); the scores of upper and title ignore case",
       .value = "NAME",
       .default_text = "none"});
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
    v("per_class", self.per_class,
      {.help = "Also print precision, recall and F1 of each class of f1 and spans; --json has them "
               "always"});
    v("json", self.json, {.help = "Print a JSON list of name, score and signature"});
    v("html", self.html,
      {.help = "Also write a page that compares the systems sentence by sentence",
       .value = "FILE"});
    DecodeOptions::visit_without_nbest(self.decode, v, " (with --model)");
  }
};

using Measurements = std::vector<std::unique_ptr<SystemStatistics>>;  // by metric

bool is_named(const std::string& metric, const MetricOptions& options) {
  const std::vector<std::string> names = metric_names(options);
  return std::find(names.begin(), names.end(), metric) != names.end();
}

// UsageError where options contradict each other or would change nothing.
void check_settings(const EvaluateSettings& settings) {
  check_options(settings.metrics);
  const bool translates = !settings.model.empty(), has_source = !settings.source.empty();
  const size_t systems = settings.hypothesis.size();
  if (systems == 0 ? !(translates && has_source) : translates)
    fail_usage("give either --hypothesis, or --model and --source to translate first");
  if (!translates && has_source && settings.html.empty())
    fail_usage("--source changes nothing: give --model to translate it, or --html to show it");
  if (!translates && !settings.reverse_model.empty())
    fail_usage("--reverse-model changes nothing: there is no --model");
  std::vector<std::string> sorted = settings.hypothesis;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) fail_usage("--hypothesis names '{}' twice: name each once", *twice);
  DecodeOptions decode = settings.decode;
  for (const Option& option : options_of(decode))
    if (!translates && !option.info.ignored_in_comparison && option.read() != option.defaults)
      fail_usage("{} changes nothing: there is no --model", option.flag());
  if (!settings.vary.empty() && !translates)
    fail_usage("--vary changes the text that a model translates: give --model and --source");
  if (!settings.vary.empty() && settings.metrics.sentence)
    fail_usage("--vary scores whole texts: it contradicts --sentence");
  variations_named(settings.vary);  // may throw
  if (settings.metrics.sentence && systems > 1)
    fail_usage("--sentence scores one system, got {} with --hypothesis", systems);
  if (settings.per_class && (settings.json || settings.metrics.sentence || systems > 1))
    fail_usage(
        "--per-class is for the text of one system: give it without --json, --sentence and "
        "further systems");
  if (settings.per_class && !is_named("f1", settings.metrics) &&
      !is_named("spans", settings.metrics))
    fail_usage("--per-class changes nothing: --metrics is {}, add f1 or spans",
               fmt::join(metric_names(settings.metrics), ","));
  if (settings.paired && systems < 2)
    fail_usage("--paired compares systems: give two or more with --hypothesis");
  if (!settings.paired && (settings.paired_trials || settings.paired_seed))
    fail_usage("--paired-trials and --paired-seed go with --paired bootstrap or randomization");
}

std::vector<NamedInput> inputs_of(const EvaluateSettings& settings) {
  std::vector<NamedInput> inputs{{"--source", settings.source}};
  for (const std::string& name : settings.hypothesis) inputs.emplace_back("--hypothesis", name);
  for (const std::string& name : settings.reference) inputs.emplace_back("--reference", name);
  return inputs;
}

// With --model the system is the text to translate. The source is for the page.
EvaluatedTexts read_texts(const EvaluateSettings& settings, const Console& console) {
  EqualTexts files(console, settings.decode.strict);
  const auto read = [&](const std::vector<std::string>& names) {
    NamedTexts found{names, {}};
    for (const std::string& name : names) found.texts.push_back(files.read(name));
    return found;
  };
  EvaluatedTexts texts;
  texts.systems = read(settings.model.empty() ? settings.hypothesis : std::vector{settings.source});
  texts.references = read(settings.reference);
  if (settings.html.empty() || settings.source.empty()) return texts;
  texts.source = settings.model.empty() ? read({settings.source}) : texts.systems;
  return texts;
}

// Replaces the text by its translation. Returns the confidence in each line, where the model has
// one.
std::vector<std::optional<double>> translate(const Model& model, const EvaluateSettings& settings,
                                             Lines& text, const Console& console) {
  const Lines sources = std::move(text);
  text.clear();
  std::vector<std::optional<double>> confidences;
  for (Translation& one : model.translator(settings.decode).translate(sources)) {
    text.push_back(std::move(one.hypotheses.front().text));
    confidences.push_back(one.confidence);
  }
  LostSentences lost(settings.decode.split);
  for (size_t i = 0; i < sources.size(); ++i) {
    lost.add_source(sources[i]);
    lost.add_translation(text[i]);
  }
  if (const std::string warning = lost.warning(); !warning.empty()) console.warn(warning);
  return confidences;
}

// The translations of a model that was calibrated, compared with the references; nothing of
// another model.
std::optional<EvaluatedConfidence> confidence_of(
    const Model& model, const EvaluateSettings& settings,
    const std::vector<std::optional<double>>& confidences, const EvaluatedTexts& texts) {
  const Confidences& measured = model.parts().model.generation_defaults().confidence;
  const auto& known = settings.decode.reverse ? measured.with_reverse : measured.alone;
  const bool any =
      std::ranges::any_of(confidences, [](const auto& one) { return one.has_value(); });
  if (!known || !any) return {};
  EvaluatedConfidence found{.good_chrf = known->good_chrf};
  const std::vector<Lines>& references = texts.references.texts;
  const std::vector<ChrfStatistics> statistics =
      chrf_statistics(texts.systems.texts[0], references);
  for (size_t i = 0; i < confidences.size(); ++i) {
    std::optional<Prediction>& one = found.sentences.emplace_back();
    if (!confidences[i]) continue;
    const double chrf = chrf_score(statistics[i], references.size()).score;
    one = {*confidences[i], chrf >= known->good_chrf};
  }
  return found;
}

// Without --bleu-tokenize: with --model the tokenizer that suits the references, with
// --hypothesis sacreBLEU's default, so that the scores are those of sacreBLEU.
BleuTokenizer bleu_tokenizer(const EvaluateSettings& settings, const std::vector<Lines>& references,
                             const Console& console) {
  if (settings.metrics.bleu_tokenize) return *settings.metrics.bleu_tokenize;
  const bool used = is_named("bleu", settings.metrics);
  const BleuTokenizer usual = BleuOptions().tokenizer;
  const BleuTokenizer suitable = used ? suitable_bleu_tokenizer(references) : usual;
  if (!settings.model.empty()) {
    if (used)
      console.note(fmt::format("BLEU tokenizer: {}, chosen by the writing system of {}",
                               to_text(suitable), settings.reference[0]));
    return suitable;
  }
  if (suitable != usual)
    console.warn(
        fmt::format("{} has no spaces between words: BLEU with the tokenizer {} takes whole "
                    "sentences as words; give --bleu-tokenize {} (or {}, as sacreBLEU's default)",
                    settings.reference[0], to_text(usual), to_text(suitable), to_text(usual)));
  return usual;
}

bool is_equal_to_first(const SystemStatistics& metric, size_t system) {
  for (size_t line = 0; line < metric.sentences(); ++line)
    if (metric.sentence(0, line).score != metric.sentence(system, line).score) return false;
  return true;
}

// As the p-value counts the observed difference among those by chance, that of equal systems is
// the smallest there is, in sacreBLEU too.
void warn_of_equal_systems(const NamedTexts& systems, const Measurements& measured,
                           const Console& console) {
  for (size_t i = 1; i < systems.texts.size(); ++i) {
    std::vector<std::string> equal;
    for (const auto& metric : measured)
      if (is_equal_to_first(*metric, i)) equal.push_back(metric->sentence(0, 0).name);
    if (equal.empty()) continue;
    const bool one_text = systems.texts[i] == systems.texts[0];
    console.warn(fmt::format(
        "{} and {} {}: their p-values, which are sacreBLEU's, mean nothing", systems.names[0],
        systems.names[i],
        one_text ? "are the same text"
                 : fmt::format("have the same {} in every line", fmt::join(equal, ", "))));
  }
}

// BLEU multiplies the precisions of n-grams of 1 to 4 words, and is 0 where a text has none of 4.
void explain_zero_bleu(const EvaluateSettings& settings, const EvaluatedTexts& texts,
                       const std::vector<MetricReport>& reports, const Console& console) {
  const BleuOptions options{settings.metrics.bleu_tokenize.value(), settings.metrics.lowercase};
  for (const MetricReport& report : reports) {
    for (size_t i = 0; i < report.scores.size(); ++i) {
      if (report.scores[i].name != "BLEU" || report.scores[i].score > 0) continue;
      const BleuStatistics counts =
          bleu(texts.systems.texts[i], texts.references.texts, options).statistics;
      if (counts.matches[0] == 0 || counts.totals[kBleuOrder - 1] > 0) continue;
      console.warn(fmt::format(
          "BLEU of {} is 0, since no line of {} has {} words: give --metrics chrf, or "
          "--sentence, whose BLEU uses the n-grams that a line has",
          texts.systems.names[i], settings.model.empty() ? "it" : "the translations", kBleuOrder));
    }
  }
}

// EVALB leaves out sentences that it cannot compare, which can be most of a text without a low
// score.
void warn_of_uncompared_trees(const EvaluateSettings& settings, const EvaluatedTexts& texts,
                              const Console& console) {
  if (!is_named("brackets", settings.metrics)) return;
  const Lines& references = texts.references.texts[0];
  for (size_t system = 0; system < texts.systems.texts.size(); ++system) {
    const Lines& trees = texts.systems.texts[system];
    BracketStatistics sum;
    std::string first;
    for (size_t i = 0; i < trees.size(); ++i) {
      const auto [statistics, problem] =
          compare_trees(trees[i], references[i], settings.metrics.brackets);
      sum += statistics;
      if (first.empty() && !problem.empty()) {
        first = fmt::format("{}:{}: {}", texts.systems.names[system], i + 1, problem);
      }
    }
    if (first.empty()) continue;
    console.warn(
        fmt::format("{}; the brackets of {} of {} do not count, as in EVALB: {}, {} skipped", first,
                    sum.errors + sum.skipped, detail::counted(sum.sentences, "sentence"),
                    detail::counted(sum.errors, "error"), sum.skipped));
  }
}

std::vector<MetricReport> without_classes(std::vector<MetricReport> reports) {
  for (MetricReport& report : reports)
    for (MetricScore& score : report.scores) score.classes.clear();
  return reports;
}

std::optional<PairedTestOptions> paired_options(const EvaluateSettings& settings) {
  if (!settings.paired) return std::nullopt;
  PairedTestOptions options{.test = *settings.paired};
  options.trials =
      settings.paired_trials.value_or(options.test == PairedTest::bootstrap ? 1000 : 10000);
  options.seed = uint64_t(settings.paired_seed.value_or(int64_t(options.seed)));
  return options;
}

// One line per sentence, for comparison line by line; signatures go to standard error.
void print_sentences(const Measurements& metrics, bool json, Console& console) {
  for (size_t i = 0; i < metrics[0]->sentences(); ++i) {
    std::vector<MetricReport> scores;
    std::string line;
    for (const auto& metric : metrics) {
      const MetricScore& score = scores.emplace_back().scores.emplace_back(metric->sentence(0, i));
      line += (line.empty() ? "" : "\t") + score.line;
      if (i == 0 && !json) console.note(fmt::format("{}: {}", score.name, score.signature));
    }
    console.out().write(json ? json_scores(scores) : line + "\n");
  }
}

// The scores of one variation of the text, and those of the text itself by the same metrics.
struct VariedScores {
  Variation variation{};
  std::vector<MetricReport> varied, plain;
};

// The source and the references, each line of them varied in the same way.
void vary_texts(Variation variation, Lines& source, std::vector<Lines>& references) {
  constexpr uint64_t kSeed = 1;
  const Lines plain = source;
  for (Lines& reference : references)
    for (size_t i = 0; i < reference.size(); ++i) {
      Random random(detail::mix(kSeed, i));  // of the line: each reference gets the same noise
      const LinePair pair = varied(variation, {plain[i], reference[i]}, {}, random);
      source[i] = pair.source;
      reference[i] = pair.target;
    }
}

VariedScores scores_under(Variation variation, const Model& model, const EvaluateSettings& settings,
                          const EvaluatedTexts& texts, const Lines& source,
                          const Console& console) {
  console.note(fmt::format("translating the text under {}", to_text(variation)));
  MetricOptions metrics = settings.metrics;
  if (is_of_case(variation)) metrics.lowercase = true;
  const auto reports = [&](std::span<const Lines> systems, std::span<const Lines> references) {
    std::vector<MetricReport> found;
    for (const auto& metric : measure(systems, references, metrics))
      found.push_back(metric_report(*metric, std::nullopt));
    return found;
  };
  Lines text = source;
  std::vector<Lines> references = texts.references.texts;
  vary_texts(variation, text, references);
  translate(model, settings, text, console);
  return {variation, reports({&text, 1}, references),
          reports(texts.systems.texts, texts.references.texts)};
}

// "BLEU under upper, ignoring case: 21.35, 33.99 without"
std::string text_of(const VariedScores& scores) {
  std::string text;
  for (size_t i = 0; i < scores.varied.size(); ++i)
    text += fmt::format("{} under {}{}: {:.2f}, {:.2f} without\n", scores.varied[i].scores[0].name,
                        to_text(scores.variation),
                        is_of_case(scores.variation) ? ", ignoring case" : "",
                        scores.varied[i].scores[0].score, scores.plain[i].scores[0].score);
  return text;
}

// The list of scores with those of the variations behind them.
std::string with_variations(const std::string& scores, const std::vector<VariedScores>& varied) {
  auto list = nlohmann::ordered_json::parse(scores);
  for (const VariedScores& each : varied)
    for (size_t i = 0; i < each.varied.size(); ++i) {
      const MetricScore& score = each.varied[i].scores[0];
      list.push_back({{"name", score.name},
                      {"score", score.score},
                      {"signature", score.signature},
                      {"variation", to_text(each.variation)},
                      {"without", each.plain[i].scores[0].score}});
    }
  return json_text(list) + "\n";
}

// The page has scores of the corpus and of sentences, which differ in the options of BLEU.
std::string page_of(const EvaluateSettings& settings, const EvaluatedTexts& texts,
                    const Measurements& measured, const std::vector<MetricReport>& reports,
                    const std::optional<EvaluatedConfidence>& confidence) {
  const std::optional<PairedTestOptions> test = paired_options(settings);
  MetricOptions others = settings.metrics;
  others.sentence = !others.sentence;
  others.metrics = {"bleu"};
  Measurements bleu;
  std::vector<EvaluatedMetric> metrics;
  for (size_t i = 0; i < measured.size(); ++i) {
    EvaluatedMetric& metric =
        metrics.emplace_back(EvaluatedMetric{reports[i], measured[i].get(), measured[i].get()});
    if (metric.report.scores[0].name != "BLEU") continue;
    bleu = measure(texts.systems.texts, texts.references.texts, others);
    if (others.sentence) {
      metric.sentence = bleu[0].get();
    } else {
      metric.corpus = bleu[0].get();
      metric.report = metric_report(*metric.corpus, test);
    }
  }
  return evaluation_page(texts, metrics, test, confidence);
}

int run_evaluate(const EvaluateSettings& given, const Words&, Console& console) {
  EvaluateSettings settings = given;
  check_settings(settings);
  PageFile page(settings.html, files_read(settings.model, inputs_of(settings)), console);
  EvaluatedTexts texts = read_texts(settings, console);
  NamedTexts& systems = texts.systems;
  const Lines source = settings.vary.empty() ? Lines() : systems.texts[0];
  std::optional<Model> model;
  std::optional<EvaluatedConfidence> confidence;
  if (!settings.model.empty()) {
    const Computation computation(settings.decode.compute, settings.decode.device);
    model.emplace(settings.model, computation);
    settings.decode.reverse =
        open_reverse_model(settings.reverse_model, computation, *model, settings.model);
    console.note(fmt::format("translating {} on {}",
                             detail::counted(int64_t(systems.texts[0].size()), "line"),
                             model->backend().name()));
    const auto confidences = translate(*model, settings, systems.texts[0], console);
    confidence = confidence_of(*model, settings, confidences, texts);
  }
  settings.metrics.bleu_tokenize = bleu_tokenizer(settings, texts.references.texts, console);
  const Measurements measured = measure(systems.texts, texts.references.texts, settings.metrics);
  warn_of_uncompared_trees(settings, texts, console);
  if (settings.paired) warn_of_equal_systems(systems, measured, console);
  const std::optional<PairedTestOptions> test = paired_options(settings);
  std::vector<MetricReport> reports;
  for (const auto& metric : measured) reports.push_back(metric_report(*metric, test));
  if (settings.metrics.sentence) {
    print_sentences(measured, settings.json, console);
  } else {
    explain_zero_bleu(settings, texts, reports, console);
    std::vector<VariedScores> varied;
    for (const Variation variation : variations_named(settings.vary))
      varied.push_back(scores_under(variation, *model, settings, texts, source, console));
    std::string scores = settings.json
                             ? json_scores(reports, systems.names)
                             : text_scores(settings.per_class ? reports : without_classes(reports),
                                           systems.names, test);
    if (settings.json && !varied.empty()) scores = with_variations(scores, varied);
    if (!settings.json)
      for (const VariedScores& each : varied) scores += text_of(each);
    console.out().write(scores);
  }
  if (confidence) console.note(text_of_confidence(*confidence));
  if (!settings.model.empty()) systems.names = {settings.model};
  page.write([&] { return page_of(settings, texts, measured, reports, confidence); },
             "page of " + detail::counted(int64_t(systems.texts[0].size()), "sentence"));
  return 0;
}

}  // namespace

Command make_evaluate_command() {
  return with_settings(
      run_evaluate,
      {.name = "evaluate",
       .summary = "Scores translations against references",
       .description =
           "Scores equal those of sacreBLEU 2.6 to every digit that it prints, with the same "
           "signatures; of parse trees those of EVALB, of labels those of scikit-learn and "
           "seqeval. See docs/evaluate.md.",
       .inputs = {{"hypothesis"}, {"model", "source"}},
       .memory_advice = "all texts are kept in memory: shorter files take less"});
}

}  // namespace heed
