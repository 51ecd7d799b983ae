// Averages of weights: of checkpoints, training states and model directories.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heed/model/directory.h"
#include "heed/model/safetensors.h"

namespace heed {

// Weights on disk, read one parameter at a time.
class StoredWeights {
 public:
  // `path` is a model directory, a checkpoint (DIR/training/step-N.safetensors), or a training
  // state (DIR/training/state.safetensors), of which it reads the EMA of the weights if there is
  // one, else the weights. Error for anything else.
  explicit StoredWeights(const std::filesystem::path& path);

  // The directory of the config.json and the vocabulary of these weights.
  const std::filesystem::path& directory() const { return directory_; }
  // The config of the model in directory(); where a training state has none, it follows from its
  // options and the vocabulary in directory(). Error if there is neither.
  ModelConfig config() const;
  // Error if these are the weights of a model of another shape.
  void check_fit(const ModelConfig& config, const std::vector<Parameter>& parameters) const;
  // Fills the tensor (fp32) of a parameter of a model that they fit.
  void read(Parameter& parameter) const;

 private:
  std::filesystem::path path_, directory_;
  std::optional<StoredModel> model_;
  std::optional<SafetensorsFile> file_;
  std::string prefix_;  // of a parameter's name in the file
};

// Sets the parameters (fp32) of a model to the mean of the stored weights (StoredWeights), summed
// in the order given. `config` is the model's: a model directory must have the same.
void load_average(const std::vector<std::filesystem::path>& paths, const ModelConfig& config,
                  std::vector<Parameter> parameters);

// The checkpoints of the last `count` validations of a run, oldest first; Error if it keeps fewer.
std::vector<std::filesystem::path> last_checkpoints(const std::filesystem::path& directory,
                                                    int64_t count);

}  // namespace heed
