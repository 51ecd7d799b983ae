#include "heed/train/earlier_run.h"

#include <fcntl.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/core/error.h"
#include "heed/model/directory.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// Whether `path` is a file of held-out pairs, which a run without --hold-out neither writes nor
// replaces.
bool is_held_out(const RunFiles& files, const fs::path& path) {
  return path == files.held_out_source() || path == files.held_out_target();
}

}  // namespace

EarlierRun::EarlierRun(fs::path directory)
    : files_{std::move(directory)},
      folder_(::open(files_.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      moving_(backup_folders(files_.directory).partial),
      aside_(backup_folders(files_.directory).complete),
      given_up_(files_.training() / "heed-removed") {
  std::error_code error;
  fs::remove_all(given_up_, error);
  put_back();
  before_ = files_.present();
}

EarlierRun::~EarlierRun() {
  if (forgotten_) return;
  try {
    if (!detail::is_name_of(files_.directory, folder_.get())) return;
    put_back();
    remove_new_files();
  } catch (const std::exception&) {
    // Memory ran out, say: the error that ends the training is the one to report.
  }
}

std::vector<fs::path> EarlierRun::to_replace(const TrainOptions& options) const {
  std::vector<fs::path> files = files_.present();
  if (!options.overwrite && options.hold_out == 0)
    std::erase_if(files, [&](const fs::path& file) { return is_held_out(files_, file); });
  return files;
}

void EarlierRun::expect_unread(const TrainOptions& options) const {
  const std::vector<fs::path> files = to_replace(options);
  std::vector<std::string> read{options.valid_source, options.valid_target, options.valid_tsv,
                                options.tokenizer_model, options.finetune_from};
  read.insert(read.end(), options.source.begin(), options.source.end());
  read.insert(read.end(), options.target.begin(), options.target.end());
  read.insert(read.end(), options.tabular.tsv.begin(), options.tabular.tsv.end());
  std::error_code error;  // a name that is missing or empty is no file's
  for (const std::string& name : read) {
    const fs::path opened = name == "-" ? "/dev/stdin" : name;
    const auto is_it = [&](const fs::path& file) { return fs::equivalent(file, opened, error); };
    if (is_it(files_.directory) || std::any_of(files.begin(), files.end(), is_it))
      fail_usage("{} would replace {}, which this training reads: give another --model",
                 options.overwrite ? "--overwrite" : "the new model",
                 name == "-" ? "standard input" : name);
  }
}

void EarlierRun::put_aside(const TrainOptions& options) {
  const std::vector<fs::path> files = to_replace(options);
  if (files.empty()) return;
  std::error_code error;
  fs::create_directories(RunFiles{moving_}.training(), error);
  for (const fs::path& file : files) {
    if (!error) fs::rename(file, moving_ / file.lexically_relative(files_.directory), error);
    if (error) fail("{}: cannot put it aside: {}", file.string(), error.message());
  }
  fs::rename(moving_, aside_, error);
  if (error) fail("{}: cannot be written: {}", moving_.string(), error.message());
}

void EarlierRun::forget() {
  if (std::exchange(forgotten_, true)) return;
  std::error_code error;  // what stays costs space, nothing else
  fs::rename(aside_, given_up_, error);
  fs::remove_all(given_up_, error);
}

void EarlierRun::remove_new_files() {
  std::error_code error;
  for (const fs::path& file : files_.present())
    if (std::find(before_.begin(), before_.end(), file) == before_.end()) fs::remove(file, error);
}

// Each step may be the last before a kill: what the new run left is removed only while all of the
// old one stands aside. Held-out pairs that are not aside may be the user's, and stay.
void EarlierRun::put_back() {
  std::error_code error;
  if (fs::is_directory(aside_, error)) {
    for (const fs::path& file : files_.present())
      if (!is_held_out(files_, file) || fs::exists(aside_ / file.filename(), error))
        fs::remove(file, error);
    fs::rename(aside_, moving_, error);
  }
  if (!fs::is_directory(moving_, error)) return;
  const RunFiles old{moving_};
  std::vector<fs::path> files = old.present();
  std::reverse(files.begin(), files.end());  // config.json comes back last
  for (const fs::path& file : files)
    fs::rename(file, files_.directory / file.lexically_relative(moving_), error);
  fs::remove(old.training(), error);
  fs::remove(moving_, error);
}

}  // namespace heed
