// The cross-attention of a model that tells which source and target words belong together.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/model/config.h"

namespace heed {

// The decoder step at which a target token's attention is read: the one that predicts it, or the
// one that has it as input (Chen et al., 2020, "Accurate Word Alignment Induction from Neural
// Machine Translation").
enum class AlignmentStep { predicting, following };
constexpr std::array<std::pair<std::string_view, AlignmentStep>, 2> enum_names(AlignmentStep) {
  return {{{"predicting", AlignmentStep::predicting}, {"following", AlignmentStep::following}}};
}

// Both count from 0.
struct DecoderHead {
  int64_t layer = 0, head = 0;
  friend auto operator<=>(const DecoderHead&, const DecoderHead&) = default;  // NOLINT
};

struct AlignmentHeads {
  std::vector<DecoderHead> heads;  // ascending: those whose mean is taken
  AlignmentStep step = AlignmentStep::predicting;

  // The layers that they are in, ascending.
  std::vector<int64_t> layers() const;
  friend bool operator==(const AlignmentHeads&, const AlignmentHeads&) = default;
};

// All heads of the layers [first, last].
AlignmentHeads heads_of_layers(const ModelConfig& config, int64_t first, int64_t last,
                               AlignmentStep step);

// The heads of a model that was not measured: all heads of the last layer at the step that
// predicts, or, with four layers or more, of the penultimate one, which aligns best in deep models
// that were not trained to align (Garg et al., 2019, section 5). None if no layer attends to the
// source.
AlignmentHeads default_alignment_heads(const ModelConfig& config);

// "layer 2 of 2, mean of the 4 heads", "layers 5, 6 of 6, mean of the 8 heads", or for a few heads
// "heads 6.1, 6.3 of 6 layers"; layers and heads count from 1.
std::string to_string(const AlignmentHeads& heads, const ModelConfig& config);

}  // namespace heed
