#include "heed/serve/api/api.h"

#include <algorithm>

#include "heed/serve/api/api_error.h"

namespace heed {

std::optional<std::chrono::steady_clock::time_point> deadline_of(const ServeOptions& options) {
  if (options.timeout <= 0) return {};
  return std::chrono::steady_clock::now() +
         std::chrono::milliseconds(int64_t(options.timeout * 1000));
}

std::vector<DetectedLanguage> detect_source(const std::vector<std::string>& texts,
                                            const std::vector<std::string>& among) {
  std::string all;
  for (const std::string& text : texts) {
    if (all.size() >= kMostDetectedBytes) break;
    all += text + "\n";
  }
  return detect_language(all, among);
}

ChosenModel choose_model(const ServedModels& models, const std::string& source,
                         const std::string& target, const std::vector<std::string>& texts) {
  const bool detect = source.empty() || source == "auto";
  std::vector<std::shared_ptr<const ServedModel>> fitting;
  bool known_source = detect, known_target = target.empty();
  for (auto& model : models.all()) {
    const LanguagePair& languages = model->languages();
    const bool has_source = detect || languages.source == source,
               has_target = target.empty() || languages.target == target;
    known_source = known_source || languages.source == source;
    known_target = known_target || languages.target == target;
    if (has_source && has_target) fitting.push_back(std::move(model));
  }
  if (!known_source) throw ApiError(400, fmt::format("{} is not supported", source));
  if (!known_target) throw ApiError(400, fmt::format("{} is not supported", target));
  if (fitting.empty())
    throw ApiError(400, fmt::format("{} to {} is not supported", detect ? "any language" : source,
                                    target.empty() ? "any language" : target));
  if (fitting.size() == 1 && source != "auto") return {fitting.front(), {}};
  if (!detect)
    throw ApiError(400,
                   "target: expected one of several languages that the source is translated to");
  std::vector<std::string> codes;
  codes.reserve(fitting.size());
  for (const auto& model : fitting) codes.push_back(model->languages().source);
  const DetectedLanguage best = detect_source(texts, codes).front();
  const auto is_best = [&](const auto& model) { return model->languages().source == best.code; };
  if (std::count_if(fitting.begin(), fitting.end(), is_best) > 1)
    throw ApiError(400,
                   "target: expected one of several languages that the source is translated to");
  return {*std::find_if(fitting.begin(), fitting.end(), is_best), best.confidence};
}

int64_t count_characters(std::string_view text) {
  // Every byte but those that continue a character.
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

int64_t check_characters(const ServeOptions& options, const std::vector<std::string>& texts) {
  int64_t characters = 0;
  for (const std::string& text : texts) characters += count_characters(text);
  if (options.max_characters > 0 && characters > options.max_characters)
    throw ApiError(
        400, fmt::format("{} characters: expected at most {}", characters, options.max_characters));
  return characters;
}

}  // namespace heed
