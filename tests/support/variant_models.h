// Models in every variant of attention, positions, normalization and feed-forward networks.
#pragma once

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "heed/core/rng.h"
#include "heed/model/config.h"
#include "support/small_model.h"

namespace heed::testing {

// One value of one option, as a command line gives it.
struct Choice {
  std::string option, value;
  std::function<void(ModelConfig&)> set;
};

// All values of one option.
using Factor = std::vector<Choice>;

template <class Enum>
Factor factor_of(const std::string& option, Enum Variants::*member) {
  Factor factor;
  for (const auto& [name, value] : enum_names(Enum{}))
    factor.push_back(
        {option, std::string(name), [=, v = value](ModelConfig& c) { c.variants.*member = v; }});
  return factor;
}

// Every value of every option that changes the model, of models with four heads; the first of each
// is the paper's.
inline std::vector<Factor> all_factors() {
  std::vector<Factor> factors;
  factors.push_back(factor_of("attention", &Variants::attention));
  Factor reach, groups, d_key, d_value, share, activation;
  for (const char* value : {"global", "local:1", "local:3", "local-p:2", "hard"})
    reach.push_back(
        {"attention_reach", value, [=](ModelConfig& c) { c.variants.attention_reach = value; }});
  for (const int64_t count : {4, 2, 1})
    groups.push_back({"key_value_heads", std::to_string(count), [=](ModelConfig& c) {
                        if (count != 4) c.variants.key_value_heads = count;
                      }});
  for (const int64_t size : {0, 4, 6})
    d_key.push_back({"d_key", std::to_string(size), [=](ModelConfig& c) {
                       if (size > 0) c.variants.d_key = size;
                     }});
  for (const int64_t size : {0, 5})
    d_value.push_back({"d_value", std::to_string(size), [=](ModelConfig& c) {
                         if (size > 0) c.variants.d_value = size;
                       }});
  for (const bool on : {false, true})
    share.push_back({"share_query_key", on ? "true" : "false",
                     [=](ModelConfig& c) { c.variants.share_query_key = on; }});
  for (const auto& [name, value] : enum_names(FeedForwardKind{}))
    activation.push_back(
        {"activation", std::string(name), [v = value](ModelConfig& c) { c.activation = v; }});
  for (Factor* factor : {&reach, &groups, &d_key, &d_value, &share, &activation})
    factors.push_back(*factor);
  factors.push_back(factor_of("positions", &Variants::positions));
  factors.push_back(factor_of("norm", &Variants::norm));
  factors.push_back(factor_of("norm_kind", &Variants::norm_kind));
  factors.push_back(factor_of("residual", &Variants::residual));
  return factors;
}

struct VariantModel {
  std::string name;
  ModelConfig config;
};

inline ModelConfig variant_base() {
  ModelConfig config = small_config(11);
  config.heads = 4;
  return config;
}

inline bool is_valid(const ModelConfig& config) {
  try {
    config.validate();
  } catch (const UsageError&) {
    return false;
  }
  return true;
}

// The paper's model with one value changed: each value of each option.
inline std::vector<VariantModel> single_variants() {
  std::vector<VariantModel> models;
  for (const Factor& factor : all_factors()) {
    for (size_t i = 1; i < factor.size(); ++i) {
      ModelConfig config = variant_base();
      factor[i].set(config);
      if (is_valid(config)) models.push_back({factor[i].option + " " + factor[i].value, config});
    }
  }
  return models;
}

// Recurrent models: each cell with and without input feeding, and each attention with one of them.
inline std::vector<VariantModel> recurrent_variants() {
  std::vector<VariantModel> models;
  const auto add = [&](const std::string& name, const std::function<void(Variants&)>& set) {
    ModelConfig config = small_config(11);
    config.heads = 1;
    config.d_ff = 0;
    config.variants.architecture = Architecture::rnn;
    set(config.variants);
    models.push_back({"rnn " + name, config});
  };
  for (const auto& [cell_name, cell] : enum_names(Cell{}))
    for (const auto& [feeds, feeding] : enum_names(Switch{}))
      add(std::string(cell_name) + " feeding " + std::string(feeds),
          [cell = cell, feeding = feeding](Variants& v) {
            v.cell = cell;
            v.input_feeding = feeding;
          });
  for (const auto& [score_name, score] : enum_names(ScoreFunction{})) {
    if (score == ScoreFunction::scaled_dot) continue;
    add(std::string(score_name), [score = score](Variants& v) {
      v.attention = score;
      v.cell = score == ScoreFunction::dot ? Cell::gru : Cell::lstm;
      v.input_feeding = score == ScoreFunction::general ? Switch::off : Switch::on;
    });
  }
  for (const char* reach : {"local:1", "local-p:2", "hard"})
    for (const auto& [feeds, feeding] : enum_names(Switch{}))
      add(std::string(reach) + " feeding " + std::string(feeds),
          [reach, feeding = feeding](Variants& v) {
            v.attention_reach = reach;
            v.input_feeding = feeding;
          });
  return models;
}

// The paper's model with one value changed, and recurrent models.
inline std::vector<VariantModel> each_variant() {
  std::vector<VariantModel> models = single_variants();
  for (VariantModel& model : recurrent_variants()) models.push_back(std::move(model));
  return models;
}

// Combinations in which each two values of different options that may go together do so at least
// once: rows are built greedily, from seeded random candidates.
inline std::vector<VariantModel> pairwise_variants() {
  const std::vector<Factor> factors = all_factors();
  using Pair = std::tuple<size_t, size_t, size_t, size_t>;  // factor, value, factor, value
  using Row = std::vector<size_t>;
  const auto model_of = [&](const Row& row) {
    VariantModel model{"", variant_base()};
    for (size_t f = 0; f < factors.size(); ++f) {
      factors[f][row[f]].set(model.config);
      if (row[f] > 0)
        model.name += " " + factors[f][row[f]].option + " " + factors[f][row[f]].value;
    }
    return model;
  };
  std::set<Pair> open;
  for (size_t f = 0; f < factors.size(); ++f)
    for (size_t g = f + 1; g < factors.size(); ++g)
      for (size_t a = 0; a < factors[f].size(); ++a)
        for (size_t b = 0; b < factors[g].size(); ++b) {
          Row row(factors.size(), 0);
          row[f] = a, row[g] = b;
          if (is_valid(model_of(row).config)) open.insert({f, a, g, b});
        }
  const auto covered = [&](const Row& row) {
    std::vector<Pair> pairs;
    for (size_t f = 0; f < row.size(); ++f)
      for (size_t g = f + 1; g < row.size(); ++g)
        if (open.contains({f, row[f], g, row[g]})) pairs.push_back({f, row[f], g, row[g]});
    return pairs;
  };
  Random random(1);
  std::vector<VariantModel> models;
  while (!open.empty()) {
    Row best;
    std::vector<Pair> gain;
    for (int candidate = 0; candidate < 40 || gain.empty(); ++candidate) {
      Row row;
      for (const Factor& factor : factors) row.push_back(size_t(random.below(factor.size())));
      const auto& [f, a, g, b] = *open.begin();
      row[f] = a, row[g] = b;
      // With the paper's other values the first pair is valid: what contradicts it gives way.
      for (size_t i = 0; i < row.size() && !is_valid(model_of(row).config); ++i)
        if (i != f && i != g) row[i] = 0;
      const std::vector<Pair> pairs = covered(row);
      if (pairs.size() > gain.size()) best = row, gain = pairs;
    }
    for (const Pair& pair : gain) open.erase(pair);
    models.push_back(model_of(best));
  }
  return models;
}

}  // namespace heed::testing
