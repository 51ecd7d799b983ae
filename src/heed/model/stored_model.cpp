// The weights of a model directory, read one parameter at a time.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "heed/core/strict_json.h"
#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "heed/model/stored_values.h"

namespace heed {
namespace {

std::vector<Parameter> shapes_of_parameters(const ModelConfig& config) {
  SequenceModel shapes = shapes_of(config);
  return parameters(shapes);
}

}  // namespace

StoredModel::StoredModel(const std::filesystem::path& directory, const CheckpointLayout& layout)
    : config_(read_config(directory, layout)),
      tensors_(layout.tensors(config_, shapes_of_parameters(config_))),
      file_(detail::expect_file(directory, detail::kWeightsFile)) {
  check_file();
}

StoredModel::StoredModel(const std::filesystem::path& directory)
    : StoredModel(directory, layout_of(directory)) {}

void StoredModel::check_file() const {
  std::set<std::string> known(tensors_.ignored.begin(), tensors_.ignored.end());
  if (!tensors_.logits_bias.empty()) known.insert(tensors_.logits_bias);
  for (const LayoutTensor& tensor : tensors_.parameters) {
    check_copies(tensor);
    known.insert(tensor.names.begin(), tensor.names.end());
    if (!is_quantized(tensor)) continue;
    known.insert(detail::scale_name(stored_name(tensor)));
    file_.expect(detail::scale_name(stored_name(tensor)), {tensor.parameter.tensor.dim(0)});
  }
  if (!tensors_.logits_bias.empty() && file_.find(tensors_.logits_bias)) check_bias();
  for (const StoredTensor& stored : file_.tensors()) {
    if (known.contains(stored.name)) continue;
    if (std::ranges::count(tensors_.position_tables, stored.name) > 0 &&
        config_.variants.positions == Positions::sinusoidal)
      check_positions(stored);
    else
      fail("{}: tensor {} has no place in the model that config.json describes",
           file_.path().string(), detail::quote(stored.name));
  }
}

void StoredModel::read(Parameter& parameter) const {
  if (parameter.name == detail::kOutputBias) {
    if (file_.find(tensors_.logits_bias))  // none: all zero
      std::ranges::copy(bias_of_outputs(), parameter.tensor.data<float>());
    return;
  }
  const auto tensor = std::ranges::find_if(tensors_.parameters, [&](const LayoutTensor& candidate) {
    return candidate.parameter.name == parameter.name;
  });
  check(tensor != tensors_.parameters.end(), "a layout that has no place for a parameter");
  if (is_quantized(*tensor))
    read_quantized(stored_name(*tensor), parameter.tensor);
  else if (tensor->placement.is_plain())
    read_values(stored_name(*tensor), parameter.tensor);
  else
    read_placed(*tensor, parameter.tensor);
}

void StoredModel::read_placed(const LayoutTensor& tensor, Tensor& values) const {
  Tensor all(detail::shape_in_file(tensor));
  read_values(stored_name(tensor), all);
  detail::take(all, tensor.placement, values);
  detail::require_finite(values, file_.path().string(), stored_name(tensor));
}

// The one of its names under which the file has a tensor; the first if it has none.
const std::string& StoredModel::stored_name(const LayoutTensor& tensor) const {
  const auto found =
      std::ranges::find_if(tensor.names, [&](const std::string& n) { return file_.find(n); });
  return found == tensor.names.end() ? tensor.names[0] : *found;
}

// The tensor is there, and what else the file holds of tied weights is the same.
void StoredModel::check_copies(const LayoutTensor& tensor) const {
  const StoredTensor& first = file_.expect(stored_name(tensor), detail::shape_in_file(tensor));
  for (const std::string& name : tensor.names) {
    const StoredTensor* copy = file_.find(name);
    if (!copy || copy == &first) continue;
    if (copy->type != first.type || copy->bytes.size() != first.bytes.size() ||
        std::memcmp(copy->bytes.data(), first.bytes.data(), first.bytes.size()) != 0)
      fail("{}: tensors {} and {} differ, but config.json says that they are one",
           file_.path().string(), detail::quote(first.name), detail::quote(name));
  }
}

std::vector<float> StoredModel::bias_of_outputs() const {
  Tensor bias({1, config_.vocabulary_size}, DType::fp32);
  read_values(tensors_.logits_bias, bias);
  const auto outputs = bias.span<float>().first(size_t(config_.output_vocabulary_size));
  return {outputs.begin(), outputs.end()};
}

void StoredModel::check_bias() const {
  file_.expect(tensors_.logits_bias, {1, config_.vocabulary_size});
  const std::vector<float> bias = bias_of_outputs();
  if (!config_.output_bias && std::ranges::any_of(bias, [](float x) { return x != 0; }))
    fail("{}: tensor {} is not zero, but config.json says that heed.output_bias is false",
         file_.path().string(), detail::quote(tensors_.logits_bias));
}

// Positions are computed, so a stored table must be the sinusoids (in f16 perhaps).
void StoredModel::check_positions(const StoredTensor& stored) const {
  if (stored.shape.size() != 2 || stored.shape[1] != config_.d_model)
    fail("{}: tensor {} has shape {}, expected [positions, {}]", file_.path().string(),
         detail::quote(stored.name), to_string(stored.shape), config_.d_model);
  constexpr int64_t kRows = 1024;  // enough to tell
  Tensor found(stored.shape, DType::fp32);
  file_.read(stored.name, found);
  const int64_t rows = std::min(kRows, stored.shape[0]);
  const Tensor expected = positional_encoding(rows, config_.d_model, DType::fp32);
  const auto near = [](float a, float b) { return std::abs(a - b) < 0.01f; };
  if (!std::ranges::equal(found.slice(0, rows).span<float>(), expected.span<float>(), near))
    fail(
        "{}: tensor {} is no table of sinusoids, but config.json says that positions are "
        "sinusoidal",
        file_.path().string(), detail::quote(stored.name));
}

void StoredModel::read_values(const std::string& name, Tensor& values) const {
  file_.read(name, values);
  detail::require_finite(values, file_.path().string(), name);
  file_.release_pages(*file_.find(name));
}

bool StoredModel::is_quantized(const LayoutTensor& tensor) const {
  const StoredTensor* stored = file_.find(stored_name(tensor));
  return stored && stored->type == "I8" && tensor.parameter.is_packed() &&
         tensor.placement.is_plain();
}

// scale * q is exact, so that quantizing it again gives the same.
void StoredModel::read_quantized(const std::string& name, Tensor& values) const {
  const StoredTensor& stored = file_.expect(name, values.shape());
  Tensor scales({values.rows()});
  read_values(detail::scale_name(name), scales);
  const auto* q = reinterpret_cast<const int8_t*>(stored.bytes.data());
  float* value = values.data<float>();
  for (const float scale : std::as_const(scales).span<float>())
    for (int64_t c = 0; c < values.columns(); ++c) *value++ = scale * float(*q++);
  detail::require_finite(values, file_.path().string(), name);
  file_.release_pages(stored);
}

}  // namespace heed
