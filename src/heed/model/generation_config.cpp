#include "heed/model/generation_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "heed/core/directory_lock.h"
#include "heed/core/files.h"
#include "heed/core/options.h"
#include "heed/core/strict_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kFile = "generation_config.json", *kHeed = "heed", *kAlignment = "alignment",
                     *kSearch = "search", *kBeam = "beam", *kLengthPenalty = "length_penalty",
                     *kExamples = "examples", *kConfidence = "confidence", *kAlone = "alone",
                     *kWithReverse = "with_reverse",
                     *kNumBeams = "num_beams";  // of transformers
constexpr int64_t kDefaultNumBeams = 4, kMaxBeam = 1024;
constexpr double kMaxLengthPenalty = 10;
constexpr int64_t kMaxBytes = int64_t{1} << 20;

Json json_of(const AlignmentHeads& heads) {
  Json numbers = Json::array();
  for (const DecoderHead& head : heads.heads)
    numbers.push_back(Json::array({head.layer, head.head}));
  return {{"heads", numbers}, {"step", to_text(heads.step)}};
}

Json json_of(const SearchDefaults& search) {
  Json json = Json::object();
  if (search.beam) json[kBeam] = *search.beam;
  if (search.length_penalty) json[kLengthPenalty] = *search.length_penalty;
  return json;
}

Json json_of(const Confidence& confidence) {
  Json signals = Json::object();
  for (const auto& [name, signal] : enum_names(ConfidenceSignal{})) {
    const Confidence::Term& term = confidence.terms[size_t(signal)];
    signals[std::string(name)] = {
        {"mean", term.mean}, {"deviation", term.deviation}, {"weight", term.weight}};
  }
  return {{"good_chrf", confidence.good_chrf},
          {"lines", confidence.lines},
          {"bias", confidence.bias},
          {"signals", signals}};
}

Json json_of(const Confidences& confidences) {
  Json json = Json::object();
  if (confidences.alone) json[kAlone] = json_of(*confidences.alone);
  if (confidences.with_reverse) json[kWithReverse] = json_of(*confidences.with_reverse);
  return json;
}

void write(const std::filesystem::path& directory, const Json& json) {
  write_file_atomically(directory / kFile, json.dump(2) + "\n");
}

// The text of the file; empty if there is none.
std::string text_of(const std::filesystem::path& directory) {
  std::error_code error;
  if (!std::filesystem::exists(directory / kFile, error)) return {};
  return read_file(directory / kFile, kMaxBytes);
}

// The value of a number from 0 to below `count`.
int64_t index_of(const nlohmann::json& value, int64_t count, const std::string& place) {
  const bool whole = value.is_number_integer();
  if (!whole || value < 0 || value >= count)
    fail("{}: expected a whole number from 0 to {}, got {}", place, count - 1,
         detail::quote(value));
  return value.get<int64_t>();
}

AlignmentHeads heads_of(const nlohmann::json& entry, const ModelConfig& config,
                        const std::string& place) {
  const auto field = [&](const char* key) -> const nlohmann::json& {
    if (!entry.is_object() || !entry.contains(key))
      fail("{}: expected an object with heads and step, got {}", place, detail::quote(entry));
    return entry.at(key);
  };
  AlignmentHeads found;
  const nlohmann::json& heads = field("heads");
  if (!heads.is_array() || heads.empty())
    fail("{}.heads: expected a list of [layer, head], got {}", place, detail::quote(heads));
  for (const nlohmann::json& head : heads) {
    if (!head.is_array() || head.size() != 2)
      fail("{}.heads: expected a list of [layer, head], got {}", place, detail::quote(head));
    found.heads.push_back({index_of(head[0], config.decoder_layers, place + ".heads: layer"),
                           index_of(head[1], config.heads, place + ".heads: head")});
    if (found.heads.size() > 1 && found.heads.back() <= *(found.heads.end() - 2))
      fail("{}.heads: expected them in ascending order, got {}", place, detail::quote(heads));
  }
  const nlohmann::json& step = field("step");
  for (const auto& [name, value] : enum_names(AlignmentStep{}))
    if (step == std::string(name)) {
      found.step = value;
      return found;
    }
  fail("{}.step: expected predicting or following, got {}", place, detail::quote(step));
}

SearchDefaults search_of(const nlohmann::json& entry, const std::string& place) {
  if (!entry.is_object())
    fail("{}: expected an object with beam and length_penalty, got {}", place,
         detail::quote(entry));
  SearchDefaults search;
  if (entry.contains(kBeam)) {
    const nlohmann::json& beam = entry.at(kBeam);
    if (!beam.is_number_integer() || beam < 1 || beam > kMaxBeam)
      fail("{}.beam: expected a whole number from 1 to {}, got {}", place, kMaxBeam,
           detail::quote(beam));
    search.beam = beam.get<int64_t>();
  }
  if (entry.contains(kLengthPenalty)) {
    const nlohmann::json& penalty = entry.at(kLengthPenalty);
    if (!penalty.is_number() || penalty < 0 || penalty > kMaxLengthPenalty)
      fail("{}.length_penalty: expected a number from 0 to {}, got {}", place, kMaxLengthPenalty,
           detail::quote(penalty));
    search.length_penalty = penalty.get<double>();
  }
  return search;
}

double number_of(const nlohmann::json& object, const std::string& key, const std::string& place) {
  const bool found = object.is_object() && object.contains(key) && object.at(key).is_number();
  if (!found) fail("{}: expected an object with a number \"{}\"", place, key);
  return object.at(key).get<double>();
}

Confidence confidence_of(const nlohmann::json& entry, const std::string& place) {
  Confidence confidence;
  confidence.good_chrf = number_of(entry, "good_chrf", place);
  confidence.bias = number_of(entry, "bias", place);
  confidence.lines = index_of(entry.contains("lines") ? entry.at("lines") : nlohmann::json(),
                              std::numeric_limits<int64_t>::max(), place + ".lines");
  const nlohmann::json& signals = entry.at("signals");
  for (const auto& [name, signal] : enum_names(ConfidenceSignal{})) {
    const std::string key(name);
    const std::string at = fmt::format("{}.signals.{}", place, key);
    Confidence::Term& term = confidence.terms[size_t(signal)];
    term = {number_of(signals.at(key), "mean", at), number_of(signals.at(key), "deviation", at),
            number_of(signals.at(key), "weight", at)};
    if (term.deviation <= 0) fail("{}.deviation: expected a number above 0", at);
  }
  return confidence;
}

// Whether it has the signals of this version of heed.
bool has_known_signals(const nlohmann::json& entry, const std::string& place) {
  const bool has_signals =
      entry.is_object() && entry.contains("signals") && entry.at("signals").is_object();
  if (!has_signals) fail("{}: expected an object with an object \"signals\"", place);
  const nlohmann::json& signals = entry.at("signals");
  const auto names = enum_names(ConfidenceSignal{});
  return signals.size() == names.size() && std::ranges::all_of(names, [&](const auto& one) {
           return signals.contains(std::string(one.first));
         });
}

// Without those of another version of heed, as if they had not been measured yet.
Confidences confidences_of(const nlohmann::json& entry, const std::string& place) {
  if (!entry.is_object()) fail("{}: expected an object, got {}", place, detail::quote(entry));
  Confidences found;
  for (const auto& [key, confidence] :
       {std::pair(kAlone, &found.alone), std::pair(kWithReverse, &found.with_reverse)})
    if (const std::string at = fmt::format("{}.{}", place, key);
        entry.contains(key) && has_known_signals(entry.at(key), at))
      *confidence = confidence_of(entry.at(key), at);
  return found;
}

std::vector<std::string> examples_of(const nlohmann::json& entry, const std::string& place) {
  const auto is_text = [](const nlohmann::json& one) { return one.is_string(); };
  if (!entry.is_array() || !std::all_of(entry.begin(), entry.end(), is_text))
    fail("{}: expected a list of texts, got {}", place, detail::quote(entry));
  return entry.get<std::vector<std::string>>();
}

// Changes the file of the directory, whatever else it has.
template <class Change>
void change(const std::filesystem::path& directory, const char* what, const Change& change) {
  const DirectoryLock lock(directory);
  const std::string text = text_of(directory);
  Json json = Json::object();
  if (!text.empty()) json = Json::parse(text, nullptr, false);
  if (!json.is_object() || (json.contains(kHeed) && !json.at(kHeed).is_object()))
    fail("{}: expected a JSON object, to which the {} is added", (directory / kFile).string(),
         what);
  change(json);
  write(directory, json);
}

}  // namespace

void write_generation_config(const std::filesystem::path& directory, const ModelConfig& config,
                             GenerationForm form, const GenerationDefaults& defaults) {
  const int64_t start = config.start_id(), end = config.end_id(), pad = config.pad_id();
  Json generation = {
      {"decoder_start_token_id", start},
      {"eos_token_id", end},
      {"pad_token_id", pad},
      {"forced_eos_token_id", end},
      {"bad_words_ids", {{pad}}},
      {kNumBeams, defaults.search.beam.value_or(kDefaultNumBeams)},
      {"max_length", config.max_positions},
  };
  if (form == GenerationForm::decoder_alone) {
    for (const char* key : {"decoder_start_token_id", "forced_eos_token_id", kNumBeams})
      generation.erase(key);
    generation["bos_token_id"] = start;
  }
  if (pad == kNoToken) {
    generation["pad_token_id"] = end;
    generation.erase("bad_words_ids");
  }
  if (defaults.alignment) generation[kHeed][kAlignment] = json_of(*defaults.alignment);
  if (defaults.search != SearchDefaults()) generation[kHeed][kSearch] = json_of(defaults.search);
  if (!defaults.confidence.empty()) generation[kHeed][kConfidence] = json_of(defaults.confidence);
  if (!defaults.examples.empty()) generation[kHeed][kExamples] = defaults.examples;
  write(directory, generation);
}

GenerationDefaults read_generation_defaults(const std::filesystem::path& directory,
                                            const ModelConfig& config) {
  const std::string text = text_of(directory);
  // A file of another program may be no strict JSON.
  if (text.find("\"heed\"") == std::string::npos) return {};
  const std::string place = (directory / kFile).string();
  const nlohmann::json json = detail::parse_json(text, place);
  if (!json.is_object() || !json.contains(kHeed)) return {};
  const nlohmann::json& heed = json.at(kHeed);
  if (!heed.is_object()) fail("{}: heed: expected an object, got {}", place, detail::quote(heed));
  GenerationDefaults defaults;
  if (heed.contains(kAlignment))
    defaults.alignment = heads_of(heed.at(kAlignment), config, place + ": heed.alignment");
  if (heed.contains(kSearch))
    defaults.search = search_of(heed.at(kSearch), place + ": heed.search");
  if (heed.contains(kConfidence))
    defaults.confidence = confidences_of(heed.at(kConfidence), place + ": heed.confidence");
  if (heed.contains(kExamples))
    defaults.examples = examples_of(heed.at(kExamples), place + ": heed.examples");
  return defaults;
}

void store_alignment_heads(const std::filesystem::path& directory, const AlignmentHeads& heads) {
  change(directory, "alignment", [&](Json& json) { json[kHeed][kAlignment] = json_of(heads); });
}

void store_search_defaults(const std::filesystem::path& directory, const SearchDefaults& search) {
  change(directory, "search", [&](Json& json) {
    json[kHeed][kSearch] = json_of(search);
    if (search.beam) json[kNumBeams] = *search.beam;
  });
}

void store_confidence(const std::filesystem::path& directory, const Confidences& confidence) {
  change(directory, "confidence",
         [&](Json& json) { json[kHeed][kConfidence] = json_of(confidence); });
}

void remove_confidence(const std::filesystem::path& directory) {
  if (text_of(directory).find(kConfidence) == std::string::npos) return;
  change(directory, "confidence", [](Json& json) {
    if (json.contains(kHeed)) json[kHeed].erase(kConfidence);
  });
}

}  // namespace heed
