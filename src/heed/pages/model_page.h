// A model as a table: every sub-layer in the paper's words, with its shape and cost; and as a page
// for browsers, with its positions, masks and the distribution of weights.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "heed/model/config.h"
#include "heed/model/parameters.h"

namespace heed {

struct ModelCost {
  int64_t parameters = 0;
  double source_work = 0;  // multiply-adds for each source token
  double target_work = 0;  // and for each target token
};

// One row: a part of the model, or of one of its layers, with the cost of one copy.
struct ModelPart : ModelCost {
  int depth = 0;       // 0: a stack or table, 1: a sub-layer, 2: a matrix of it
  std::string name;    // "Multi-head self-attention (3.2.2)"
  Shape shape;         // of its matrix; empty if it has none
  int64_t copies = 1;  // of this part in the model (the layers of its stack)
};

// The parts of a model whose sentences have `length` tokens on either side. Work is that of one
// pass over whole sentences: attention sees the whole source, and half of the target on average.
std::vector<ModelPart> model_parts(const ModelConfig& config, int64_t length);

// The sum over copies.
ModelCost totals(const std::vector<ModelPart>& parts);

// The storage of a model's weights.
struct WeightFile {
  std::string type;  // "float32", "bfloat16", "int8"
  int64_t bytes = 0;
};
WeightFile weight_file(const std::filesystem::path& safetensors);

// As a page of 80 columns, headed by `title`; without a file its size is that of float32.
std::string model_page(const std::string& title, const ModelConfig& config, int64_t length,
                       const std::optional<WeightFile>& file = {});
// As one JSON object: configuration, file, parts, totals.
nlohmann::ordered_json model_json(const std::string& title, const ModelConfig& config,
                                  int64_t length, const std::optional<WeightFile>& file = {});

// The page `heed inspect model --html`, for sentences of `length` tokens. The weights are in fp32
// in the host's memory; there are none for a preset, whose page has only what follows from the
// configuration. `heads` is that of heads_json(), or null.
std::string model_html(const std::string& title, const ModelConfig& config, int64_t length,
                       const std::optional<WeightFile>& file, const std::vector<Parameter>& weights,
                       const nlohmann::ordered_json& heads = nullptr);

}  // namespace heed
