// The model directory in the ecosystem's own layout: what Hugging Face calls MarianMTModel. What
// heed trains opens in transformers and CTranslate2, what OPUS-MT published opens in heed
// (docs/architecture.md, decision 6). The tokenizer's files beside these are written and read by
// text/tokenizer.h.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <span>

#include "heed/model/safetensors.h"
#include "heed/model/transformer.h"

namespace heed {

// What generation_config.json says to other programs; heed itself has options of its own.
struct DirectoryInfo {
  int64_t num_beams = 4;
  int64_t max_length = 0;  // tokens of a translation at most; 0: all positions the model has
};

// Writes config.json, generation_config.json and model.safetensors, each replaced at once or not at
// all; makes the directory if need be. The same model gives the same bytes. Matrices and embeddings
// are stored in the type `weights` (f32, bf16 or int8), vectors in f32. Any but f32 loses
// precision. An int8 matrix has one scale per row, the tensor NAME_scale (backend/quantize.h): such
// a directory is heed's own, others open in transformers too.
void save_model(const std::filesystem::path& directory, Transformer& model,
                const DirectoryInfo& info = {}, DType weights = DType::f32);

// A model directory whose weights are read one parameter at a time. Errors are those of load_model.
class StoredModel {
 public:
  explicit StoredModel(const std::filesystem::path& directory);
  StoredModel(StoredModel&& other) noexcept;
  ~StoredModel();

  const ModelConfig& config() const;
  // Fills the tensor (f32) of a parameter of Transformer(config()).
  void read(Parameter& parameter) const;

 private:
  struct Reader;
  std::unique_ptr<const Reader> reader_;
};

// The model of a directory, in f32. An Error, naming file and tensor or key, says what is missing,
// damaged, or no model that heed can run; no memory is taken before the file is known to fit it.
Transformer load_model(const std::filesystem::path& directory);

// The same, ready for this backend's forward passes: matrices are packed one by one and their
// values given up, so that memory never holds both for more than one.
Transformer load_model(const std::filesystem::path& directory, Backend& backend);

// What config.json says. A published model has an output bias and can predict every token
// but <pad>.
ModelConfig read_config(const std::filesystem::path& directory);

// Where a training that replaces a model keeps its files until it has saved: all of them in
// `complete`, or, in the middle of a move there or back, some in `moving`. Readers that find no
// model look there to say so; only the process that holds its DirectoryLock moves files.
struct PutAsideFolders {
  std::filesystem::path moving, complete;
};
PutAsideFolders put_aside_folders(const std::filesystem::path& directory);

// The folder below a model directory in which a whole model is written before its files replace
// those of the directory. config.json is taken away first and comes back last.
std::filesystem::path replacement_folder(const std::filesystem::path& directory);

// Identifies the config.json of a directory. It changes where the model is replaced.
class ConfigStamp {
 public:
  explicit ConfigStamp(const std::filesystem::path& directory);
  bool operator==(const ConfigStamp&) const = default;

 private:
  std::array<int64_t, 4> values_{};
};

// Waits a moment for a replacement of the model to end. Error where that takes longer than a few
// seconds, or `failure` where no replacement is in progress.
void wait_for_replacement(const std::filesystem::path& directory, int attempt,
                          const std::exception_ptr& failure);

// Calls `read` until the directory had one model all the time.
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

// Whether the folder holds a model, of heed or, by its config.json, of another program.
bool holds_model(const std::filesystem::path& directory);

}  // namespace heed
