#include "heed/run/training_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "heed/core/shell_words.h"
#include "heed/model/directory.h"
#include "heed/model/safetensors.h"
#include "heed/run/run_settings.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// Names of a parameter and its moments in the file.
struct Names {
  std::string parameter, first, second, ema;
  explicit Names(const std::string& name)
      : parameter(StatePrefix::parameter + name),
        first(StatePrefix::first_moment + name),
        second(StatePrefix::second_moment + name),
        ema(StatePrefix::ema + name) {}
};

Json optional_number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string to_json(const Progress& p) {
  Json checkpoints = Json::array();
  for (const Checkpoint& s : p.checkpoints)
    checkpoints.push_back({{"step", s.step}, {"score", optional_number(s.score)}});
  Json object({{"step", p.step},
               {"epoch", p.epoch},
               {"batch", p.batch},
               {"since_best", p.since_best},
               {"best", optional_number(p.best)},
               {"seconds", p.seconds},
               {"tokens", p.tokens},
               {"epoch_loss",
                {{"smoothed", p.epoch_loss.smoothed},
                 {"nll", p.epoch_loss.nll},
                 {"tokens", p.epoch_loss.tokens}}},
               {"finished", p.done},
               {"checkpoints", checkpoints}});
  if (p.decay_steps) object["decay_steps"] = *p.decay_steps;
  for (const StageBegin& begin : p.stages)
    object["stages"].push_back({{"step", begin.step}, {"epoch", begin.epoch}});
  if (!p.drawn.empty()) object["drawn"] = p.drawn;
  for (const FollowedScore& s : p.followed)
    object["followed"].push_back({{"name", s.name},
                                  {"best", optional_number(s.best)},
                                  {"step", s.step},
                                  {"since_best", s.since_best}});
  return object.dump();
}

// Larger counts are damage, and could overflow when the run continues.
constexpr double kMaxCount = 0x1p53;

double amount(const Json& object, const char* key) {
  const double value = object.at(key).get<double>();
  if (!(value >= 0 && value <= kMaxCount)) throw std::out_of_range(key);
  return value;
}

int64_t count(const Json& object, const char* key) {
  if (!object.at(key).is_number_integer()) throw std::out_of_range(key);
  return int64_t(amount(object, key));
}

std::optional<double> optional_number(const Json& value) {
  if (value.is_null()) return {};
  return value.get<double>();
}

// Each checkpoint is of a step that was done, after the one before.
int64_t checkpoint_step(const Json& checkpoint, const Progress& p) {
  const int64_t step = count(checkpoint, "step");
  if (step > p.step || (!p.checkpoints.empty() && step <= p.checkpoints.back().step))
    throw std::out_of_range("checkpoints");
  return step;
}

// Each stage begins no earlier than the one before, the first with the run.
void read_stages(const Json& object, Progress& p) {
  if (!object.contains("stages")) return;
  for (const Json& s : object.at("stages")) {
    const StageBegin begin{count(s, "step"), count(s, "epoch")};
    const StageBegin before = p.stages.empty() ? StageBegin{} : p.stages.back();
    const bool later = begin.step >= before.step && begin.epoch >= before.epoch;
    const bool first = begin.step == 0 && begin.epoch == 0;
    if (!later || begin.step > p.step || begin.epoch > p.epoch || (p.stages.empty() && !first))
      throw std::out_of_range("stages");
    p.stages.push_back(begin);
  }
  for (const Json& drawn : object.at("drawn")) {
    if (!drawn.is_number_integer() || drawn.get<int64_t>() < 0) throw std::out_of_range("drawn");
    p.drawn.push_back(drawn.get<int64_t>());
  }
}

void read_followed(const Json& object, Progress& p) {
  if (!object.contains("followed")) return;
  for (const Json& s : object.at("followed")) {
    p.followed.push_back({s.at("name").get<std::string>(), s.at("best").get<double>(),
                          count(s, "step"), count(s, "since_best")});
    if (p.followed.back().step > p.step) throw std::out_of_range("followed");
  }
}

Progress parse_progress(const std::string& text, const std::filesystem::path& path) {
  try {
    const Json object = Json::parse(text);
    Progress p;
    p.step = count(object, "step");
    p.epoch = count(object, "epoch");
    p.batch = count(object, "batch");
    p.since_best = count(object, "since_best");
    p.best = optional_number(object.at("best"));
    p.seconds = amount(object, "seconds");
    p.tokens = amount(object, "tokens");
    const Json& loss = object.at("epoch_loss");
    p.epoch_loss = {loss.at("smoothed").get<double>(), loss.at("nll").get<double>(),
                    count(loss, "tokens")};
    p.done = object.at("finished").get<bool>();
    if (object.contains("decay_steps")) p.decay_steps = count(object, "decay_steps");
    read_stages(object, p);
    read_followed(object, p);
    for (const Json& s : object.at("checkpoints"))
      p.checkpoints.push_back({checkpoint_step(s, p), optional_number(s.at("score"))});
    return p;
  } catch (const std::exception&) {
    fail("{}: the progress it records is damaged: start over with --overwrite", path.string());
  }
}

std::filesystem::path directory_of(const std::filesystem::path& state) {
  return state.parent_path().parent_path();
}

// Only a run that is killed while it saves for the first time, or files that are missing since,
// leave a training state without a model.
bool has_model(const std::filesystem::path& directory) {
  return std::ranges::all_of(model_files(), [&](const char* name) {
    std::error_code error;
    return exists(directory / name, error);
  });
}

// Advice for a run that cannot be resumed.
std::string restart_advice(const std::filesystem::path& state) {
  const std::filesystem::path directory = directory_of(state);
  const bool written = has_model(directory);
  const std::string model = shell_word(directory.string() + (written ? "" : "-weights"));
  std::string first;
  if (!written)
    first = fmt::format("write them as a model (heed average {} --output {}) and ",
                        shell_word(state.string()), model);
  return fmt::format(
      "to train its weights on as a new run, {}give --finetune-from {} and another --model instead "
      "of --resume (it keeps sizes and vocabulary: leave out options that set them); to start "
      "over, give --overwrite",
      first, model);
}

// Whether a model to fine-tune brings this option itself.
bool is_of_model(const std::string& option) {
  Variants variants;
  static constexpr std::array kNames = {"task",       "d_model",        "d_ff",
                                        "heads",      "encoder_layers", "decoder_layers",
                                        "activation", "tie_embeddings"};
  return std::ranges::count(kNames, option) > 0 ||
         find_option(options_of(variants), option) != nullptr;
}

std::string metadata(const SafetensorsFile& file, const char* key) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end())
    fail("{}: no training state of heed: '{}' is missing", file.path().string(), key);
  return found->second;
}

Metadata metadata_of(const RunIdentity& identity, const Progress& progress) {
  Metadata all = {{"options", to_json(identity.options)},
                  {"backend", identity.backend},
                  {"compute", name(identity.compute)},
                  {"text", fingerprint_text(identity.text_fingerprint)},
                  {"progress", to_json(progress)}};
  if (identity.validation_fingerprint)
    all["validation"] = fingerprint_text(*identity.validation_fingerprint);
  return all;
}

// Compares the compute types that were used: what --compute auto chooses depends on the machine.
void check_compute(const SafetensorsFile& file, const RunIdentity& identity) {
  const auto found = file.metadata().find("compute");
  if (found == file.metadata().end() || found->second == name(identity.compute)) return;
  fail_usage(
      "{0} belongs to a run with another compute type (compute was {1}, is now {2}): give "
      "--compute {1}; {3}",
      file.path().string(), found->second, name(identity.compute), restart_advice(file.path()));
}

// A run that validates stores its best score, which is meaningless for another validation text.
// Held-out pairs follow from the training text and the options, which are compared anyway.
void check_validation(const SafetensorsFile& file, const TrainOptions& saved,
                      const RunIdentity& identity) {
  if (saved.hold_out.value_or(0) > 0 && saved.validation_texts.empty()) return;
  const std::string path = file.path().string();
  const bool validated = validates(saved);
  std::string names = saved.valid_tsv.empty()
                          ? fmt::format("{} and {}", saved.valid_source, saved.valid_target)
                          : saved.valid_tsv;
  if (!saved.validation_texts.empty()) names += " (and the texts of [[validation]])";
  if (validated && !identity.validation_fingerprint)
    fail_usage(
        "{} belongs to a run that validates on {}: give this text again (files of other names with "
        "the same text will do); {}",
        path, names, restart_advice(file.path()));
  if (!validated && identity.validation_fingerprint)
    fail_usage(
        "{} belongs to a run without validation: leave --valid-source, --valid-target and "
        "--valid-tsv out; {}",
        path, restart_advice(file.path()));
  const auto found = file.metadata().find("validation");
  if (validated && found != file.metadata().end() &&
      found->second != fingerprint_text(*identity.validation_fingerprint))
    fail_usage(
        "{} belongs to a run that validates on another text, that of {} when it was saved: give "
        "the same text; {}",
        path, names, restart_advice(file.path()));
}

// Error if another version of heed, with other options, saved them.
TrainOptions saved_options(const SafetensorsFile& file, const TrainOptions& given) {
  TrainOptions saved;
  // Not in states of older versions. The vocabulary of a run is that of its directory.
  saved.tokenizer.target_normalization = given.tokenizer.target_normalization;
  try {
    from_json(saved, metadata(file, "options"), file.path().string());
  } catch (const Error& error) {
    fail(
        "{}; the training state was saved by another version of heed: resume with that version, or "
        "start "
        "over with --overwrite",
        error.what());
  }
  return saved;
}

// "dropout was 0.1, is now 0.2; ema was none, is now 0.9; and 3 more".
std::string list_of(const std::vector<OptionDifference>& changed) {
  constexpr size_t kMaxListed = 5;
  std::string text;
  for (size_t i = 0; i < std::min(changed.size(), kMaxListed); ++i)
    text += fmt::format("{}{} was {}, is now {}", i > 0 ? "; " : "", changed[i].name,
                        changed[i].left, changed[i].right);
  if (changed.size() > kMaxListed)
    text += fmt::format("; and {} more", changed.size() - kMaxListed);
  return text;
}

void check_identity(const SafetensorsFile& file, const RunIdentity& identity) {
  const std::string path = file.path().string();
  const TrainOptions saved = saved_options(file, identity.options);
  if (!saved.finetune_from.empty() && identity.options.finetune_from.empty())
    fail_usage("{} belongs to a run that began with --finetune-from {}: give it again", path,
               saved.finetune_from);
  const std::vector<OptionDifference> changed =
      differences(normalized(saved), normalized(identity.options));
  const bool other_model =
      std::ranges::any_of(changed, [](const OptionDifference& d) { return is_of_model(d.name); });
  if (!changed.empty())
    fail_usage("{} belongs to a run with other options ({}): give the same; {}", path,
               list_of(changed),
               other_model ? "a model of other sizes or parts needs a run of its own: give another "
                             "--model, or start over with --overwrite"
                           : restart_advice(file.path()));
  check_compute(file, identity);
  check_validation(file, saved, identity);
  if (metadata(file, "text") != fingerprint_text(identity.text_fingerprint))
    fail_usage("{} belongs to a run on another text or vocabulary: give the same files; {}", path,
               restart_advice(file.path()));
  const std::string backend = metadata(file, "backend");
  if (backend != identity.backend && !identity.options.allow_other_instruction_set)
    fail_usage(
        "{} was computed by {}, here is {}: the result would differ; set "
        "HEED_INSTRUCTION_SET, or accept it with --allow-other-instruction-set",
        path, backend, identity.backend);
}

SafetensorsFile open_undamaged(const std::filesystem::path& path) {
  SafetensorsFile file(path);
  file.expect_undamaged(has_model(directory_of(path)) ? restart_advice(path)
                                                      : "start over with --overwrite");
  return file;
}

// Reads a parameter, moment or EMA. Error if a value is not finite or below `least`.
void read_finite(const SafetensorsFile& file, const std::string& name, Tensor& values,
                 double least) {
  file.read(name, values);
  file.release_pages(*file.find(name));
  const auto is_sane = [&](double x) { return std::isfinite(x) && x >= least; };
  const auto are_sane = [&](auto numbers) { return std::ranges::all_of(numbers, is_sane); };
  if (!with_values(to_host(values), are_sane))
    fail(
        "{}: tensor {} holds impossible values: the file is damaged: start over with "
        "--overwrite",
        file.path().string(), name);
}

constexpr double kLowest = -std::numeric_limits<double>::max();

// Calls f(name, tensor, lowest value) for every tensor of the file, in its order.
template <class F>
void for_each_tensor(auto& adam, const F& f) {
  for (size_t i = 0; i < adam.parameters().size(); ++i) {
    auto& parameter = adam.parameters()[i];
    const Names names(parameter.name);
    f(names.parameter, parameter.tensor, kLowest);
    f(names.first, adam.first_moment(i), kLowest);
    f(names.second, adam.second_moment(i), 0);
    if (adam.has_ema()) f(names.ema, adam.ema(i), kLowest);
  }
}

TensorEntry entry(const std::string& name, const Tensor& tensor) {
  return {name, tensor.dtype(), tensor.shape()};
}

}  // namespace

void save_training_state(const std::filesystem::path& path, const RunIdentity& identity,
                         const Progress& progress, const Adam& adam) {
  std::vector<TensorEntry> list;
  for_each_tensor(adam, [&](const std::string& name, const Tensor& tensor, double) {
    list.push_back(entry(name, tensor));
  });
  SafetensorsWriter file(path, list, metadata_of(identity, progress), Checksum::stored);
  for_each_tensor(adam, [&](const std::string& name, const Tensor& tensor, double) {
    file.write(name, tensor);
  });
  file.commit();
}

std::string fingerprint_text(uint64_t fingerprint) {
  return fmt::format("{:016x}", fingerprint);
}

TrainOptions stored_options(const std::filesystem::path& path) {
  const TrainOptions none;
  return saved_options(SafetensorsFile(path), none);
}

void expect_same_run(const std::filesystem::path& path, RunIdentity identity) {
  const SafetensorsFile file = open_undamaged(path);
  if (!identity.options.decay_steps)
    identity.options.decay_steps = saved_options(file, identity.options).decay_steps;
  check_identity(file, identity);
}

Progress load_training_state(const std::filesystem::path& path, RunIdentity identity, Adam& adam) {
  const SafetensorsFile file = open_undamaged(path);
  Progress progress = parse_progress(metadata(file, "progress"), path);
  if (!identity.options.decay_steps) identity.options.decay_steps = progress.decay_steps;
  check_identity(file, identity);
  for_each_tensor(adam, [&](const std::string& name, Tensor& tensor, double lowest) {
    read_finite(file, name, tensor, lowest);
  });
  return progress;
}

}  // namespace heed
