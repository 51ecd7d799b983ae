// Reads and writes model directories in the layouts of Hugging Face's transformers
// (model/layouts.h): models trained by heed open in transformers and CTranslate2, and models
// published by OPUS-MT, and GPT-2, open in heed. text/tokenizer.h writes and reads the tokenizer's
// files.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <span>

#include "heed/model/generation_config.h"
#include "heed/model/layouts.h"
#include "heed/model/safetensors.h"

namespace heed {

class SequenceModel;

// The contents of a model directory.
struct ModelContents {
  ModelConfig config;
  std::vector<Parameter> parameters;  // all of them
  GenerationDefaults generation_defaults = {};
};

// Writes config.json, generation_config.json and model.safetensors, each atomically;
// creates the directory if it does not exist. The same model gives the same bytes. Matrices and
// embeddings are stored in `weight_type` (fp32, bf16 or int8), vectors in fp32. Any but fp32 loses
// precision. An int8 matrix has one scale per row, the tensor NAME_scale (backend/quantize.h), and
// only heed opens such a directory; those of fp32 and bf16 open in transformers too.
void save_model(const std::filesystem::path& directory, const ModelContents& model,
                DType weight_type, const CheckpointLayout& layout);
// In the layout of layout_to_write().
void save_model(const std::filesystem::path& directory, const ModelContents& model,
                DType weight_type = DType::fp32);
void save_model(const std::filesystem::path& directory, SequenceModel& model,
                DType weight_type = DType::fp32);

// A model directory whose weights are read one parameter at a time. An Error, naming file and
// tensor or key, says what is missing or damaged, or why heed cannot run the model; the header is
// checked before memory is allocated.
class StoredModel {
 public:
  StoredModel(const std::filesystem::path& directory, const CheckpointLayout& layout);
  // In the layout that config.json names.
  explicit StoredModel(const std::filesystem::path& directory);

  const ModelConfig& config() const { return config_; }
  // Fills the tensor (fp32) of a parameter of SequenceModel(config()).
  void read(Parameter& parameter) const;

 private:
  void check_file() const;
  void check_copies(const LayoutTensor& tensor) const;
  void check_bias() const;
  void check_positions(const StoredTensor& stored) const;
  const std::string& stored_name(const LayoutTensor& tensor) const;
  bool is_quantized(const LayoutTensor& tensor) const;
  std::vector<float> bias_of_outputs() const;
  void read_values(const std::string& name, Tensor& values) const;
  void read_placed(const LayoutTensor& tensor, Tensor& values) const;
  void read_quantized(const std::string& name, Tensor& values) const;

  ModelConfig config_;
  LayoutTensors tensors_;  // with parameters that have shapes, but no values
  SafetensorsFile file_;
};

// The model of a directory, in fp32. Errors are those of StoredModel.
SequenceModel load_model(const std::filesystem::path& directory);
SequenceModel load_model(const std::filesystem::path& directory, const CheckpointLayout& layout);

// The same as a model of another config, which differs only in what training reads (dropout).
SequenceModel load_model(const std::filesystem::path& directory, const ModelConfig& config);

// The same, ready for this backend's forward passes: each matrix is packed and its values are
// freed before the next is read, so that at most one matrix is in memory in both forms.
SequenceModel load_model(const std::filesystem::path& directory, Backend& backend);

// The configuration in config.json. A published model has an output bias and can predict every
// token but <pad>.
ModelConfig read_config(const std::filesystem::path& directory);
ModelConfig read_config(const std::filesystem::path& directory, const CheckpointLayout& layout);

// The layout that a directory's config.json names.
const CheckpointLayout& layout_of(const std::filesystem::path& directory);

// The same, for those that translate: Error for other models.
ModelConfig read_translator_config(const std::filesystem::path& directory);
// The same, for language models: Error if the model has an encoder.
ModelConfig read_language_model_config(const std::filesystem::path& directory);
// The same, for parsers: Error if the model does not write trees.
ModelConfig read_parser_config(const std::filesystem::path& directory);
// The same, for those that choose among classes of this kind, or of any: Error for other models.
ModelConfig read_classifier_config(const std::filesystem::path& directory,
                                   std::optional<ClassesOf> of = {});

// Backups of the old model's files while a run that replaces it has not saved yet: `complete` holds
// all of them, `partial` some, while they are moved into or out of the backup. A reader that finds
// no model looks here only to name the backup in its error message; only a process that has locked
// the directory moves files.
struct BackupDirectories {
  std::filesystem::path partial, complete;
};
BackupDirectories backup_directories(const std::filesystem::path& directory);

// Where, below a model directory, a whole model is written before its files replace those of the
// directory. config.json is removed first and written last.
std::filesystem::path replacement_directory(const std::filesystem::path& directory);

// Identifies the present config.json of a directory: the stamp differs after the model was
// replaced.
class ConfigStamp {
 public:
  explicit ConfigStamp(const std::filesystem::path& directory);
  bool operator==(const ConfigStamp&) const = default;

 private:
  std::array<int64_t, 4> values_{};
};

// Called after attempt `attempt` (from 0) to read a model failed, or found that it was replaced
// meanwhile (no `failure`): pauses before the next. Rethrows `failure` if no replacement is in
// progress; Error after a few seconds.
void wait_for_replacement(const std::filesystem::path& directory, int attempt,
                          const std::exception_ptr& failure);

// Calls `read`, and repeats it if the directory's model was replaced meanwhile.
template <class Read>
auto read_unchanged(const std::filesystem::path& directory, const Read& read) {
  for (int attempt = 0;; ++attempt) {
    const ConfigStamp before(directory);
    std::exception_ptr failure;
    try {
      auto result = read();
      if (ConfigStamp(directory) == before) return result;
    } catch (const Error&) {
      failure = std::current_exception();
    }
    wait_for_replacement(directory, attempt, failure);
  }
}

// The names that save_model gives its files.
std::span<const char* const> model_files();

// Whether the directory holds a model, of heed or, by its config.json, of another program.
bool holds_model(const std::filesystem::path& directory);

}  // namespace heed
