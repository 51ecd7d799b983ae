// heed evaluate: scores of translations against references.
#include <algorithm>

#include "commands/commands.h"
#include "commands/evaluate_settings.h"
#include "files/lost_sentences.h"
#include "files/page_file.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/decode/model.h"
#include "heed/pages/evaluation_page.h"
#include "pages/evaluate_report.h"

namespace heed {
namespace {

using Measurements = std::vector<std::unique_ptr<SystemStatistics>>;  // by metric

// The texts to score, by system.
struct Systems {
  std::vector<std::string> names;
  std::vector<Lines> texts;
};

struct Texts {
  Systems systems;
  const std::vector<Lines>& references;
  std::optional<Lines> source;
};

struct Results {
  const Measurements& measured;
  std::vector<MetricReport> reports;
  const MetricOptions& options;
};

class EvaluateCommand : public CommandOf<EvaluateSettings> {
 public:
  std::string name() const override { return "evaluate"; }
  std::string summary() const override { return "Scores translations against references"; }
  std::string description() const override {
    return "Scores equal those of sacreBLEU 2.6 to every digit that it prints, with the same "
           "signatures. See docs/evaluate.md.";
  }

  std::vector<std::vector<std::string>> inputs() const override {
    return {{"hypothesis"}, {"model", "source"}};
  }

  std::string memory_advice() const override {
    return "all texts are kept in memory: shorter files take less";
  }

  int run(const std::vector<std::string>&, Console& console) override {
    check_settings(settings_);
    expect_streams_once();
    PageFile page(settings_.html, files_read(), console);
    Systems systems = read_systems(console);
    const std::vector<Lines> references = read_references(systems, console);
    std::optional<Lines> source = read_source(systems, console);
    if (!settings_.model.empty()) {
      const Model model(settings_.model, settings_.decode.compute);
      console.note(fmt::format("translating {} on {}",
                               detail::counted(int64_t(systems.texts[0].size()), "line"),
                               model.backend().name()));
      const Lines sources = std::move(systems.texts[0]);
      systems.texts[0] = model.translate(sources, settings_.decode);
      warn_of_lost_sentences(sources, systems.texts[0], console);
    }
    MetricOptions metrics = settings_.metrics;
    metrics.bleu_tokenize = bleu_tokenizer(references, console);
    const Measurements measured = measure(systems.texts, references, metrics);
    warn_of_equal_systems(systems, measured, console);
    std::vector<MetricReport> reports;
    for (const auto& metric : measured) reports.push_back(report_of(*metric));
    if (!metrics.sentence) explain_zero_bleu(systems, references, reports, metrics, console);
    print(systems, measured, reports, console);
    if (!page.wanted()) return 0;
    const size_t lines = systems.texts[0].size();
    page.write(evaluation_html({std::move(systems), references, std::move(source)},
                               {measured, std::move(reports), metrics}));
    console.note(
        fmt::format("page of {}: {}", detail::counted(int64_t(lines), "sentence"), settings_.html));
    return 0;
  }

 private:
  void expect_streams_once() const {
    std::vector<NamedInput> inputs{{"--source", settings_.source}};
    for (const std::string& name : settings_.hypothesis) inputs.emplace_back("--hypothesis", name);
    for (const std::string& name : settings_.reference) inputs.emplace_back("--reference", name);
    expect_distinct_streams(inputs);
  }

  std::vector<std::string> files_read() const {
    std::vector<std::string> read = files_of_model(settings_.model);
    read.push_back(settings_.source);
    read.insert(read.end(), settings_.hypothesis.begin(), settings_.hypothesis.end());
    read.insert(read.end(), settings_.reference.begin(), settings_.reference.end());
    return read;
  }

  // With --model, the text to translate.
  Systems read_systems(const Console& console) const {
    Systems systems;
    systems.names = settings_.hypothesis;
    if (systems.names.empty()) systems.names.push_back(settings_.source);
    const LineRules rules{settings_.decode.strict};
    systems.texts.push_back(read_text(systems.names[0], rules, console));
    for (size_t i = 1; i < systems.names.size(); ++i)
      systems.texts.push_back(read_text(systems.names[i], length_of(systems), rules, console));
    return systems;
  }

  std::vector<Lines> read_references(const Systems& systems, const Console& console) const {
    std::vector<Lines> references;
    for (const std::string& path : settings_.reference)
      references.push_back(read_text(path, length_of(systems), {settings_.decode.strict}, console));
    return references;
  }

  // For the page; with --model it is what was read to be translated.
  std::optional<Lines> read_source(const Systems& systems, const Console& console) const {
    if (settings_.html.empty() || settings_.source.empty()) return {};
    if (!settings_.model.empty()) return systems.texts[0];
    return read_text(settings_.source, length_of(systems), {settings_.decode.strict}, console);
  }

  // Every text must have as many lines as the first.
  static TextLength length_of(const Systems& systems) {
    return {systems.names[0], systems.texts[0].size()};
  }

  // Without --bleu-tokenize: with --model the tokenizer that suits the references, with
  // --hypothesis sacreBLEU's default, so that the scores are those of sacreBLEU.
  BleuTokenizer bleu_tokenizer(const std::vector<Lines>& references, const Console& console) const {
    if (settings_.metrics.bleu_tokenize) return *settings_.metrics.bleu_tokenize;
    const std::vector<std::string> metrics = metric_names(settings_.metrics);
    const bool used = std::find(metrics.begin(), metrics.end(), "bleu") != metrics.end();
    const BleuTokenizer usual = BleuOptions().tokenizer;
    const BleuTokenizer suitable = used ? suitable_bleu_tokenizer(references) : usual;
    if (!settings_.model.empty()) {
      if (used)
        console.note(fmt::format("BLEU tokenizer: {}, chosen by the writing system of {}",
                                 to_text(suitable), settings_.reference[0]));
      return suitable;
    }
    if (suitable != usual)
      console.warn(
          fmt::format("{} has no spaces between words: BLEU with the tokenizer {} takes whole "
                      "sentences as words; give --bleu-tokenize {} (or {}, as sacreBLEU's default)",
                      settings_.reference[0], to_text(usual), to_text(suitable), to_text(usual)));
    return usual;
  }

  void warn_of_lost_sentences(const Lines& sources, const Lines& translations,
                              const Console& console) const {
    LostSentences lost(settings_.decode.split);
    for (size_t i = 0; i < sources.size(); ++i) {
      lost.add_source(sources[i]);
      lost.add_translation(translations[i]);
    }
    if (const std::string warning = lost.warning(); !warning.empty()) console.warn(warning);
  }

  // As the p-value counts the observed difference among those by chance, that of equal systems is
  // the smallest there is, in sacreBLEU too.
  void warn_of_equal_systems(const Systems& systems, const Measurements& measured,
                             const Console& console) const {
    if (!settings_.paired) return;
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

  static bool is_equal_to_first(const SystemStatistics& metric, size_t system) {
    for (size_t line = 0; line < metric.sentences(); ++line)
      if (metric.sentence(0, line).score != metric.sentence(system, line).score) return false;
    return true;
  }

  // BLEU multiplies the precisions of n-grams of 1 to 4 words, and is 0 where a text has none of 4.
  void explain_zero_bleu(const Systems& systems, const std::vector<Lines>& references,
                         const std::vector<MetricReport>& reports, const MetricOptions& metrics,
                         const Console& console) const {
    const BleuOptions options{metrics.bleu_tokenize.value_or(BleuOptions().tokenizer),
                              metrics.lowercase};
    for (const MetricReport& report : reports) {
      for (size_t i = 0; i < report.scores.size(); ++i) {
        if (report.scores[i].name != "BLEU" || report.scores[i].score > 0) continue;
        const BleuStatistics counts = bleu(systems.texts[i], references, options).statistics;
        if (counts.matches[0] == 0 || counts.totals[kBleuOrder - 1] > 0) continue;
        console.warn(fmt::format(
            "BLEU of {} is 0, since no line of {} has {} words: give --metrics chrf, or "
            "--sentence, whose BLEU uses the n-grams that a line has",
            systems.names[i], settings_.model.empty() ? "it" : "the translations", kBleuOrder));
      }
    }
  }

  void print(const Systems& systems, const Measurements& metrics,
             const std::vector<MetricReport>& reports, Console& console) const {
    if (settings_.metrics.sentence) {
      print_sentences(metrics, console);
    } else if (systems.names.size() > 1) {
      console.out().write(settings_.json ? json_systems(systems.names, reports)
                                         : text_systems(systems.names, reports, paired_options()));
    } else {
      std::vector<MetricScore> scores;
      scores.reserve(reports.size());
      for (const MetricReport& report : reports) scores.push_back(report.scores[0]);
      console.out().write(settings_.json ? json_scores(scores) : text_scores(scores));
    }
  }

  // One line per sentence, for comparison line by line; signatures go to standard error.
  void print_sentences(const Measurements& metrics, Console& console) const {
    for (size_t i = 0; i < metrics[0]->sentences(); ++i) {
      std::vector<MetricScore> scores;
      std::string line;
      for (const auto& metric : metrics) {
        scores.push_back(metric->sentence(0, i));
        line += (line.empty() ? "" : "\t") + scores.back().line;
        if (i == 0 && !settings_.json) {
          console.note(fmt::format("{}: {}", scores.back().name, scores.back().signature));
        }
      }
      console.out().write(settings_.json ? json_scores(scores) : line + "\n");
    }
  }

  MetricReport report_of(const SystemStatistics& metric) const {
    const std::optional<PairedTestOptions> test = paired_options();
    MetricReport report;
    for (size_t system = 0; system < metric.systems(); ++system) {
      MetricScore& score = report.scores.emplace_back(metric.corpus(system));
      if (test) score.signature = paired_signature(score.signature, *test);
    }
    if (test) report.tests = paired_test(metric, *test);
    return report;
  }

  // The page has scores of the corpus and of sentences, which differ in the options of BLEU.
  std::string evaluation_html(Texts texts, Results results) const {
    MetricOptions others = results.options;
    others.sentence = !others.sentence;
    others.metrics = {"bleu"};
    Measurements bleu;
    std::vector<EvaluatedMetric> metrics;
    for (size_t i = 0; i < results.measured.size(); ++i) {
      const SystemStatistics* measured = results.measured[i].get();
      EvaluatedMetric& metric =
          metrics.emplace_back(EvaluatedMetric{std::move(results.reports[i]), measured, measured});
      if (metric.report.scores[0].name != "BLEU") continue;
      bleu = measure(texts.systems.texts, texts.references, others);
      if (others.sentence) {
        metric.sentence = bleu[0].get();
      } else {
        metric.corpus = bleu[0].get();
        metric.report = report_of(*metric.corpus);
      }
    }
    return evaluation_page(named(std::move(texts)), metrics, paired_options());
  }

  EvaluatedTexts named(Texts texts) const {
    EvaluatedTexts named;
    for (size_t i = 0; i < texts.systems.names.size(); ++i)
      named.systems.push_back({settings_.model.empty() ? texts.systems.names[i] : settings_.model,
                               std::move(texts.systems.texts[i])});
    for (size_t i = 0; i < texts.references.size(); ++i)
      named.references.push_back({settings_.reference[i], texts.references[i]});
    if (texts.source) named.source = {settings_.source, std::move(*texts.source)};
    return named;
  }

  std::optional<PairedTestOptions> paired_options() const {
    if (!settings_.paired) return std::nullopt;
    PairedTestOptions options;
    options.test = *settings_.paired;
    options.trials =
        settings_.paired_trials.value_or(options.test == PairedTest::bootstrap ? 1000 : 10000);
    options.seed =
        static_cast<uint64_t>(settings_.paired_seed.value_or(static_cast<int64_t>(options.seed)));
    return options;
  }
};

}  // namespace

std::unique_ptr<Command> make_evaluate_command() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace heed
