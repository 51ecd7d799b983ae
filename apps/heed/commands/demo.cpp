// heed demo: from text to a translator in minutes, on the embedded phrasebook.
#include <filesystem>

#include "commands/commands.h"
#include "commands/next_steps.h"
#include "commands/phrasebook.h"
#include "console/train_display.h"
#include "heed/core/files.h"
#include "heed/heed.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct DemoSettings {
  std::string directory = "heed-demo";
  double minutes = 2;
  std::optional<int64_t> threads;

  static void visit(auto& self, auto&& v) {
    v.group("Demo");
    v("directory", self.directory,
      {.help = "Output directory; overwrites that of an earlier demo", .value = "DIR"});
    v("minutes", self.minutes,
      {.help = "Training time, including the vocabulary",
       .unit = "minutes",
       .maximum = 1440,
       .above = 0});
    v("threads", self.threads, kThreadCountOption);
  }
};

constexpr int64_t examples = 10;
// Enough pairs that two minutes do not train on any of them twice: the model memorizes no pair.
constexpr int64_t pairs = 150'000;

// Creates the directory, or reuses that of an earlier demo, which a file in it marks. A directory
// with other files, such as a train.zh of the user, is an error.
void claim(const fs::path& directory) {
  std::error_code error;
  if (fs::exists(directory, error) && !fs::is_directory(directory, error))
    fail("{}: expected a directory, found a file", directory.string());
  const fs::path mark = directory / ".heed-demo";
  const bool has_files = fs::is_directory(directory, error) && !fs::is_empty(directory, error);
  if (has_files && !fs::exists(mark, error))
    fail_usage("{} has files that heed demo did not write: give another directory with --directory",
               directory.string());
  fs::create_directories(directory, error);
  if (error) fail("cannot make the directory {}: {}", directory.string(), error.message());
  write_file_atomically(mark, "Written by heed demo, which replaces its earlier files here.\n");
}

void show(const DemoSettings& settings, Console& console) {
  const fs::path directory = settings.directory;
  DecodeOptions decode;
  decode.threads = settings.threads;
  const Model model(directory / "model");
  const Lines source = read_lines(directory / "test.zh");
  const std::vector<Lines> references{read_lines(directory / "test.en")};
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
      next_steps({(directory / "model").string(), (directory / "test.zh").string(),
                  (directory / "test.en").string()});
  for (const std::string& line : steps) out.write(line + "\n");
  out.write(fmt::format("  {} train --help    for two files of your own\n", program_command()));
}

int run_demo(const DemoSettings& settings, const Words&, Console& console) {
  const fs::path directory = settings.directory;
  claim(directory);
  PhrasebookSettings phrasebook;
  phrasebook.pairs = pairs;
  phrasebook.output = settings.directory;
  phrasebook.overwrite = true;
  write_phrasebook(phrasebook);
  console.note(fmt::format("wrote a phrasebook of {} Chinese and English sentences to {}",
                           phrasebook.pairs, directory.string()));

  TrainOptions options = demo_training(directory, settings.minutes);
  options.threads = settings.threads;
  TrainDisplay display(options, console,
                       fmt::format("{} translate --model {} uses it as it is; heed demo starts "
                                   "over",
                                   program_command(), options.model));
  const int status = display.close(train(options, display));
  if (status == 0) show(settings, console);
  return status;
}

}  // namespace

TrainOptions demo_training(const fs::path& directory, double minutes) {
  TrainOptions options;
  options.source = {(directory / "train.zh").string()};
  options.target = {(directory / "train.en").string()};
  options.valid_source = (directory / "valid.zh").string();
  options.valid_target = (directory / "valid.en").string();
  options.source_language = "zh";
  options.target_language = "en";
  options.model = (directory / "model").string();
  options.overwrite = true;
  options.tokenizer.vocabulary_size = 2000;  // for the phrasebook's few words
  // A sixth of the lines has every character of the phrasebook. To learn from all of them would
  // take a tenth of the two minutes.
  options.tokenizer.vocabulary_lines = 50'000;
  options.minutes = minutes;
  return options;
}

Command make_demo_command() {
  return with_settings(
      run_demo,
      {.name = "demo",
       .summary = "Trains a small Chinese-English translator",
       .description =
           "Writes the phrasebook to a directory, trains a small model on it, and prints BLEU and "
           "examples of its translations of unseen sentences."});
}

}  // namespace heed
