// The choices that kernels have, in C++17: nvcc compiles this header too.
#pragma once

namespace heed {

// gelu is the exact one, x Phi(x), and gelu_tanh its approximation with a hyperbolic tangent
// (Hendrycks and Gimpel, 2016), which GPT-2 has; silu is x sigmoid(x).
enum class Activation { none, relu, gelu, gelu_tanh, silu, sigmoid, tanh };

// gelu_tanh(x) = x (1 + tanh(u)) / 2 = x sigmoid(2u), where u = kGeluFactor (x + kGeluCube x^3).
constexpr float kGeluFactor = 0.79788456f;  // sqrt(2 / pi)
constexpr float kGeluCube = 0.044715f;

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
