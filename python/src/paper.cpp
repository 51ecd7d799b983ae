// heed::paper on arrays: every function takes and gives float32.
#include "heed/paper.h"

#include "arrays.h"
#include "heed/core/options.h"
#include "heed/model/directory.h"
#include "heed/paper_variants.h"

namespace heed::python {
namespace {

using Array = InputArray;
using MaybeArray = std::optional<InputArray>;

Tensor in(const Array& array) {
  return tensor_of_array(array);
}
Tensor in(const MaybeArray& array) {
  return tensor_of_array(array);
}

// The result of a function of tensors, which is called without the GIL.
template <class Function>
auto compute(const Function& function) {
  const nb::gil_scoped_release release;
  return function();
}

// (output, weights).
template <class Function>
nb::tuple attention_by(const Function& function) {
  const paper::AttentionResult result = compute(function);
  return nb::make_tuple(array_of(result.output), array_of(result.weights));
}

template <class Function>
OutputArray array_by(const Function& function) {
  return array_of(compute(function));
}

Mask mask_of(bool causal) {
  return causal ? Mask::causal : Mask::none;
}

// Weight [outputs, inputs] and bias [outputs], which may be None.
Linear linear(const Array& weight, const MaybeArray& bias) {
  Linear layer;
  layer.weight = in(weight);
  layer.bias = bias ? in(bias) : Tensor({layer.weight.dim(0)});
  return layer;
}

nb::tuple scaled_dot_product_attention(const Array& query, const Array& key, const Array& value,
                                       const MaybeArray& mask, std::optional<double> scale) {
  const Tensor q = in(query), k = in(key), v = in(value);
  const paper::AttentionArguments arguments = {.mask = in(mask), .scale = scale};
  return attention_by([&] { return paper::scaled_dot_product_attention(q, k, v, arguments); });
}

// `parameters`: weight and bias of query, key, value and output.
nb::tuple multi_head_attention(const std::vector<Array>& parameters, int64_t heads, const Array& x,
                               const Array& memory, const MaybeArray& mask,
                               std::optional<double> scale) {
  if (parameters.size() != 8)
    fail_usage("multi_head_attention: expected 4 weights and 4 biases, got {} arrays",
               parameters.size());
  Attention attention;
  Linear* const layers[] = {&attention.query, &attention.key, &attention.value, &attention.output};
  for (size_t i = 0; i < 4; ++i) *layers[i] = linear(parameters[2 * i], parameters[2 * i + 1]);
  const Tensor rows = in(x), keys = in(memory);
  const paper::AttentionArguments arguments = {.mask = in(mask), .scale = scale};
  return attention_by(
      [&] { return paper::multi_head_attention(attention, heads, rows, keys, arguments); });
}

// The arguments of multi_head_attention(), from a model's attention.
std::vector<OutputArray> attention_of(const std::string& directory, const std::string& name) {
  const Attention attention = compute([&] {
    SequenceModel model = load_model(directory);
    return paper::attention_of(model, name);
  });
  std::vector<OutputArray> arrays;
  for (const Linear* layer :
       {&attention.query, &attention.key, &attention.value, &attention.output}) {
    if (!layer->weight)
      fail("{} of {} has no such projections: its score function is another one", name, directory);
    arrays.push_back(array_of(layer->weight));
    arrays.push_back(array_of(layer->bias));
  }
  return arrays;
}

nb::tuple label_smoothed_cross_entropy(const Array& logits, const std::vector<TokenId>& labels,
                                       double smoothing) {
  const Tensor x = in(logits);
  const auto loss =
      compute([&] { return paper::label_smoothed_cross_entropy(x, labels, smoothing); });
  return nb::make_tuple(array_of(loss.smoothed), array_of(loss.nll), array_of(loss.gradient));
}

void bind_equations(nb::module_& p) {
  p.def("scaled_dot_product_attention", &scaled_dot_product_attention);
  p.def("multi_head_attention", &multi_head_attention);
  p.def("attention_of", &attention_of);
  p.def("label_smoothed_cross_entropy", &label_smoothed_cross_entropy);
  p.def("noam_learning_rate", &paper::noam_learning_rate);
  p.def("causal_mask",
        [](int64_t queries, int64_t keys) { return array_of(paper::causal_mask(queries, keys)); });
  p.def("positional_encoding", [](int64_t positions, int64_t d_model) {
    return array_of(paper::positional_encoding(positions, d_model));
  });
}

void bind_scores(nb::module_& p) {
  p.def("dot_scores", [](const Array& query, const Array& key, double scale) {
    const Tensor q = in(query), k = in(key);
    return array_by([&] { return paper::dot_scores(q, k, scale); });
  });
  p.def("general_scores", [](const Array& query, const Array& weight, const Array& key) {
    const Tensor q = in(query), w = in(weight), k = in(key);
    return array_by([&] { return paper::general_scores(q, w, k); });
  });
  p.def("additive_scores", [](const Array& query_weight, const Array& key_weight, const Array& v,
                              const Array& query, const Array& key) {
    const paper::AdditiveParameters parameters = {in(query_weight), in(key_weight), in(v)};
    const Tensor q = in(query), k = in(key);
    return array_by([&] { return paper::additive_scores(parameters, q, k); });
  });
  p.def("cosine_scores", [](const Array& query, const Array& key, double gain) {
    const Tensor q = in(query), k = in(key);
    return array_by([&] { return paper::cosine_scores(q, k, gain); });
  });
  p.def("location_scores", [](const Array& query, const Array& weight, int64_t keys) {
    const Tensor q = in(query), w = in(weight);
    return array_by([&] { return paper::location_scores(q, w, keys); });
  });
}

void bind_attention(nb::module_& p) {
  p.def("attend", [](const Array& scores, const Array& value, const MaybeArray& mask) {
    const Tensor s = in(scores), v = in(value), m = in(mask);
    return attention_by([&] { return paper::attend(s, v, m); });
  });
  p.def("attend_hard", [](const Array& scores, const Array& value, const MaybeArray& mask) {
    const Tensor s = in(scores), v = in(value), m = in(mask);
    return attention_by([&] { return paper::attend_hard(s, v, m); });
  });
  p.def("attend_locally", [](const Array& scores, const Array& value, const Array& centers,
                             int64_t window, const MaybeArray& mask) {
    const Tensor s = in(scores), v = in(value), m = in(mask);
    const paper::LocalWindow local = {in(centers), window};
    return attention_by([&] { return paper::attend_locally(s, v, local, m); });
  });
  p.def("predicted_positions",
        [](const Array& query, const Array& weight, const Array& v, int64_t keys) {
          const Tensor q = in(query), w = in(weight), x = in(v);
          return array_by([&] { return paper::predicted_positions(q, w, x, keys); });
        });
  p.def("relative_attention", [](const Array& query, const Array& key, const Array& value,
                                 const Array& key_vectors, const MaybeArray& value_vectors,
                                 const MaybeArray& mask, std::optional<double> scale) {
    const Tensor q = in(query), k = in(key), v = in(value);
    const paper::RelativeVectors relative = {in(key_vectors), in(value_vectors)};
    const paper::AttentionArguments arguments = {.mask = in(mask), .scale = scale};
    return attention_by([&] { return paper::relative_attention(q, k, v, relative, arguments); });
  });
  p.def("grouped_query_attention", [](int64_t heads, const Array& query, const Array& key,
                                      const Array& value, const MaybeArray& mask,
                                      std::optional<double> scale) {
    const Tensor q = in(query), k = in(key), v = in(value);
    const paper::AttentionArguments arguments = {.mask = in(mask), .scale = scale};
    return attention_by([&] { return paper::grouped_query_attention(heads, q, k, v, arguments); });
  });
}

void bind_positions(nb::module_& p) {
  p.def("window_mask", [](int64_t queries, int64_t keys, int64_t window, bool causal) {
    return array_of(paper::window_mask(queries, keys, window, mask_of(causal)));
  });
  p.def("alibi_bias", [](int64_t heads, int64_t queries, int64_t keys, bool causal) {
    return array_of(paper::alibi_bias(heads, queries, keys, mask_of(causal)));
  });
  p.def("t5_bias", [](const Array& table, int64_t queries, int64_t keys, bool causal) {
    const Tensor t = in(table);
    return array_by([&] { return paper::t5_bias(t, queries, keys, mask_of(causal)); });
  });
  p.def("rotary_embedding",
        [](const Array& x, const std::vector<int32_t>& positions, int64_t heads) {
          const Tensor rows = in(x);
          return array_by([&] { return paper::rotary_embedding(rows, positions, heads); });
        });
}

void bind_layers(nb::module_& p) {
  p.def("layer_norm", [](const Array& x, const Array& gain, const Array& bias, double epsilon) {
    const Tensor rows = in(x), g = in(gain), b = in(bias);
    return array_by([&] { return paper::layer_norm(rows, g, b, epsilon); });
  });
  p.def("rms_norm", [](const Array& x, const Array& gain, double epsilon) {
    const Tensor rows = in(x), g = in(gain);
    return array_by([&] { return paper::rms_norm(rows, g, epsilon); });
  });
  p.def("feed_forward", [](const Array& inner_weight, const MaybeArray& inner_bias,
                           const Array& output_weight, const MaybeArray& output_bias,
                           const Array& x, const std::string& activation) {
    static constexpr std::pair<const char*, Activation> kActivations[] = {
        {"relu", Activation::relu},
        {"gelu", Activation::gelu},
        {"gelu-tanh", Activation::gelu_tanh},
        {"silu", Activation::silu},
        {"sigmoid", Activation::sigmoid},
        {"tanh", Activation::tanh},
        {"none", Activation::none}};
    for (const auto& [name, kind] : kActivations) {
      if (name != activation) continue;
      const Linear inner = linear(inner_weight, inner_bias),
                   output = linear(output_weight, output_bias);
      const Tensor rows = in(x);
      return array_by(
          [&, chosen = kind] { return paper::feed_forward(inner, output, rows, chosen); });
    }
    fail_usage("activation: expected relu, gelu, gelu-tanh, silu, sigmoid, tanh or none, got '{}'",
               activation);
  });
}

}  // namespace

void bind_paper(nb::module_& m) {
  nb::module_ p = m.def_submodule("paper", "Used by heed.paper.");
  bind_equations(p);
  bind_scores(p);
  bind_attention(p);
  bind_positions(p);
  bind_layers(p);
}

}  // namespace heed::python
