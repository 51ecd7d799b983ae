#include "heed/run/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

#include "heed/core/ascii.h"
#include "heed/core/temporary_file.h"
#include "heed/model/directory.h"
#include "heed/text/tokenizer.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct CheckpointFile {
  int64_t step;
  bool finished;
  fs::path path;
};

// The entries of a directory; empty if there is no such directory.
std::vector<fs::path> entries(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    paths.push_back(entry->path());
  return paths;
}

// The checkpoint that has this file name, or whose temporary file has it; nothing for other names.
std::optional<CheckpointFile> as_checkpoint(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::optional<std::string> target = target_of_temporary(name);
  std::string_view rest = target ? *target : name;
  constexpr std::string_view begin = "step-", end = ".safetensors";
  if (!rest.starts_with(begin) || !rest.ends_with(end) || rest.size() <= begin.size() + end.size())
    return {};
  rest.remove_prefix(begin.size());
  rest.remove_suffix(end.size());
  const auto step = whole_number(rest, int64_t(0), std::numeric_limits<int64_t>::max());
  if (!step) return {};
  return CheckpointFile{*step, !target, path};
}

// Whether a file below training/ has a name that depends on a validation text or on its numbers, or
// is the temporary file of one.
bool is_of_validation(const fs::path& path) {
  const std::string file = path.filename().string();
  const std::string name = target_of_temporary(file).value_or(file);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kForms = {
      {{"best-", ".safetensors"},
       {"best-", ".txt"},
       {"translations", ".txt"},
       {"valid.", ".corpus"}}};
  return std::ranges::any_of(kForms, [&](const auto& form) {
    return name.starts_with(form.first) && name.ends_with(form.second);
  });
}

std::vector<CheckpointFile> all_checkpoints(const fs::path& training) {
  std::vector<CheckpointFile> found;
  for (const fs::path& path : entries(training))
    if (const auto checkpoint = as_checkpoint(path)) found.push_back(*checkpoint);
  return found;
}

}  // namespace

bool RunFiles::has_training_state() const {
  std::error_code error;
  return fs::exists(training_state(), error);
}

fs::path RunFiles::checkpoint(int64_t step) const {
  return training() / fmt::format("step-{}.safetensors", step);
}

fs::path RunFiles::validation_text(const std::string& name) const {
  return training() / fmt::format("valid.{}.corpus", name);
}

fs::path RunFiles::translations(const std::string& name) const {
  return training() /
         (name.empty() ? "translations.txt" : fmt::format("translations.{}.txt", name));
}

fs::path RunFiles::best_weights(const std::string& number) const {
  return training() / fmt::format("best-{}.safetensors", number);
}

fs::path RunFiles::best_translations(const std::string& number) const {
  return training() / fmt::format("best-{}.txt", number);
}

std::map<int64_t, fs::path> RunFiles::checkpoints() const {
  std::map<int64_t, fs::path> by_step;
  for (const CheckpointFile& file : all_checkpoints(training()))
    if (file.finished) by_step.emplace(file.step, file.path);
  return by_step;
}

void RunFiles::remove_checkpoints_except(const std::vector<Checkpoint>& kept) const {
  for (const CheckpointFile& file : all_checkpoints(training())) {
    const bool wanted = std::any_of(kept.begin(), kept.end(),
                                    [&](const Checkpoint& s) { return s.step == file.step; });
    std::error_code ignored;  // a file that cannot be deleted only takes space
    if (!wanted || !file.finished) fs::remove(file.path, ignored);
  }
}

std::vector<fs::path> RunFiles::present() const {
  std::vector<fs::path> named{metrics(),       held_out_source(), held_out_target(),
                              held_out_text(), held_out_trees(),  training_state(),
                              training_text(), links(),           validation_text(),
                              report(),        samples(),         settings()};
  for (const char* name : model_files()) named.push_back(directory / name);
  for (const char* name : tokenizer_files()) named.push_back(directory / name);
  std::vector<fs::path> files;
  for (const fs::path& parent : {directory, training()}) {
    for (const fs::path& path : entries(parent)) {
      std::error_code error;
      if (fs::is_directory(fs::symlink_status(path, error))) continue;
      const std::optional<std::string> target = target_of_temporary(path.filename().string());
      const bool known =
          std::find(named.begin(), named.end(), target ? parent / *target : path) != named.end();
      const bool is_part = parent != directory && (as_checkpoint(path) || is_of_validation(path));
      if (known || is_part) files.push_back(path);
    }
  }
  std::stable_partition(files.begin(), files.end(),
                        [&](const fs::path& path) { return path == directory / "config.json"; });
  return files;
}

}  // namespace heed
