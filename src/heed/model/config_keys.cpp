#include "heed/model/config_keys.h"

#include <initializer_list>

namespace heed::detail {
namespace {

// Names of activations in transformers, and of heed's own; the first for each of heed's is written.
constexpr std::initializer_list<std::pair<const char*, FeedForwardKind>> kActivations = {
    {"relu", FeedForwardKind::relu},          {"gelu", FeedForwardKind::gelu},
    {"gelu_new", FeedForwardKind::gelu_tanh}, {"gelu_pytorch_tanh", FeedForwardKind::gelu_tanh},
    {"silu", FeedForwardKind::silu},          {"swish", FeedForwardKind::silu},
    {"swiglu", FeedForwardKind::swiglu}};

}  // namespace

const char* activation_name(FeedForwardKind activation) {
  for (const auto& [name, value] : kActivations)
    if (value == activation) return name;
  check(false, "an activation without a name");
  return "";
}

FeedForwardKind read_activation(const Keys& keys) {
  const std::string name = keys.text("activation_function");
  for (const auto& [known, value] : kActivations)
    if (name == known) return value;
  keys.reject("activation_function", name,
              "relu, gelu, gelu_new, gelu_pytorch_tanh, silu, swish or swiglu");
}

}  // namespace heed::detail
