// heed train: two text files to a model directory.
#include "commands/commands.h"
#include "commands/next_steps.h"
#include "console/train_display.h"
#include "files/text_files.h"
#include "heed/data/data_inspection.h"
#include "heed/heed.h"

namespace heed {
namespace {

// The size of a quick look, and the share of its pairs from which on a finding is reported.
constexpr int64_t kPairsToInspect = 50'000;
constexpr double kShareToWarn = 0.005;

struct TrainSettings {
  TrainOptions train;
  bool inspect = true;

  static void visit(auto& self, auto&& v) {
    TrainOptions::visit(self.train, v);
    v("inspect", self.inspect,
      {.help =
           "Inspect parallel text before training, as heed inspect data does, and print warnings",
       .ignored_in_comparison = true});
  }
};

void warn_of_data(const TrainOptions& options, const TrainingText& text, const Console& console) {
  InspectionFiles files{text.text.source(), text.text.target(), {}, {}};
  if (text.validation) {
    files.test_source = text.validation->source();
    files.test_target = text.validation->target();
  }
  InspectionOptions quick;
  quick.pairs = kPairsToInspect;
  quick.max_sentence_tokens = options.filters.max_sentence_tokens;
  quick.examples = 1;
  Workers workers(int(options.threads.value_or(available_threads())));
  const DataReport report = inspect_data(files, quick, nullptr, workers);
  const std::vector<std::string> lines = warnings(report, kShareToWarn);
  for (const std::string& line : lines) console.warn(line);
  if (!lines.empty()) console.note(inspection_command(options) + " shows more");
}

int run_train(const TrainSettings& settings, const Words&, Console& console) {
  TrainOptions options = settings.train;
  check_start(options);
  const TrainingText text = open_training_text(options, reported_copying(console));
  if (settings.inspect && options.translates() && !options.resume)
    warn_of_data(options, text, console);
  TrainDisplay display(options, console);
  options = with_chosen_settings(options, text, display);
  const TrainResult result = train(options, text, display);
  const int status = display.close(result);
  if (result.end != TrainEnd::stopped && !console.quiet())
    for (const std::string& line : next_steps_of(options)) console.note(line);
  return status;
}

}  // namespace

Command make_train_command() {
  return with_settings(
      run_train,
      {.name = "train",
       .summary = "Trains a translator, language model, parser, tagger or classifier",
       .description =
           "Line i of the target translates line i of the source, or has labels for it (--task tag "
           "or classify); a language model (--task language-model) learns the lines of --text, a "
           "parser (--task parse) the trees of --trees. Texts may be pipes, as in "
           "<(zcat a b), and - is standard input. After training, the model's directory "
           "holds all that its use needs, a translator's in the layout that transformers opens as "
           "MarianMTModel, and metrics.jsonl, the log of the training. On SIGINT, SIGTERM or "
           "SIGHUP (a closed terminal), training finishes the current step, saves and exits; "
           "--resume continues.",
       .inputs = {{"source", "target"}, {"tsv"}, {"corpus"}, {"text"}, {"trees"}},
       .memory_advice =
           "a smaller --batch-tokens, fewer --threads or a smaller --preset take less"});
}

}  // namespace heed
