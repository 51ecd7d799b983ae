#include "files/model_output.h"

#include <string>
#include <string_view>

#include "heed/core/directory_lock.h"
#include "heed/core/error.h"
#include "heed/core/files.h"
#include "heed/model/directory.h"
#include "heed/run/run_directory.h"
#include "heed/text/tokenizer.h"

namespace heed {

namespace fs = std::filesystem;

namespace {

constexpr const char* kConfigFile = "config.json";

void expect_no_model(const fs::path& output, Existing existing) {
  if (existing == Existing::refuse && holds_model(output))
    fail_usage("{} holds a model already: give --overwrite to replace it, or another --output",
               output.string());
}

}  // namespace

void check_output(const fs::path& output, const std::vector<fs::path>& inputs, Existing existing) {
  expect_directory_name(output);
  std::error_code error;
  for (const fs::path& input : inputs) {
    if (fs::exists(output, error) && fs::equivalent(output, input, error))
      fail_usage("--output is the model itself, expected another directory");
  }
  expect_no_model(output, existing);
}

namespace {

// Locks the directory of --output. If a training run that was killed has left a backup of an
// earlier model there, it is restored first.
DirectoryLock lock_output(const fs::path& output, Existing existing) {
  DirectoryLock lock(output);
  const RunBackup restored(output);
  expect_no_model(output, existing);
  return lock;
}

// A directory below --output for a new model until it is complete, removed with all that is in it.
class StagingDirectory {
 public:
  explicit StagingDirectory(const fs::path& output) : path_(replacement_directory(output)) {
    remove();  // of a process that was killed
    std::error_code error;
    if (!fs::create_directory(path_, error))
      fail("cannot make the directory {}: {}", path_.string(), error.message());
  }
  StagingDirectory(const StagingDirectory&) = delete;
  StagingDirectory& operator=(const StagingDirectory&) = delete;
  ~StagingDirectory() { remove(); }
  const fs::path& path() const { return path_; }

 private:
  void remove() const {
    std::error_code ignored;  // what stays takes space, nothing else
    fs::remove_all(path_, ignored);
  }

  fs::path path_;
};

// All but config.json, without which a directory is no model.
std::vector<std::string> names_besides_config() {
  std::vector<std::string> names;
  for (const char* name : tokenizer_files()) names.emplace_back(name);
  for (const char* name : model_files())
    if (name != std::string_view(kConfigFile)) names.emplace_back(name);
  return names;
}

// The characters that the models have seen; std::nullopt if those of one are not known.
std::optional<TrainingCharacters> characters_of(const NewModel& made) {
  std::optional<TrainingCharacters> all = TrainingCharacters::load(made.directory);
  for (const fs::path& other : made.averaged_with) {
    const std::optional<TrainingCharacters> own = TrainingCharacters::load(other);
    if (!all || !own) return {};
    all->add(*own);
  }
  return all;
}

void write_files(const fs::path& directory, const NewModel& made) {
  const auto copy = [&](const char* name) {
    std::error_code error;
    if (fs::exists(made.directory / name, error))
      write_file_atomically(directory / name, read_file(made.directory / name));
  };
  save_model(directory, made.model, made.weights);
  for (const char* name : tokenizer_files()) copy(name);
  copy("generation_config.json");
  if (made.averaged_with.empty()) return;
  const auto characters = characters_of(made);
  if (characters)
    write_file_atomically(directory / kCharactersFile, characters->json());
  else
    fs::remove(directory / kCharactersFile);
}

// Moves the model's files from one directory to another, where they replace those of another model:
// without config.json meanwhile, so that a directory with files of both is never opened.
void replace_files(const fs::path& from, const fs::path& to) {
  std::error_code error;
  const auto expect_done = [&](const std::string& name) {
    if (error) fail("{}: cannot be replaced: {}", (to / name).string(), error.message());
  };
  fs::remove(to / kConfigFile, error);
  expect_done(kConfigFile);
  for (const std::string& name : names_besides_config()) {
    if (fs::exists(from / name, error))
      fs::rename(from / name, to / name, error);
    else
      fs::remove(to / name, error);  // the other model had it
    expect_done(name);
  }
  fs::rename(from / kConfigFile, to / kConfigFile, error);
  expect_done(kConfigFile);
}

}  // namespace

void write_model(const fs::path& output, Existing existing, const NewModel& made) {
  const DirectoryLock lock = lock_output(output, existing);
  const StagingDirectory staging(output);
  write_files(staging.path(), made);
  lock.expect_in_place();
  replace_files(staging.path(), output);
}

}  // namespace heed
