// The interface of a format of model directories: what its files call the parameters of a model and
// the values of its config. model/layouts.h chooses between those of the product.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/model/config.h"
#include "heed/model/parameters.h"

namespace heed {

// Where a tensor of the file has the values of a parameter.
struct Placement {
  bool transposed = false;      // a matrix [in, out], which heed has as [out, in]
  int64_t part = 0, parts = 1;  // a tensor of several parameters has their outputs side by side
  double factor = 1;            // the file has the values times this

  bool is_plain() const { return !transposed && parts == 1 && factor == 1; }
};

// A parameter, and the names of its tensor in the weights' file.
struct LayoutTensor {
  Parameter parameter;
  std::vector<std::string> names;  // the first is written; files may hold equal copies under others
  Placement placement = {};        // the parts of a tensor follow each other
};

// Everything that the weights' file of a model may contain.
struct LayoutTensors {
  std::vector<LayoutTensor> parameters;  // in the order of the file, without the output bias
  // The first tensor of the file, [1, vocabulary]: added to the logits. A file may lack it. Empty
  // in a layout without.
  std::string logits_bias;
  // Tables of sinusoids, which some files carry: they are computed, not read.
  std::vector<std::string> position_tables = {};
  // Tensors that some files carry and that say nothing about the model.
  std::vector<std::string> ignored = {};
};

// The programs for which generation_config.json is written: those of models with an encoder and a
// decoder, or with a decoder alone.
enum class GenerationForm { encoder_decoder, decoder_alone };

class CheckpointLayout {
 public:
  virtual ~CheckpointLayout() = default;
  virtual GenerationForm generation_form() const { return GenerationForm::encoder_decoder; }
  // Where the file has these parameters, which are those of a model of this config.
  virtual LayoutTensors tensors(const ModelConfig& config,
                                const std::vector<Parameter>& parameters) const = 0;
  // The text of config.json, of a model whose weights are stored as fp32, bf16 or int8.
  virtual std::string write_config(const ModelConfig& config, DType weights) const = 0;
  // `place` names the file in messages. Error for a model that heed cannot run.
  virtual ModelConfig read_config(std::string_view text, const std::string& place) const = 0;
};

}  // namespace heed
