#include "files/model_output.h"

#include <string>
#include <string_view>

#include "heed/core/directory_lock.h"
#include "heed/core/error.h"
#include "heed/core/files.h"
#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "heed/run/run_directory.h"
#include "heed/text/tokenizer.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigFile = "config.json";

void expect_no_model(const fs::path& output, Existing existing) {
  if (existing == Existing::refuse && holds_model(output))
    fail_usage("{} holds a model already: give --overwrite to replace it, or another --output",
               output.string());
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
  remove_confidence(directory);  // of one model, not of the mean
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
  const auto expect_done = [&](std::string_view name) {
    if (error) fail("{}: cannot be replaced: {}", (to / name).string(), error.message());
  };
  fs::remove(to / kConfigFile, error);
  expect_done(kConfigFile);
  std::vector<std::string_view> names(tokenizer_files().begin(), tokenizer_files().end());
  names.insert(names.end(), model_files().begin(), model_files().end());
  std::erase(names, kConfigFile);  // without which a directory is no model
  for (const std::string_view name : names) {
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

void check_output(const fs::path& output, const std::vector<fs::path>& inputs, Existing existing) {
  expect_directory_name(output);
  std::error_code error;
  for (const fs::path& input : inputs) {
    if (fs::exists(output, error) && fs::equivalent(output, input, error))
      fail_usage("--output is the model itself, expected another directory");
  }
  expect_no_model(output, existing);
}

void write_model(const fs::path& output, Existing existing, const NewModel& made) {
  const DirectoryLock lock(output);
  {
    // Restores an earlier model of which a training run that was killed has left a backup.
    const RunBackup restored(output);
    expect_no_model(output, existing);
  }
  // A directory below --output for the new model until it is complete.
  const fs::path staging = replacement_directory(output);
  std::error_code error;
  const auto remove_staging = [&] {
    std::error_code ignored;  // what stays takes space, nothing else
    fs::remove_all(staging, ignored);
  };
  remove_staging();  // of a process that was killed
  if (!fs::create_directory(staging, error))
    fail("cannot make the directory {}: {}", staging.string(), error.message());
  try {
    write_files(staging, made);
    lock.expect_in_place();
    replace_files(staging, output);
  } catch (...) {
    remove_staging();
    throw;
  }
  remove_staging();
}

}  // namespace heed
