// The parameters of a model or of a part of one, by their names.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "heed/backend/backend.h"
#include "heed/core/parallel.h"
#include "heed/model/config.h"
#include "heed/model/layers.h"

namespace heed {

// A parameter by its dotted name, such as "encoder.0.self.query.weight".
struct Parameter {
  std::string name;
  Tensor tensor;
  ParameterRole role = ParameterRole::matrix;

  bool is_packed() const { return heed::is_packed(role); }
};

// Calls f(name, leaf) for every Leaf below `node`, with dotted names; f(name, tensor, role) for
// tensors.
template <class Leaf, class Node, class F, class... Role>
void for_each_leaf(Node& node, const F& f, const std::string& prefix = "", Role... role) {
  using Type = std::remove_const_t<Node>;
  const std::string path = prefix.empty() ? "" : prefix + ".";
  if constexpr (std::is_same_v<Type, Leaf>) {
    f(prefix, node, role...);
  } else if constexpr (std::is_same_v<Type, Tensor>) {
    return;
  } else if constexpr (requires { node.size(); }) {
    for (size_t i = 0; i < node.size(); ++i)
      for_each_leaf<Leaf>(node[i], f, path + std::to_string(i));
  } else {
    Type::visit(node, [&](const char* name, auto& child, auto... role_of_child) {
      for_each_leaf<Leaf>(child, f, path + name, role_of_child...);
    });
  }
}

// Every parameter of a node once, in one fixed order.
template <class Node>
std::vector<Parameter> parameters(Node& node) {
  std::vector<Parameter> all;
  for_each_leaf<Tensor>(node, [&](const std::string& name, Tensor& tensor, ParameterRole role) {
    all.push_back({name, tensor, role});
  });
  return all;
}

template <class Node>
int64_t parameter_count(const Node& node) {
  int64_t count = 0;
  for_each_leaf<Tensor>(node, [&](const std::string&, const Tensor& tensor, ParameterRole) {
    count += tensor.size();
  });
  return count;
}

// Its linear layers, in the order of parameters(), without output projections.
template <class Node>
std::vector<Linear> linear_layers(Node& node) {
  std::vector<Linear> all;
  for_each_leaf<Linear>(node, [&](const std::string&, Linear& layer) { all.push_back(layer); });
  return all;
}

// Initializes matrices uniformly (small ones always by their inputs), embeddings and positions
// from a normal distribution with standard deviation columns^-0.5 (the row of <pad> is zero), gains
// to 1, biases to 0. The values of a parameter depend on the seed, its name and its shape only. The
// parameters must be in the host's memory.
void initialize(const std::vector<Parameter>& parameters, uint64_t seed, TokenId pad_id,
                InitialWeights weights = InitialWeights::fan_in);

// Packs matrices and embeddings for the backend's products. Call it again after the values changed.
// Runs on `workers` if they are not null.
void pack(const std::vector<Parameter>& parameters, Backend& backend, Purpose purpose,
          Workers* workers = nullptr);

}  // namespace heed
