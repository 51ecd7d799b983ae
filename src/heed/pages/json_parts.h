// Parts that the JSON of several results has.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/decode/alignment.h"
#include "heed/model/config.h"

namespace heed {

// Null for nothing, and for infinity and NaN, which JSON cannot express.
inline nlohmann::ordered_json json_number(const std::optional<double>& value) {
  if (value && std::isfinite(*value)) return *value;
  return nullptr;
}

// [0, 2]
inline nlohmann::ordered_json json_pair(const AlignedPair& pair) {
  return nlohmann::ordered_json::array({pair.source, pair.target});
}

// An array with what `json_of` gives for each item.
template <class Items, class JsonOf>
nlohmann::ordered_json json_list(const Items& items, JsonOf json_of) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}

// {"beam": "4"}
inline nlohmann::ordered_json json_object(
    const std::vector<std::pair<std::string, std::string>>& texts) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, text] : texts) object[name] = text;
  return object;
}

// The sizes of a model.
inline nlohmann::ordered_json sizes_json(const ModelConfig& config) {
  nlohmann::ordered_json sizes = {{"d_model", config.d_model},
                                  {"d_ff", config.d_ff},
                                  {"heads", config.heads},
                                  {"encoder_layers", config.encoder_layers},
                                  {"decoder_layers", config.decoder_layers},
                                  {"vocabulary", config.vocabulary_size}};
  if (config.decoder_d_ff) sizes["decoder_d_ff"] = *config.decoder_d_ff;
  return sizes;
}

}  // namespace heed
