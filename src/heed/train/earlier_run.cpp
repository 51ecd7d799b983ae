#include "heed/train/earlier_run.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/core/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

bool is_left_in_training(std::string name) {
  constexpr std::string_view unfinished = ".partial";
  if (name.ends_with(unfinished)) name.resize(name.size() - unfinished.size());
  return name == "state.safetensors" || name == "train.corpus" || name == "valid.corpus" ||
         (name.starts_with("step-") && name.ends_with(".safetensors"));
}

// What a run leaves in its folder. Whatever else stands there is somebody's own.
std::vector<fs::path> files_of_a_run(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;  // no folder, no files
  for (const char* name :
       {"model.safetensors", "config.json", "generation_config.json", "source.spm", "target.spm",
        "vocab.json", "target_vocab.json", "tokenizer_config.json", "metrics.jsonl",
        "held_out.source", "held_out.target"})
    if (fs::exists(directory / name, error)) files.push_back(directory / name);
  for (const auto& entry : fs::directory_iterator(directory / "training", error))
    if (is_left_in_training(entry.path().filename().string())) files.push_back(entry.path());
  return files;
}

void expect_unread(const TrainOptions& options, const fs::path& directory,
                   const std::vector<fs::path>& files) {
  std::vector<std::string> read{options.valid_source, options.valid_target, options.tokenizer_model,
                                options.initialize};
  read.insert(read.end(), options.source.begin(), options.source.end());
  read.insert(read.end(), options.target.begin(), options.target.end());
  std::error_code error;  // a name that is missing or empty is no file's
  for (const std::string& name : read) {
    const auto is_it = [&](const fs::path& file) { return fs::equivalent(file, name, error); };
    if (is_it(directory) || std::any_of(files.begin(), files.end(), is_it))
      fail_usage("--overwrite would remove {}, which this training reads: give another --model",
                 name);
  }
}

}  // namespace

EarlierRun::EarlierRun(fs::path directory)
    : directory_(std::move(directory)),
      moving_(directory_ / "training" / "heed-replaced.partial"),
      aside_(directory_ / "training" / "heed-replaced"),
      given_up_(directory_ / "training" / "heed-removed") {
  std::error_code error;
  fs::remove_all(given_up_, error);
  put_back();
}

EarlierRun::~EarlierRun() {
  put_back();
}

void EarlierRun::put_aside(const TrainOptions& options) {
  const std::vector<fs::path> files = files_of_a_run(directory_);
  expect_unread(options, directory_, files);
  if (files.empty()) return;
  std::error_code error;
  fs::create_directories(moving_, error);
  for (const fs::path& file : files) {
    if (!error) fs::rename(file, moving_ / file.filename(), error);
    if (error) fail("{}: cannot put it aside: {}", file.string(), error.message());
  }
  fs::rename(moving_, aside_, error);
  if (error) fail("{}: cannot be written: {}", moving_.string(), error.message());
}

void EarlierRun::forget() {
  std::error_code error;  // what stays costs space, nothing else
  fs::rename(aside_, given_up_, error);
  fs::remove_all(given_up_, error);
}

// Each step may be the last before a kill: what the new run left is removed only while all of the
// old one stands aside.
void EarlierRun::put_back() {
  std::error_code error;
  if (fs::is_directory(aside_, error)) {
    for (const fs::path& file : files_of_a_run(directory_)) fs::remove(file, error);
    fs::rename(aside_, moving_, error);
  }
  if (!fs::is_directory(moving_, error)) return;
  for (const auto& entry : fs::directory_iterator(moving_, error)) {
    const fs::path name = entry.path().filename();
    const bool inner = is_left_in_training(name.string());
    fs::rename(entry.path(), (inner ? directory_ / "training" : directory_) / name, error);
  }
  fs::remove(moving_, error);
}

}  // namespace heed
