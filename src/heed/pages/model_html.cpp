#include <algorithm>
#include <cmath>
#include <map>

#include "heed/backend/attention_steps.h"
#include "heed/backend/backend.h"
#include "heed/core/json_text.h"
#include "heed/core/options.h"
#include "heed/model/weight_statistics.h"
#include "heed/pages/json_parts.h"
#include "heed/pages/model_page.h"
#include "heed/pages/page.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// Positions of a learned table that the page shows.
constexpr int64_t kMaxPositions = 256;
// Distances on either side for which the page shows the bias of T5.
constexpr int64_t kShownDistance = 64;

// A picture needs no more digits.
Json rounded_number(double value) {
  return json_number(std::stod(fmt::format("{:.6g}", value)));
}

// Null without weights.
Json statistics_of(const std::vector<Parameter>& weights) {
  if (weights.empty()) return nullptr;
  return json_list(weight_statistics(weights), [](const ParameterStatistics& parameter) -> Json {
    const WeightStatistics& s = parameter.values;
    return {{"name", parameter.name},
            {"shape", parameter.shape},
            {"count", s.count},
            {"not_finite", s.not_finite},
            {"zeros", s.zeros},
            {"mean", rounded_number(s.mean)},
            {"deviation", rounded_number(s.deviation)},
            {"least", rounded_number(s.least)},
            {"most", rounded_number(s.most)},
            {"below", s.below},
            {"above", s.above},
            {"histogram", s.histogram}};
  });
}

using Tensors = std::map<std::string, Tensor>;

// The first rows of a table as a block of the page: 0 is -most, 65534 is most.
Json table_block(const Tensor& table, std::vector<std::string>& blocks) {
  const int64_t rows = std::min(table.rows(), kMaxPositions);
  const std::span<const float> values =
      table.span<float>().first(size_t(rows) * size_t(table.columns()));
  double most = 0;
  for (const float value : values)
    if (std::isfinite(value)) most = std::max(most, std::abs(double(value)));
  std::vector<uint16_t> numbers;
  numbers.reserve(values.size());
  for (const float value : values) {
    const double share = most > 0 && std::isfinite(value) ? value / most : 0;
    numbers.push_back(uint16_t(std::lround((share + 1) * 32767)));
  }
  blocks.push_back(page_block(
      Json{{"rows", rows}, {"columns", table.columns()}, {"most", rounded_number(most)}}.dump(),
      numbers));
  return blocks.size() - 1;
}

// [heads][2 * kShownDistance + 1]: the bias of each distance, null for a key that is masked.
Json bias_by_distance(const Tensor& table, const ModelConfig& config, Mask mask) {
  const bool causal = mask == Mask::causal;
  const PositionBuckets buckets{
      causal ? PositionBuckets::Kind::t5_causal : PositionBuckets::Kind::t5, kRelativeBuckets};
  Json heads = Json::array();
  for (int64_t h = 0; h < config.heads; ++h) {
    Json& row = heads.emplace_back(Json::array());
    for (int64_t distance = -kShownDistance; distance <= kShownDistance; ++distance) {
      const int64_t bucket = buckets.of(0, distance);
      row.push_back(
          causal && distance > 0
              ? Json(nullptr)
              : rounded_number(table.span<float>()[size_t(h * kRelativeBuckets + bucket)]));
    }
  }
  return heads;
}

// The length of the vector of each distance: a row of keys, a column of values.
Json lengths(const Tensor& vectors, bool by_row) {
  const int64_t rows = vectors.rows(), columns = vectors.columns();
  const std::span<const float> values = vectors.span<float>();
  Json all = Json::array();
  for (int64_t v = 0; v < (by_row ? rows : columns); ++v) {
    double squares = 0;
    for (int64_t e = 0; e < (by_row ? columns : rows); ++e) {
      const double x = values[size_t(by_row ? v * columns + e : e * columns + v)];
      squares += x * x;
    }
    all.push_back(rounded_number(std::sqrt(squares)));
  }
  return all;
}

Json relative_lengths(const Tensors& tensors, const std::string& stack, int64_t layers) {
  Json keys = Json::array(), values = Json::array();
  for (int64_t i = 0; i < layers; ++i) {
    const std::string layer = fmt::format("{}.{}.self.", stack, i);
    keys.push_back(lengths(tensors.at(layer + "relative_key"), true));
    values.push_back(lengths(tensors.at(layer + "relative_value"), false));
  }
  return {{"keys", keys}, {"values", values}};
}

// The data of positions that do not follow from the configuration.
Json positions_of(const ModelConfig& config, const std::vector<Parameter>& weights,
                  std::vector<std::string>& blocks) {
  Json positions = Json::object();
  if (config.variants.positions == Positions::alibi) {
    for (int64_t h = 0; h < config.heads; ++h)
      positions["slopes"].push_back(rounded_number(alibi_slope(h, config.heads)));
  }
  if (weights.empty()) return positions;
  Tensors tensors;
  for (const Parameter& parameter : weights) tensors.emplace(parameter.name, parameter.tensor);
  for (const std::string stack : {"encoder", "decoder"}) {
    const bool is_encoder = stack == "encoder";
    if (const auto learned = tensors.find(stack + "_stack.positions"); learned != tensors.end())
      positions["learned"][stack] = table_block(learned->second, blocks);
    if (const auto bias = tensors.find(stack + "_stack.position_bias"); bias != tensors.end())
      positions["bias"][stack] =
          bias_by_distance(bias->second, config, is_encoder ? Mask::none : Mask::causal);
    if (config.variants.positions == Positions::relative)
      positions["relative"][stack] = relative_lengths(
          tensors, stack, is_encoder ? config.encoder_layers : config.decoder_layers);
  }
  return positions;
}

}  // namespace

std::string model_html(const std::string& title, const ModelConfig& config, int64_t length,
                       const std::optional<WeightFile>& file, const std::vector<Parameter>& weights,
                       const Json& heads) {
  Page page{.kind = "model", .title = title};
  page.data = json_text({{"kind", "model"},
                         {"model", model_json(title, config, length, file)},
                         {"variants", Json::parse(to_json(config.variants))},
                         {"configuration",
                          {{"d_key", config.d_key()},
                           {"d_value", config.d_value()},
                           {"key_value_heads", config.key_value_heads()},
                           {"window", parse_reach(config.variants.attention_reach).window},
                           {"max_positions", config.max_positions},
                           {"output_vocabulary", config.output_vocabulary_size},
                           {"output_bias", config.output_bias}}},
                         {"positions", positions_of(config, weights, page.blocks)},
                         {"statistics", statistics_of(weights)},
                         {"heads", heads}});
  return page_html(page);
}

}  // namespace heed
