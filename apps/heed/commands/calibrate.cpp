// heed calibrate: measures how confident a model's translations may be, and stores it.
#include "commands/commands.h"
#include "files/reverse_model.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/decode/model.h"
#include "heed/evaluate/chrf.h"
#include "heed/model/generation_config.h"
#include "heed/tasks/calibration.h"

namespace heed {
namespace {

struct CalibrateSettings {
  std::string model, reverse_model, source;
  std::vector<std::string> reference;
  DecodeOptions decode;

  static void visit(auto& self, auto&& v) {
    v.group("Text");
    v("model", self.model, kModelOption);
    v("reverse_model", self.reverse_model,
      {.help = "A model that translates back: the probability of the source given the translation "
               "makes the confidence with --reverse-model better, which is stored too",
       .value = "DIR"});
    v("source", self.source,
      {.help = "Text that the model was not trained on, and of the kind that it is used for: a "
               "thousand lines are enough, a hundred are the least",
       .value = "FILE",
       .required = true});
    v("reference", self.reference,
      {.help = "Reference translations of --source, one per line; several files are several "
               "references",
       .value = "FILE",
       .required = true});
    DecodeOptions::visit_runtime(self.decode, v);
  }
};

std::vector<JudgedTranslation> judge(const std::vector<Translation>& translations,
                                     const std::vector<Lines>& references) {
  Lines texts;
  texts.reserve(translations.size());
  for (const Translation& one : translations) texts.push_back(one.hypotheses.front().text);
  const std::vector<ChrfStatistics> statistics = chrf_statistics(texts, references);
  std::vector<JudgedTranslation> judged;
  judged.reserve(translations.size());
  for (size_t i = 0; i < translations.size(); ++i)
    if (translations[i].signals)
      judged.push_back(
          {*translations[i].signals, chrf_score(statistics[i], references.size()).score});
  return judged;
}

// Without the signal of the reverse model.
std::vector<JudgedTranslation> alone(std::vector<JudgedTranslation> judged) {
  for (JudgedTranslation& one : judged) one.signals[size_t(ConfidenceSignal::reverse)] = 0;
  return judged;
}

std::string report(const std::string& model, const Calibration& found) {
  const Reliability& held_out = found.held_out;
  std::string text = fmt::format(
      "{}: confidence of {} translations; a good one has a chrF of at least {:.1f}, their median\n"
      "{}, calibration error {:.3f}: each tenth of the lines by a fit to the others\n\n"
      "{:>10} {:>10} {:>10}\n",
      model, found.confidence.lines, found.confidence.good_chrf, auc_text(held_out), held_out.error,
      "confidence", "good", "lines");
  for (const ReliabilityBin& bin : held_out.bins)
    text += fmt::format("{:>10.3f} {:>10.3f} {:>10}\n", bin.confidence, bin.good, bin.count);
  return text;
}

// Of a confidence that tells little.
void warn_of(const Calibration& found, const Console& console) {
  constexpr double kLowAuc = 0.65;
  if (found.held_out.auc.value_or(0) < kLowAuc)
    console.warn(fmt::format(
        "{} is little more than chance (0.5): are the references those of the source, and are "
        "there enough lines?",
        auc_text(found.held_out)));
}

int run_calibrate(const CalibrateSettings& settings, const Words&, Console& console) {
  std::vector<NamedInput> inputs{{"--source", settings.source}};
  for (const std::string& name : settings.reference) inputs.emplace_back("--reference", name);
  files_read(settings.model, inputs);  // UsageError if two are one stream
  EqualTexts texts(console, settings.decode.strict);
  const Lines source = texts.read(settings.source);
  expect_enough(source.size());
  std::vector<Lines> references;
  for (const std::string& path : settings.reference) references.push_back(texts.read(path));
  const Computation computation(settings.decode.compute, settings.decode.device);
  const Model model(settings.model, computation);
  console.note(fmt::format("translating {} on {}", detail::counted(int64_t(source.size()), "line"),
                           model.backend().name()));
  DecodeOptions options = settings.decode;
  options.reverse = open_reverse_model(settings.reverse_model, computation);
  const std::vector<JudgedTranslation> judged =
      judge(model.translator(options).translate(source), references);
  const Calibration by_itself = calibrate(alone(judged));
  Confidences stored{.alone = by_itself.confidence};
  console.out().write(report(settings.model, by_itself));
  if (options.reverse) {
    const Calibration found = calibrate(judged);
    stored.with_reverse = found.confidence;
    console.out().write("\n" + report(settings.model + " with " + settings.reverse_model, found));
  }
  warn_of(by_itself, console);
  store_confidence(settings.model, stored);
  console.note(fmt::format(
      "stored: heed translate --format jsonl has a confidence for each line, and --min-confidence "
      "marks those for a person"));
  return 0;
}

}  // namespace

Command make_calibrate_command() {
  return with_settings(
      run_calibrate,
      {.name = "calibrate",
       .summary = "Measures how far translations can be trusted",
       .description =
           "Translates --source, compares with the references, and fits the confidence of the "
           "model: the probability that a translation is good, with a chrF of at least the median "
           "of this text, as far as its search shows (probabilities of its tokens, lengths, "
           "repetitions, unknown characters). It is stored in generation_config.json of the model "
           "directory, and used by heed translate, heed serve and Python. The table compares it "
           "with the share of good translations, each tenth of the lines by a fit to the others. "
           "See docs/translate.md.",
       .memory_advice = "all texts are kept in memory: shorter files take less"});
}

}  // namespace heed
