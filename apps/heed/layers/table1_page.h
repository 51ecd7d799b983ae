// Table 1 of the paper, measured: as text, JSON and a page with charts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "layers/table1.h"

namespace heed {

struct MeasuredTable1 {
  std::string preset;   // "small"
  std::string backend;  // "cpu (AVX3)"
  LayerSizes sizes = {};
  std::vector<LayerTime> times = {};
};

// The text in three parts, since a measurement takes minutes: the table as the paper has it, a line
// for each measurement, the first of each n with a heading, and time per token.
std::string layers_heading(const MeasuredTable1& table);
std::string layer_line(const LayerSizes& sizes, const LayerTime& time);
std::string layers_summary(const std::vector<LayerTime>& times);

nlohmann::ordered_json layers_json(const MeasuredTable1& table);

std::string layers_html(const MeasuredTable1& table);

}  // namespace heed
