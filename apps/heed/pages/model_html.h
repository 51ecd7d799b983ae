// A model as a page for browsers: its structure, positions, masks and the distribution of weights.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "heed/model/transformer.h"
#include "pages/model_page.h"

namespace heed {

struct ModelTitle {
  std::string name;     // as the command was given it
  int64_t length = 25;  // of sentences, for the cost figures
};

// The page `heed inspect model --html`. The weights are in fp32 in the host's memory; there are
// none for a preset, whose page has only what follows from the configuration. `heads` is that of
// heads_json(), or null.
std::string model_html(const ModelTitle& title, const ModelConfig& config,
                       const std::optional<WeightFile>& file, const std::vector<Parameter>& weights,
                       const nlohmann::ordered_json& heads = nullptr);

}  // namespace heed
