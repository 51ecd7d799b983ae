#include "heed/serve/models.h"

#include <algorithm>

#include "heed/core/ascii.h"
#include "heed/serve/languages.h"
#include "heed/text/tokenizer.h"

namespace heed {
namespace {

bool is_code(std::string_view text) {
  const auto fits = [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || c == '-' || c == '_';
  };
  return !text.empty() && text.size() <= 35 && std::ranges::all_of(text, fits);
}

// "zh-en" or "zh-Hant:en"; empty codes if `text` is neither.
LanguagePair parse_languages(std::string_view text) {
  size_t at = text.find(':');
  if (at == text.npos && std::ranges::count(text, '-') == 1) at = text.find('-');
  if (at == text.npos) return {};
  const std::string_view source = text.substr(0, at), target = text.substr(at + 1);
  if (!is_code(source) || !is_code(target)) return {};
  return {std::string(source), std::string(target)};
}

std::string name_of(const LanguagePair& languages) {
  const bool plain = (languages.source + languages.target).find('-') == std::string::npos;
  return languages.source + (plain ? "-" : ":") + languages.target;
}

// The directory and the languages of "zh-en=DIR"; the languages are empty for "DIR".
std::pair<std::filesystem::path, LanguagePair> parse_model_argument(const std::string& text) {
  const size_t at = text.find('=');
  std::error_code error;
  if (at == text.npos || std::filesystem::is_directory(text, error)) return {text, LanguagePair()};
  LanguagePair languages = parse_languages(std::string_view(text).substr(0, at));
  if (languages.source.empty())
    fail_usage("--model {}: expected the languages before '=', as in zh-en=DIR or zh-Hant:en=DIR",
               text);
  return {text.substr(at + 1), std::move(languages)};
}

}  // namespace

ServedModel::ServedModel(const std::filesystem::path& directory, LanguagePair languages,
                         const Computation& computation)
    : languages(std::move(languages)),
      model(directory, computation),
      processor(model.tokenizers(), model.config().max_positions) {}

LanguagePair model_languages(const std::filesystem::path& directory) {
  const TokenizerConfig config = read_tokenizer_config(directory);
  if (is_code(config.source_language) && is_code(config.target_language))
    return {config.source_language, config.target_language};
  std::filesystem::path path = std::filesystem::absolute(directory).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // DIR/
  const std::string name = path.filename().string();
  const size_t second = name.rfind('-');
  if (second == name.npos || second == 0) return {};
  const size_t first = name.rfind('-', second - 1) + 1;  // 0 where there is none
  LanguagePair pair{name.substr(first, second - first), name.substr(second + 1)};
  return find_language(pair.source) && find_language(pair.target) ? pair : LanguagePair();
}

ServedModels::ServedModels(const std::vector<std::string>& models, const Computation& computation)
    : computation_(computation) {
  for (const std::string& text : models) {
    Place place = open(text);
    for (const Place& other : places_)
      if (other.languages == place.languages)
        fail_usage("--model: {} and {} both translate {}: expected one model for a pair",
                   other.directory.string(), place.directory.string(), name_of(place.languages));
    places_.push_back(std::move(place));
  }
  check(!places_.empty(), "a server without models");
}

ServedModels::Place ServedModels::open(const std::string& text) const {
  auto [directory, languages] = parse_model_argument(text);
  const ConfigStamp stamp(directory);
  read_translator_config(directory);  // first, for its errors: they say why this is no model
  if (languages.source.empty()) {
    languages = model_languages(directory);
    if (languages.source.empty())
      fail_usage(
          "--model {}: the model does not say its languages; expected them in front: zh-en={}",
          text, text);
  }
  for (const std::string& code : {languages.source, languages.target})
    if (lower_ascii(code) == "auto")
      fail_usage(
          "--model {}: 'auto' cannot be a model's language: in requests it means that the language "
          "is detected; "
          "expected codes such as zh-en={}",
          text, directory.string());
  auto model = std::make_shared<const ServedModel>(directory, languages, computation_);
  return {std::move(directory), std::move(languages), stamp, std::move(model)};
}

std::vector<std::shared_ptr<const ServedModel>> ServedModels::all() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const ServedModel>> models;
  for (const Place& place : places_) models.push_back(place.model);
  return models;
}

std::vector<ModelReload> ServedModels::reload(Which which) {
  std::lock_guard reloading(reloading_);
  std::vector<ModelReload> reloads;
  for (Place& place : places_) {  // stamps are read and written under reloading_ alone
    const ConfigStamp stamp(place.directory);
    place.due = place.due || which == Which::all || !(stamp == place.stamp);
    if (!place.due || !place.predecessor.expired()) continue;
    place.due = false;
    ModelReload& reload = reloads.emplace_back(ModelReload{place.directory, ""});
    place.stamp = stamp;
    try {
      auto model =
          std::make_shared<const ServedModel>(place.directory, place.languages, computation_);
      std::lock_guard lock(mutex_);
      place.model.swap(model);
      place.predecessor = model;
    } catch (const std::exception& error) {
      reload.error = error.what();
    }
  }
  return reloads;
}

}  // namespace heed
