// damaged_files FOLDER COPIES [SEED]: makes a model directory with its checkpoint in FOLDER, and
// COPIES damaged copies of each of its files. Each copy is read in a process of its own by all that
// reads that file: it must end with an Error or with a model that translates, soon, and within 64
// MiB of the memory that the intact directory takes. tools/soak/damaged_files.sh runs it under
// sanitizers.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>

#include "damage.h"
#include "heed/backend/cpu/cpu_backend.h"
#include "heed/core/files.h"
#include "heed/decode/translator.h"
#include "heed/model/directory.h"
#include "heed/run/trainer.h"

namespace heed::testing {
namespace {

namespace fs = std::filesystem;

constexpr int kWorks = 0, kRefused = 10, kOther = 11;  // exit statuses of a reader
constexpr unsigned kSeconds = 60;
constexpr int64_t kMoreMemory = int64_t{64} << 10;  // KiB

// What reading took.
struct Outcome {
  int status = 0;
  int64_t memory = 0;  // KiB at most
};

// Runs `action` in a process of its own.
Outcome apart(const std::function<void()>& action) {
  const pid_t child = fork();
  check(child >= 0, "no more processes");
  if (child == 0) {
    alarm(kSeconds);
    try {
      action();
      _exit(kWorks);
    } catch (const Error&) {
      _exit(kRefused);
    } catch (const std::exception& other) {
      std::fprintf(stderr, "%s\n", other.what());
      _exit(kOther);
    }
  }
  int status = 0;
  rusage usage{};
  check(wait4(child, &status, 0, &usage) == child, "the reader is lost");
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), usage.ru_maxrss};
}

// A model without and one with a table of characters, which is most of its tokenizer's file.
enum class Kind { plain, with_table };

TrainOptions options(const fs::path& folder, Kind kind) {
  TrainOptions o;
  o.source = {(folder / "text.de").string()};
  o.target = {(folder / "text.en").string()};
  o.model = (folder / "model").string();
  o.preset = Preset::tiny;
  o.d_model = 8;
  o.d_ff = 16;
  o.heads = 2;
  o.encoder_layers = o.decoder_layers = 1;
  o.vocabularies = Vocabularies::separate;
  o.tie_embeddings = TieEmbeddings::decoder;
  o.tokenizer.vocabulary_size = 60;
  if (kind == Kind::plain) o.tokenizer.normalization = Normalization::identity;
  o.batches.batch_tokens = 40;
  o.average = "last:3";
  o.validate_every = 2;
  o.steps = 4;
  o.threads = 1;
  return o;
}

void train_model(TrainOptions o) {
  const auto backend = make_cpu_backend();
  TrainObserver observer;
  train(o, *backend, observer);
}

void resume(TrainOptions o) {
  o.resume = true;
  o.steps = 6;
  train_model(o);
}

void translate(const fs::path& folder) {
  const auto tokenizers = TokenizerPair::load(folder / "model");
  SequenceModel model = load_model(folder / "model");
  const auto backend = make_cpu_backend();
  pack(model, *backend, Purpose::inference);
  DecodeOptions o;
  o.threads = 1;
  o.search.max_length = 6;
  const Translator translator({{model, *backend}, tokenizers}, o);
  const std::vector<std::string> lines = {"das haus 1", "", "\xff x aaaa", "ein baum 2"};
  check(translator.translate(lines).size() == lines.size(), "a line is lost");
}

void make_text(const fs::path& folder) {
  std::string source, target;
  for (int i = 0; i < 150; ++i) {
    const std::string number = std::to_string(i * 37 % 100);
    source += (i % 2 ? "das haus " : "ein baum ") + number + "\n";
    target += (i % 2 ? "the house " : "a tree ") + number + "\n";
  }
  write_file_atomically(folder / "text.de", source);
  write_file_atomically(folder / "text.en", target);
}

// Copies of one file, each read; how many did what.
class File {
 public:
  File(TrainOptions run, const fs::path& intact, fs::path name)
      : run_(std::move(run)),
        folder_(intact.parent_path()),
        intact_(intact),
        name_(std::move(name)),
        bytes_(read_file(intact / name_)) {}

  bool survives(int copies, uint64_t seed) {
    const bool of_run = name_.parent_path() == "training" || name_ == "metrics.jsonl";
    const auto read = [&] { of_run ? resume(run_) : translate(folder_); };
    restore(bytes_);
    const Outcome whole = apart(read);
    check(whole.status == kWorks, "the intact directory does not work");
    Damage damage(seed);
    std::map<int, int> statuses;
    int64_t memory = 0;
    for (int i = 0; i < copies; ++i) {
      const std::string copy = damage.of(bytes_);
      restore(copy);
      const Outcome outcome = apart(read);
      ++statuses[outcome.status];
      memory = std::max(memory, outcome.memory - whole.memory);
      const bool bad = outcome.status != kWorks && outcome.status != kRefused;
      if (bad || outcome.memory - whole.memory > kMoreMemory)
        return report(copy, i, outcome, whole);
    }
    std::printf("%-32s %d copies: %d work, %d are refused; at most %.1f MiB more\n", name_.c_str(),
                copies, statuses[kWorks], statuses[kRefused], double(memory) / 1024);
    std::fflush(stdout);
    return true;
  }

 private:
  // The directory as it was, but for this file.
  void restore(const std::string& bytes) const {
    fs::remove_all(folder_ / "model");
    fs::copy(intact_, folder_ / "model", fs::copy_options::recursive);
    std::ofstream(folder_ / "model" / name_, std::ios::binary) << bytes;
  }

  bool report(const std::string& copy, int number, const Outcome& outcome,
              const Outcome& whole) const {
    const fs::path kept = folder_ / ("finding-" + name_.filename().string());
    write_file_atomically(kept, copy);
    std::printf(
        "%s: copy %d ended with status %d and %lld KiB (intact: %lld KiB); it is kept in %s\n",
        name_.c_str(), number, outcome.status, (long long)outcome.memory, (long long)whole.memory,
        kept.c_str());
    return false;
  }

  TrainOptions run_;
  fs::path folder_, intact_, name_;
  std::string bytes_;
};

// Whether all files of a model of this kind survive; of one with a table only the tokenizer's.
bool survives(const fs::path& folder, Kind kind, int copies, uint64_t seed) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  make_text(folder);
  const TrainOptions o = options(folder, kind);
  check(apart([&] { train_model(o); }).status == kWorks, "no model was made");
  const fs::path intact = folder / "intact";
  fs::copy(folder / "model", intact, fs::copy_options::recursive);
  bool good = true;
  for (const auto& entry : fs::recursive_directory_iterator(intact)) {
    const fs::path name = fs::relative(entry.path(), intact);
    if (!entry.is_regular_file() || (kind == Kind::with_table && name != "source.spm")) continue;
    good &= File(o, intact, name).survives(copies, seed);
  }
  return good;
}

}  // namespace
}  // namespace heed::testing

int main(int argc, char** argv) {
  try {
    heed::check(argc == 3 || argc == 4, "usage: damaged_files FOLDER COPIES [SEED]");
    const std::filesystem::path folder = argv[1];
    const int copies = std::stoi(argv[2]);
    const uint64_t seed = argc == 4 ? std::stoull(argv[3]) : 1;
    using heed::testing::Kind;
    const bool good = heed::testing::survives(folder / "plain", Kind::plain, copies, seed);
    return heed::testing::survives(folder / "table", Kind::with_table, copies, seed) && good ? 0
                                                                                             : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "damaged_files: %s\n", error.what());
    return 1;
  }
}
