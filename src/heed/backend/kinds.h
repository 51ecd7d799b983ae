// The choices that kernels have, for readers of every language version: nvcc reads this as C++17.
#pragma once

namespace heed {

// gelu is the exact one, x Phi(x); silu is x sigmoid(x).
enum class Activation { none, relu, gelu, silu, sigmoid, tanh };

// How a gradient is written.
enum class WriteMode { overwrite, accumulate };

enum class Mask { none, causal };

// A bias on the scaled scores of attention before the softmax.
enum class ScoreBias {
  none,
  alibi,  // - alibi_slope(head) |key - position|: attention with linear biases (Press et al., 2022)
};

enum class NormKind {
  layer,  // gain * (x - mean) / sqrt(variance + epsilon) + bias
  rms     // gain * x / sqrt(mean square + epsilon) (Zhang and Sennrich, 2019)
};

}  // namespace heed
