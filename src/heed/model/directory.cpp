#include "heed/model/directory.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>
#include <thread>

#include "heed/backend/quantize.h"
#include "heed/core/directory_lock.h"
#include "heed/core/strict_json.h"
#include "heed/model/sequence_model.h"
#include "heed/model/stored_values.h"

namespace heed {
namespace {

// Added to the logit of an id that must never be predicted: its exp() is zero, and half precision
// can represent it.
constexpr float kNever = -1e4f;

using detail::kWeightsFile;
constexpr const char* kConfigFile = "config.json";
constexpr int64_t kMaxConfigBytes = int64_t{16} << 20;

Tensor to_f32(const Tensor& values) {
  if (values.dtype() == DType::fp32) return to_host(values);
  Tensor result(values.shape(), DType::fp32);
  std::ranges::transform(to_host(values).span<double>(), result.data<float>(),
                         [](double x) { return float(x); });
  return result;
}

// [1, vocabulary]; ids outside the output vocabulary can never be predicted.
Tensor logits_bias(const ModelContents& model) {
  const ModelConfig& config = model.config;
  Tensor bias({1, config.vocabulary_size}, DType::fp32);
  for (const Parameter& parameter : model.parameters)
    if (parameter.name == detail::kOutputBias)
      std::ranges::copy(to_f32(parameter.tensor).span<float>(), bias.data<float>());
  std::ranges::fill(bias.span<float>().subspan(size_t(config.output_vocabulary_size)), kNever);
  return bias;
}

// The type in which the file has a parameter, of weights of this type.
DType type_in_file(const Parameter& parameter, DType weights) {
  return parameter.is_packed() ? weights : DType::fp32;
}

// The tensors of the file: those of several parameters are listed with the first.
std::vector<LayoutTensor> written_tensors(const LayoutTensors& tensors) {
  std::vector<LayoutTensor> firsts;
  for (const LayoutTensor& tensor : tensors.parameters) {
    const bool first = tensor.placement.part == 0;
    check(first || tensor.names[0] == firsts.back().names[0], "a part without those before it");
    if (first) firsts.push_back(tensor);
  }
  return firsts;
}

std::vector<TensorEntry> entries_of(const LayoutTensors& tensors, const ModelConfig& config,
                                    DType weights) {
  std::vector<TensorEntry> entries;
  if (!tensors.logits_bias.empty())
    entries.push_back({tensors.logits_bias, DType::fp32, {1, config.vocabulary_size}});
  for (const LayoutTensor& tensor : written_tensors(tensors)) {
    const auto& [parameter, names, placement] = tensor;
    entries.push_back({names[0], type_in_file(parameter, weights), detail::shape_in_file(tensor)});
    if (entries.back().type == DType::int8)
      entries.push_back({detail::scale_name(names[0]), DType::fp32, {parameter.tensor.dim(0)}});
  }
  return entries;
}

void write_bf16(SafetensorsWriter& writer, const std::string& name, const Tensor& values) {
  Tensor rounded(values.shape(), DType::bf16);
  std::ranges::transform(values.span<float>(), rounded.data<Bf16>(), bf16_of);
  writer.write(name, rounded);
}

void write_int8(SafetensorsWriter& writer, const std::string& name, const Tensor& values) {
  const auto columns = size_t(values.columns());
  Tensor quantized(values.shape(), DType::int8);
  Tensor scales({values.rows()});
  for (int64_t r = 0; r < values.rows(); ++r) {
    const auto row = values.span<float>().subspan(size_t(r) * columns, columns);
    const float scale = scales.data<float>()[r] = int8_scale(row);
    std::ranges::transform(row, quantized.data<int8_t>() + size_t(r) * columns,
                           [scale](float x) { return int8_of(x, scale); });
  }
  writer.write(name, quantized);
  writer.write(detail::scale_name(name), scales);
}

void save_weights(const std::filesystem::path& path, const ModelContents& model, DType weights,
                  const CheckpointLayout& layout) {
  const LayoutTensors tensors = layout.tensors(model.config, model.parameters);
  check(tensors.parameters.size() + (model.config.output_bias ? 1 : 0) == model.parameters.size(),
        "a layout that has no place for a parameter");
  SafetensorsWriter writer(path, entries_of(tensors, model.config, weights), {{"format", "pt"}});
  const auto write = [&](const std::string& name, const Tensor& values, DType type) {
    detail::require_finite(values, path.string() + " is not written", name);
    if (type == DType::bf16) return write_bf16(writer, name, values);
    if (type == DType::int8) return write_int8(writer, name, values);
    writer.write(name, values);
  };
  if (!tensors.logits_bias.empty()) write(tensors.logits_bias, logits_bias(model), DType::fp32);
  for (size_t i = 0; i < tensors.parameters.size();) {
    const auto& [parameter, names, placement] = tensors.parameters[i];
    const DType type = type_in_file(parameter, weights);
    if (placement.is_plain()) {
      write(names[0], to_f32(parameter.tensor), type);
      ++i;
      continue;
    }
    check(type != DType::int8, "a matrix that is transposed or divided, as int8");
    Tensor together(detail::shape_in_file(tensors.parameters[i]));
    const size_t end = i + size_t(placement.parts);
    for (; i < end; ++i)
      detail::put(to_f32(tensors.parameters[i].parameter.tensor), tensors.parameters[i].placement,
                  together);
    write(names[0], together, type);
  }
  writer.commit();
}

// The model directory that a path inside or right above it was given for; empty if there is none.
std::string nearby_model(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path parent = path.lexically_normal().parent_path();
  for (const fs::path& directory : {path / "model", parent, parent.parent_path()})
    if (!directory.empty() && fs::exists(directory / kConfigFile, error))
      return fmt::format("; did you mean {}?", directory.string());
  return "";
}

// Where the backup of `directory` holds this file (backup_directories()); empty if nowhere.
std::filesystem::path find_in_backup(const std::filesystem::path& directory, const char* name) {
  const BackupDirectories backup = backup_directories(directory);
  std::error_code error;
  for (const std::filesystem::path& place : {backup.complete, backup.partial})
    if (std::filesystem::exists(place / name, error)) return place;
  return {};
}

}  // namespace

namespace detail {

std::filesystem::path expect_file(const std::filesystem::path& directory, const char* name) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto expect_permission = [&] {
    if (error == std::errc::permission_denied)
      fail("{}: the model directory cannot be read: {}", directory.string(), error.message());
  };
  if (!fs::is_directory(directory, error)) {
    expect_permission();
    fail("{} {}{}",
         fs::exists(directory, error) ? "expected a model directory, got the file"
                                      : "there is no model directory",
         directory.string(), nearby_model(directory));
  }
  fs::path path = directory / name;
  if (fs::exists(path, error)) return path;
  expect_permission();
  if (const fs::path backup = find_in_backup(directory, name); !backup.empty())
    fail(
        "{0} holds no model: {1} is in {2}, the backup of a training run with --overwrite that has "
        "not saved yet or was killed; if no training runs, move the files of {2} back to {0}",
        directory.string(), name, backup.string());
  if (name == std::string_view(kConfigFile) && is_locked(directory))
    fail(
        "{} holds no model yet: another process is writing to this directory, such as a training "
        "that "
        "has not saved for the first time; try again later",
        directory.string());
  fail("{} is no model directory: {} is missing{}", directory.string(), name,
       fs::exists(directory / "pytorch_model.bin", error)
           ? " (heed does not read pytorch_model.bin; save it again with transformers as "
             "safetensors)"
           : nearby_model(directory));
}

}  // namespace detail

BackupDirectories backup_directories(const std::filesystem::path& directory) {
  const std::filesystem::path training = directory / "training";
  return {training / "heed-replaced.partial", training / "heed-replaced"};
}

std::filesystem::path replacement_directory(const std::filesystem::path& directory) {
  return directory / "heed-new.partial";
}

ConfigStamp::ConfigStamp(const std::filesystem::path& directory) {
  struct stat status {};
  if (::stat((directory / kConfigFile).c_str(), &status) != 0) return;
  values_ = {int64_t(status.st_dev), int64_t(status.st_ino), status.st_mtim.tv_sec,
             status.st_mtim.tv_nsec};
}

void wait_for_replacement(const std::filesystem::path& directory, int attempt,
                          const std::exception_ptr& failure) {
  constexpr int kAttempts = 40;
  constexpr std::chrono::milliseconds kPause{50};
  std::error_code error;
  const bool going_on = std::filesystem::exists(replacement_directory(directory), error);
  if (failure && !going_on) std::rethrow_exception(failure);
  const bool unreadable = failure && std::filesystem::exists(directory / kConfigFile, error);
  if (attempt == kAttempts && unreadable) std::rethrow_exception(failure);
  if (attempt == kAttempts)
    fail("{}: {}", directory.string(),
         going_on ? fmt::format("its model is being replaced, or a command with --overwrite was "
                                "killed while replacing it: the new model is in {}; run the "
                                "command again",
                                replacement_directory(directory).string())
                  : "its model is replaced again and again while it is read");
  std::this_thread::sleep_for(kPause);
}

void save_model(const std::filesystem::path& directory, const ModelContents& model,
                DType weight_type, const CheckpointLayout& layout) {
  check(weight_type != DType::fp64, "a model's weights are stored as fp32, bf16 or int8");
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) fail("cannot make the directory {}: {}", directory.string(), error.message());
  save_weights(directory / kWeightsFile, model, weight_type, layout);
  write_generation_config(directory, model.config, layout.generation_form(),
                          model.generation_defaults);
  write_file_atomically(directory / kConfigFile, layout.write_config(model.config, weight_type));
}

void save_model(const std::filesystem::path& directory, const ModelContents& model,
                DType weight_type) {
  save_model(directory, model, weight_type, layout_to_write(model.config, weight_type));
}

void save_model(const std::filesystem::path& directory, SequenceModel& model, DType weight_type) {
  save_model(directory,
             ModelContents{model.config(), parameters(model), model.generation_defaults()},
             weight_type);
}

namespace {

// The text of config.json, and its name for messages.
std::pair<std::string, std::string> config_text(const std::filesystem::path& directory) {
  const std::filesystem::path path = detail::expect_file(directory, kConfigFile);
  return {read_file(path, kMaxConfigBytes), path.string()};
}

}  // namespace

ModelConfig read_config(const std::filesystem::path& directory, const CheckpointLayout& layout) {
  const auto [text, place] = config_text(directory);
  return layout.read_config(text, place);
}

ModelConfig read_config(const std::filesystem::path& directory) {
  const auto [text, place] = config_text(directory);
  return layout_of_config(text, place).read_config(text, place);
}

const CheckpointLayout& layout_of(const std::filesystem::path& directory) {
  const auto [text, place] = config_text(directory);
  return layout_of_config(text, place);
}

namespace {

// The kind of a model of this config.
std::string kind_of(const ModelConfig& config) {
  if (!config.has_encoder())
    return "a language model (encoder_layers is 0), which heed generate and heed score --text use";
  if (!config.has_decoder())
    return config.classes_of == ClassesOf::words
               ? "a tagger (an encoder alone), which heed tag uses"
               : "a classifier (an encoder alone), which heed classify uses";
  if (config.parses()) return "a parser, which heed parse uses";
  return "a model that translates, which heed translate uses";
}

ModelConfig expected(const std::filesystem::path& directory, ModelConfig config, bool is_expected,
                     const char* kind) {
  if (!is_expected) fail("{}: {}: expected {}", directory.string(), kind_of(config), kind);
  return config;
}

}  // namespace

ModelConfig read_translator_config(const std::filesystem::path& directory) {
  const ModelConfig config = read_config(directory);
  return expected(directory, config, config.translates(), "a model that translates");
}

ModelConfig read_parser_config(const std::filesystem::path& directory) {
  const ModelConfig config = read_config(directory);
  return expected(directory, config, config.parses(), "a parser, of heed train --task parse");
}

ModelConfig read_language_model_config(const std::filesystem::path& directory) {
  const ModelConfig config = read_config(directory);
  return expected(directory, config, !config.has_encoder(),
                  "a language model, of heed train --task language-model, or a GPT-2");
}

ModelConfig read_classifier_config(const std::filesystem::path& directory,
                                   std::optional<ClassesOf> of) {
  const ModelConfig config = read_config(directory);
  const bool fits = !config.has_decoder() && config.classes_of == of.value_or(config.classes_of);
  return expected(directory, config, fits,
                  of == ClassesOf::words   ? "a tagger, of heed train --task tag"
                  : of == ClassesOf::texts ? "a classifier, of heed train --task classify"
                                           : "a tagger or a classifier, of heed train --task");
}

std::span<const char* const> model_files() {
  static constexpr const char* kNames[] = {kConfigFile, "generation_config.json", kWeightsFile};
  return kNames;
}

bool holds_model(const std::filesystem::path& directory) {
  std::error_code error;
  return std::filesystem::exists(directory / kWeightsFile, error) ||
         std::filesystem::exists(directory / kConfigFile, error);
}

namespace {

SequenceModel load(const std::filesystem::path& directory, const StoredModel& stored,
                   const ModelConfig& config, const std::function<void(Parameter&)>& done) {
  SequenceModel model(config);
  for (Parameter& parameter : parameters(model)) {
    stored.read(parameter);
    done(parameter);
  }
  model.set_generation_defaults(read_generation_defaults(directory, model.config()));
  return model;
}

}  // namespace

SequenceModel load_model(const std::filesystem::path& directory, const CheckpointLayout& layout) {
  const StoredModel stored(directory, layout);
  return load(directory, stored, stored.config(), [](const Parameter&) {});
}

SequenceModel load_model(const std::filesystem::path& directory) {
  return load_model(directory, layout_of(directory));
}

SequenceModel load_model(const std::filesystem::path& directory, const ModelConfig& config) {
  return load(directory, StoredModel(directory), config, [](const Parameter&) {});
}

SequenceModel load_model(const std::filesystem::path& directory, Backend& backend) {
  const StoredModel stored(directory);
  SequenceModel model = load(directory, stored, stored.config(), [&](Parameter& parameter) {
    Tensor& weight = parameter.tensor;
    weight.move_to(backend.memory());
    if (!parameter.is_packed()) return;
    weight.storage()->packed = backend.pack(weight, Purpose::inference);
    if (weight.storage()->packed) weight.release_values();
  });
  model.move_to(backend.memory());  // its positions
  return model;
}

}  // namespace heed
