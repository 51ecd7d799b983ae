// heed demo: from text to a translator in minutes, on the embedded phrasebook.
#include "commands/demo.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "commands/commands.h"
#include "commands/next_steps.h"
#include "commands/shared_options.h"
#include "console/train_display.h"
#include "files/phrasebook_files.h"
#include "heed/core/files.h"
#include "heed/heed.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct DemoSettings {
  std::string directory = "heed-demo";
  double minutes = 2;
  std::optional<int64_t> threads;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Demo");
    v("directory", self.directory,
      {.help = "Output folder; overwrites that of an earlier demo", .value = "DIR"});
    v("minutes", self.minutes,
      {.help = "Training time, including the vocabulary",
       .unit = "minutes",
       .maximum = 1440,
       .above = 0});
    v("threads", self.threads, kThreadCountOption);
  }
};

constexpr int64_t examples = 10;
// Enough pairs that two minutes train on each about twice: the model memorizes no pair, and needs
// no dropout, which slows learning.
constexpr int64_t pairs = 150'000;

// The noam schedule for two minutes. A shorter run warms up over the same share of its steps,
// without more than doubling the peak of the learning rate, which grows as the warm-up shrinks.
void set_schedule(TrainOptions& options, double minutes) {
  constexpr double kUsualMinutes = 2, kUsualWarmup = 800, kShortestWarmup = 10;
  const double share = std::min(1.0, minutes / kUsualMinutes);
  options.warmup_steps = int64_t(std::max(kShortestWarmup, kUsualWarmup * share));
  options.learning_rate =
      std::min(1.0, 2 * std::sqrt(double(*options.warmup_steps) / kUsualWarmup));
}

class DemoCommand : public CommandOf<DemoSettings> {
 public:
  std::string name() const override { return "demo"; }
  std::string summary() const override { return "Trains a small Chinese-English translator"; }
  std::string description() const override {
    return "Writes the phrasebook to a folder, trains a small model on it, and prints BLEU and "
           "examples of its translations of unseen sentences.";
  }

  int run(const std::vector<std::string>&, Console& console) override {
    const fs::path folder = settings_.directory;
    claim(folder);
    PhrasebookSettings phrasebook;
    phrasebook.pairs = pairs;
    write_phrasebook(phrasebook, folder, Existing::replace);
    console.note(fmt::format("wrote a phrasebook of {} Chinese and English sentences to {}",
                             phrasebook.pairs, folder.string()));

    TrainOptions options = demo_training(folder, settings_.minutes);
    options.threads = settings_.threads;
    TrainDisplay display(options, console);
    const int status = display.close(train(options, display));
    if (status == 0) show(folder, console);
    return status;
  }

 private:
  // Creates the folder, or reuses that of an earlier demo, which a file in it marks. A folder with
  // other files, such as a train.zh of the user, is an error.
  static void claim(const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_directory(folder, error))
      fail("{}: expected a folder, found a file", folder.string());
    const fs::path mark = folder / ".heed-demo";
    const bool has_files = fs::is_directory(folder, error) && !fs::is_empty(folder, error);
    if (has_files && !fs::exists(mark, error))
      fail_usage("{} has files that heed demo did not write: give another folder with --directory",
                 folder.string());
    fs::create_directories(folder, error);
    if (error) fail("cannot make the folder {}: {}", folder.string(), error.message());
    write_file_atomically(mark, "Written by heed demo, which replaces its earlier files here.\n");
  }

  void show(const fs::path& folder, Console& console) const {
    DecodeOptions decode;
    decode.threads = settings_.threads;
    const Model model(folder / "model");
    const Lines source = read_lines(folder / "test.zh");
    const std::vector<Lines> references{read_lines(folder / "test.en")};
    const Lines translations = model.translate(source, decode);
    Output& out = console.out();
    out.write(fmt::format("\n{} unseen sentences: {}\n\n", source.size(),
                          bleu(translations, references).line()));
    // Evenly distributed over the test set, which has sentences of all kinds.
    for (int64_t i = 0; i < examples; ++i) {
      const size_t line = size_t(i) * source.size() / size_t(examples);
      out.write(fmt::format("source       {}\ntranslation  {}\nreference    {}\n\n", source[line],
                            translations[line], references[0][line]));
    }
    std::vector<std::string> steps =
        next_steps({(folder / "model").string(), (folder / "test.zh").string(),
                    (folder / "test.en").string()});
    for (const std::string& line : steps) out.write(line + "\n");
    out.write(fmt::format("  {} train --help    for two files of your own\n", program_command()));
  }
};

}  // namespace

TrainOptions demo_training(const fs::path& folder, double minutes) {
  TrainOptions options;
  options.source = {(folder / "train.zh").string()};
  options.target = {(folder / "train.en").string()};
  options.valid_source = (folder / "valid.zh").string();
  options.valid_target = (folder / "valid.en").string();
  options.source_language = "zh";
  options.target_language = "en";
  options.model = (folder / "model").string();
  options.overwrite = true;
  options.preset = Preset::tiny;
  options.tokenizer.kind = TokenizerKind::bpe;
  options.tokenizer.vocabulary_size = 2000;
  options.batches.batch_tokens = 1024;
  set_schedule(options, minutes);
  options.dropout = 0;
  options.minutes = minutes;
  return options;
}

std::unique_ptr<Command> make_demo_command() {
  return std::make_unique<DemoCommand>();
}

}  // namespace heed
