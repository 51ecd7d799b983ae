#include "heed/run/averaging.h"

#include <algorithm>
#include <map>

#include "heed/core/counted.h"
#include "heed/model/sequence_model.h"
#include "heed/run/prepared_run.h"
#include "heed/run/run_files.h"
#include "heed/run/training_state.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// A training state of another version may have an EMA of another name, which must not be missed:
// Error if a tensor is unknown. Nothing is checked in a checkpoint, whose names have no prefix.
void expect_known_tensors(const SafetensorsFile& file, const fs::path& path) {
  for (const StoredTensor& t : file.tensors())
    if (std::ranges::none_of(StatePrefix::all,
                             [&](const char* prefix) { return t.name.starts_with(prefix); }))
      fail(
          "{}: has a tensor {} that no training state of this version of heed has: average "
          "checkpoints, or the model of the run",
          path.string(), t.name);
}

bool any_begins_with(const SafetensorsFile& file, const char* prefix) {
  return std::ranges::any_of(file.tensors(),
                             [&](const StoredTensor& t) { return t.name.starts_with(prefix); });
}

}  // namespace

StoredWeights::StoredWeights(const fs::path& path) : path_(path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    directory_ = path;
    model_.emplace(path);
    return;
  }
  directory_ = fs::absolute(path, error).parent_path().parent_path();
  file_.emplace(path);
  file_->expect_undamaged("take another checkpoint");
  for (const char* prefix : {StatePrefix::ema, StatePrefix::parameter})
    if (prefix_.empty() && any_begins_with(*file_, prefix)) prefix_ = prefix;
  if (!prefix_.empty()) expect_known_tensors(*file_, path);
}

ModelConfig StoredWeights::config() const {
  std::error_code error;
  if (model_ || fs::exists(directory_ / "config.json", error)) return read_config(directory_);
  if (!file_->metadata().contains("options"))
    fail("{}: there is no config.json in the directory of its run: give its model with --model",
         path_.string());
  return config_for(stored_options(path_), TokenizerPair::load(directory_));
}

void StoredWeights::check_fit(const ModelConfig& config,
                              const std::vector<Parameter>& parameters) const {
  if (model_) {
    ModelConfig own = model_->config();  // dropout matters in training only
    own.dropout = config.dropout;
    own.attention_dropout = config.attention_dropout;
    own.activation_dropout = config.activation_dropout;
    if (own != config)
      fail("{}: its config.json describes another model than those before it", path_.string());
    return;
  }
  for (const Parameter& p : parameters) file_->expect(prefix_ + p.name, p.tensor.shape());
  const auto held = std::ranges::count_if(
      file_->tensors(), [&](const StoredTensor& t) { return t.name.starts_with(prefix_); });
  if (held != std::ptrdiff_t(parameters.size()))
    fail("{}: holds {} parameters, the model has {}", path_.string(), held, parameters.size());
}

void StoredWeights::read(Parameter& parameter) const {
  if (model_) return model_->read(parameter);
  const std::string name = prefix_ + parameter.name;
  file_->read(name, parameter.tensor);
  file_->release_pages(*file_->find(name));
}

void load_average(const std::vector<fs::path>& paths, const ModelConfig& config,
                  std::vector<Parameter> parameters) {
  check(!paths.empty(), "a mean of no weights");
  std::vector<StoredWeights> all;
  all.reserve(paths.size());
  for (const fs::path& path : paths) {
    all.emplace_back(path);
    all.back().check_fit(config, parameters);
  }
  for (Parameter& p : parameters) {
    Tensor sum(p.tensor.shape(), DType::fp64);
    Tensor values(p.tensor.shape(), DType::fp32);
    Parameter part{p.name, values, p.role};
    const std::span<double> sums = sum.span<double>();
    const std::span<float> numbers = values.span<float>();
    for (const StoredWeights& weights : all) {
      weights.read(part);
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += double(numbers[i]);
    }
    for (size_t i = 0; i < sums.size(); ++i) numbers[i] = float(sums[i] / double(all.size()));
    copy(values, p.tensor);
  }
}

std::vector<fs::path> last_checkpoints(const fs::path& directory, int64_t count) {
  const RunFiles files{directory};
  const std::map<int64_t, fs::path> by_step = files.checkpoints();
  if (int64_t(by_step.size()) < count)
    fail(
        "{} keeps {}, expected at least {}: --keep-checkpoints and --average of heed train set how "
        "many a run keeps",
        files.training().string(), detail::counted(int64_t(by_step.size()), "checkpoint"), count);
  std::vector<fs::path> paths;
  paths.reserve(by_step.size());
  for (const auto& [step, path] : by_step) paths.push_back(path);
  paths.erase(paths.begin(), paths.end() - std::ptrdiff_t(count));
  return paths;
}

}  // namespace heed
