// Table 1 of the paper, measured: as text, JSON and a page with charts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "layers/table1.h"

namespace heed {

struct LayersTitle {
  std::string preset;   // "small"
  std::string backend;  // "cpu (AVX3)"
  LayerSizes sizes;
};

// The text in three parts, since a measurement takes minutes: the table as the paper has it, a line
// for each measurement, the first of each n with a heading, and time per token.
std::string layers_heading(const LayersTitle& title);
std::string layer_line(const LayersTitle& title, const LayerTime& time);
std::string layers_summary(const std::vector<LayerTime>& times);

nlohmann::ordered_json layers_json(const LayersTitle& title, const std::vector<LayerTime>& times);

std::string layers_html(const LayersTitle& title, const std::vector<LayerTime>& times);

}  // namespace heed
