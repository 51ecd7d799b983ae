// Table 1 of the paper, "Maximum path lengths, per-layer complexity and minimum number of
// sequential operations": its formulas, the layers behind them, and how long these take.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "layers/sequence_layer.h"

namespace heed {

// The four layers of Table 1 in its order, and the attention layers with their projections.
enum class LayerKind {
  self_attention,
  recurrent,
  convolutional,
  restricted_self_attention,
  projected_self_attention,
  projected_restricted_self_attention,
};
inline constexpr std::array<LayerKind, 6> kLayerKinds{
    LayerKind::self_attention,
    LayerKind::recurrent,
    LayerKind::convolutional,
    LayerKind::restricted_self_attention,
    LayerKind::projected_self_attention,
    LayerKind::projected_restricted_self_attention};

// A row of Table 1, in its symbols.
struct LayerComplexity {
  const char* name;        // "Self-attention (restricted)"
  const char* operations;  // "O(r n d)": complexity per layer
  const char* sequential;  // "O(1)": minimum number of sequential operations
  const char* path;        // "O(n/r)": maximum path length
  // Whether self-attention sees a neighborhood alone, and whether it has projections.
  bool restricted = false, projected = false;
};
const LayerComplexity& complexity(LayerKind kind);

// The symbols' values, except for n.
struct LayerSizes {
  int64_t d_model = 256;
  int64_t heads = 8;
  int64_t window = 32;  // positions on each side that restricted self-attention sees
  int64_t kernel_width = 3;

  // r: how many positions restricted self-attention sees, its own among them.
  int64_t neighborhood() const { return 2 * window + 1; }
};

// Multiply-adds of the matrix products of forward() for n positions.
int64_t multiply_adds(LayerKind kind, const LayerSizes& sizes, int64_t n);
// The formulas of Table 1, rounded up; the path of a convolution is that of dilated kernels.
int64_t sequential_operations(LayerKind kind, int64_t n);
int64_t maximum_path_length(LayerKind kind, const LayerSizes& sizes, int64_t n);

std::unique_ptr<SequenceLayer> make_layer(LayerKind kind, Backend& backend, const LayerSizes& sizes,
                                          const SequenceShape& shape);

struct LayerTime {
  LayerKind kind;
  int64_t n;
  double forward, forward_backward;  // processor seconds for one sequence of n positions
};

struct LayerTimeOptions {
  int64_t max_length = 2048;
  double seconds = 1;  // of each measurement
};
// n = 16, 32, ... up to max_length; all layers of one n after one another. Calls `report` after
// each.
std::vector<LayerTime> measure_layers(Backend& backend, const LayerSizes& sizes,
                                      const LayerTimeOptions& options,
                                      const std::function<void(const LayerTime&)>& report);

}  // namespace heed
