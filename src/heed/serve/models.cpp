#include "heed/serve/models.h"

#include <algorithm>

#include "heed/core/ascii.h"
#include "heed/core/utf8.h"
#include "heed/decode/open_model.h"
#include "heed/model/cross_attention.h"
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

// The last part of a path, also of DIR/.
std::string last_name(const std::filesystem::path& directory) {
  std::filesystem::path path = std::filesystem::absolute(directory).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path.filename().string();
}

// An argument of --model: the directory of "NAME=DIR", and its name, which is empty for "DIR".
struct ModelArgument {
  explicit ModelArgument(const std::string& text) : text(text), directory(text) {
    const size_t at = text.find('=');
    std::error_code error;
    if (at == text.npos || std::filesystem::is_directory(text, error)) return;
    name = text.substr(0, at);
    directory = text.substr(at + 1);
    if (name.empty()) fail_usage("--model {}: expected a name before '='", text);
  }

  // The languages of a model that translates.
  LanguagePair languages() const {
    LanguagePair languages = name.empty() ? model_languages(directory) : parse_languages(name);
    if (languages.source.empty() && !name.empty())
      fail_usage("--model {}: expected the languages before '=', as in zh-en=DIR or zh-Hant:en=DIR",
                 text);
    if (languages.source.empty())
      fail_usage(
          "--model {}: the model does not say its languages; expected them in front: zh-en={}",
          text, text);
    for (const std::string& code : {languages.source, languages.target})
      if (lower_ascii(code) == "auto")
        fail_usage(
            "--model {}: 'auto' cannot be a model's language: in requests it means that the "
            "language is detected; expected codes such as zh-en={}",
            text, directory.string());
    return languages;
  }

  ModelIdentity identity(LearningTask task) const {
    if (task == LearningTask::translation) {
      LanguagePair pair = languages();
      return {name_of(pair), task, std::move(pair)};
    }
    const std::string chosen = name.empty() ? last_name(directory) : name;
    if (chosen.empty() || find_invalid_utf8(chosen))
      fail_usage("--model {}: expected a name in UTF-8 in front: NAME={}", text,
                 directory.string());
    return {chosen, task};
  }

  std::string text, name;
  std::filesystem::path directory;
};

std::optional<LineProcessor> make_processor(const OpenedModel& model, LearningTask task) {
  if (task == LearningTask::tag || task == LearningTask::classify) return {};
  return std::make_optional<LineProcessor>(model.tokenizers(), model.config(),
                                           model.parts().model.generation_defaults().confidence);
}

struct TaskNames {
  const char *endpoint, *kind;
};

TaskNames task_names(LearningTask task) {
  switch (task) {
    case LearningTask::language_model:
      return {"/v1/generate", "a language model"};
    case LearningTask::tag:
      return {"/v1/tag", "a tagger"};
    case LearningTask::classify:
      return {"/v1/classify", "a classifier"};
    case LearningTask::parse:
      return {"/v1/parse", "a parser"};
    case LearningTask::translation:
      break;
  }
  return {"/v1/translate", "a model that translates"};
}

}  // namespace

const char* endpoint_of(LearningTask task) {
  return task_names(task).endpoint;
}

const char* kind_of(LearningTask task) {
  return task_names(task).kind;
}

ServedModel::ServedModel(const std::filesystem::path& directory, ModelIdentity identity,
                         const Computation& computation)
    : ModelIdentity(std::move(identity)),
      opened(open_model(directory, task, computation)),
      model(*opened),
      classifier(dynamic_cast<const Classifier*>(opened.get())),
      processor(make_processor(model, task)) {}

bool ServedModel::aligns() const {
  return task == LearningTask::translation &&
         !alignment_heads_of(model.parts().model).heads.empty();
}

SearchOptions ServedModel::search(const SearchOptions& options, int64_t max_hypotheses) const {
  SearchOptions all = with_defaults(options, model.parts().model.generation_defaults().search);
  if (all.hypothesis_count() > max_hypotheses) all.beam = options.beam;
  return all;
}

LanguagePair model_languages(const std::filesystem::path& directory) {
  const TokenizerConfig config = read_tokenizer_config(directory);
  if (is_code(config.source_language) && is_code(config.target_language))
    return {config.source_language, config.target_language};
  const std::string name = last_name(directory);
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
      if (other.identity.name == place.identity.name)
        fail_usage("--model: {} and {} are both {}: expected different names, as in NAME={}",
                   other.directory.string(), place.directory.string(), place.identity.name,
                   place.directory.string());
    places_.push_back(std::move(place));
  }
  check(!places_.empty(), "a server without models");
}

ServedModels::Place ServedModels::open(const std::string& text) const {
  ModelArgument argument(text);
  const ConfigStamp stamp(argument.directory);
  // First, for its errors: they say why this is no model.
  const ModelConfig config = read_config(argument.directory);
  ModelIdentity identity = argument.identity(task_of(config));
  auto model = std::make_shared<const ServedModel>(argument.directory, identity, computation_);
  return {std::move(argument.directory), std::move(identity), stamp, std::move(model)};
}

std::vector<std::shared_ptr<const ServedModel>> ServedModels::all() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const ServedModel>> models;
  for (const Place& place : places_) models.push_back(place.model);
  return models;
}

std::vector<std::shared_ptr<const ServedModel>> ServedModels::of_task(LearningTask task) const {
  std::vector<std::shared_ptr<const ServedModel>> models = all();
  std::erase_if(models, [&](const auto& model) { return model->task != task; });
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
          std::make_shared<const ServedModel>(place.directory, place.identity, computation_);
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
