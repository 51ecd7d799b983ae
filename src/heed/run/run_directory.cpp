#include "heed/run/run_directory.h"

#include <fcntl.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/core/error.h"
#include "heed/model/directory.h"
#include "heed/run/tensorboard_log.h"
#include "heed/run/training_text.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// Whether `path` is a file of held-out pairs, which a run without --hold-out neither writes nor
// replaces.
bool is_held_out(const RunFiles& files, const fs::path& path) {
  return path == files.held_out_source() || path == files.held_out_target() ||
         path == files.held_out_text() || path == files.held_out_trees();
}

// Whether a path is an event file, or leads to the directory of --tensorboard: a run that failed
// before it first saved leaves these alone.
bool holds_events(const fs::path& path, const TrainOptions& options) {
  if (is_event_file(path)) return true;
  std::error_code error;
  const fs::path held = fs::weakly_canonical(options.tensorboard, error);
  const fs::path directory = fs::canonical(path, error);
  return !error &&
         std::mismatch(directory.begin(), directory.end(), held.begin(), held.end()).first ==
             directory.end();
}

// UsageError for a directory that holds other things, such as / or the directory of the text:
// training would mix its files with them. A few files, such as a log or a configuration, are common
// next to a model.
void expect_own_directory(const TrainOptions& options, const RunFiles& files) {
  constexpr size_t kCommon = 4;
  std::error_code error;
  if (fs::is_directory(files.training(), error)) return;  // of an earlier run
  const std::vector<fs::path> own = files.present();
  std::vector<std::string> others;
  size_t directories = 0;
  for (fs::directory_iterator entry(files.directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    const std::string name = path.filename().string();
    if (name.starts_with(".") || path == replacement_directory(files.directory) ||
        std::ranges::find(own, path) != own.end() || holds_events(path, options))
      continue;
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) ++directories;
    others.push_back(name);
  }
  if (directories == 0 && others.size() <= kCommon) return;
  fail_usage(
      "{} holds no model but other files or directories ({} in all, such as {}): give the model a "
      "directory "
      "of its own, or --overwrite to put it among them",
      files.directory.string(), others.size(), *std::ranges::min_element(others));
}

}  // namespace

void expect_directories(const TrainOptions& options, const RunFiles& files) {
  if (!options.tensorboard.empty()) expect_event_directory(options.tensorboard);
  if (options.overwrite) return;
  const std::string directory = files.directory.string();
  if (files.has_training_state()) {
    if (!options.resume)
      fail_usage(
          "{} holds a model already: give --resume to continue its training, --overwrite to "
          "replace it, or another --model",
          directory);
    return;
  }
  if (!holds_model(files.directory)) return expect_own_directory(options, files);
  if (options.resume)
    fail_usage(
        "{0} holds a model without a training state ({1}), so there is no run to resume: to "
        "fine-tune this model, give --finetune-from {0} and another --model",
        directory, files.training_state().string());
  fail_usage(
      "{0} holds a model already: give another --model (with --finetune-from {0} to fine-tune this "
      "model), or --overwrite to replace it",
      directory);
}

RunBackup::RunBackup(fs::path directory)
    : files_{std::move(directory)},
      directory_(::open(files_.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      partial_(backup_directories(files_.directory).partial),
      complete_(backup_directories(files_.directory).complete),
      discarded_(files_.training() / "heed-removed") {
  std::error_code error;
  fs::remove_all(discarded_, error);
  restore();
  before_ = files_.present();
}

RunBackup::~RunBackup() {
  if (is_discarded_) return;
  try {
    if (!detail::is_name_of(files_.directory, directory_.get())) return;
    restore();
    remove_new_files();
  } catch (const std::exception&) {
    // Such as no memory: the error that ended the run is the one to report.
  }
}

std::vector<fs::path> RunBackup::files_to_replace(const TrainOptions& options) const {
  std::vector<fs::path> files = files_.present();
  if (!options.overwrite && options.hold_out.value_or(0) == 0)
    std::erase_if(files, [&](const fs::path& file) { return is_held_out(files_, file); });
  return files;
}

void RunBackup::check_inputs(const TrainOptions& options) const {
  const std::vector<fs::path> files = files_to_replace(options);
  std::vector<std::string> read{options.tokenizer_model, options.tokenizer.user_symbols,
                                options.finetune_from};
  for (const auto& [flag, name] : text_inputs(options)) read.push_back(name);
  std::error_code error;  // a name that is empty or of no file matches none
  for (const std::string& name : read) {
    const fs::path opened = name == "-" ? "/dev/stdin" : name;
    const auto is_it = [&](const fs::path& file) { return fs::equivalent(file, opened, error); };
    if (is_it(files_.directory) || std::any_of(files.begin(), files.end(), is_it))
      fail_usage("{} would replace {}, which this run reads: give another --model",
                 options.overwrite ? "--overwrite" : "the new model",
                 name == "-" ? "standard input" : name);
  }
}

void RunBackup::back_up(const TrainOptions& options) {
  const std::vector<fs::path> files = files_to_replace(options);
  if (files.empty()) return;
  std::error_code error;
  fs::create_directories(RunFiles{partial_}.training(), error);
  for (const fs::path& file : files) {
    if (!error) fs::rename(file, partial_ / file.lexically_relative(files_.directory), error);
    if (error) fail("{}: cannot move it to the backup: {}", file.string(), error.message());
  }
  fs::rename(partial_, complete_, error);
  if (error) fail("{}: cannot be written: {}", partial_.string(), error.message());
}

void RunBackup::discard() {
  if (std::exchange(is_discarded_, true)) return;
  std::error_code error;  // a file that cannot be deleted only takes space
  fs::rename(complete_, discarded_, error);
  fs::remove_all(discarded_, error);
}

void RunBackup::remove_new_files() {
  std::error_code error;
  for (const fs::path& file : files_.present())
    if (std::find(before_.begin(), before_.end(), file) == before_.end()) fs::remove(file, error);
}

// The process may be killed after each step: files of the new run are removed only while the backup
// of the old one is complete. Held-out pairs that are not in the backup may be the user's, and
// stay.
void RunBackup::restore() {
  std::error_code error;
  if (fs::is_directory(complete_, error)) {
    for (const fs::path& file : files_.present())
      if (!is_held_out(files_, file) || fs::exists(complete_ / file.filename(), error))
        fs::remove(file, error);
    fs::rename(complete_, partial_, error);
  }
  if (!fs::is_directory(partial_, error)) return;
  const RunFiles old{partial_};
  std::vector<fs::path> files = old.present();
  std::reverse(files.begin(), files.end());  // config.json comes back last
  for (const fs::path& file : files)
    fs::rename(file, files_.directory / file.lexically_relative(partial_), error);
  fs::remove(old.training(), error);
  fs::remove(partial_, error);
}

}  // namespace heed
