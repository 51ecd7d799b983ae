#include "heed/text/known_characters.h"

#include <nlohmann/json.hpp>

#include "heed/core/error.h"
#include "heed/core/files.h"
#include "heed/core/strict_json.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

constexpr int64_t kMaxBytes = int64_t{16} << 20;

CharacterSet read_set(const nlohmann::json& json, const char* key, const std::string& place) {
  const auto found = json.find(key);
  const auto set = found != json.end() && found->is_string()
                       ? CharacterSet::from_ranges(found->get<std::string>())
                       : std::nullopt;
  if (!set)
    fail("{}: '{}' is not a list of characters in hexadecimal digits, as in \"20-7e e9\"", place,
         key);
  return *set;
}

}  // namespace

void TrainingCharacters::add(const TrainingCharacters& other) {
  source.add(other.source);
  target.add(other.target);
}

std::string TrainingCharacters::json() const {
  const nlohmann::ordered_json json = {{"source", source.ranges()}, {"target", target.ranges()}};
  return json.dump(2) + "\n";
}

std::optional<TrainingCharacters> TrainingCharacters::load(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / kCharactersFile;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  const nlohmann::json json = detail::parse_json(read_file(path, kMaxBytes), path.string());
  if (!json.is_object()) fail("{}: expected a JSON object", path.string());
  return TrainingCharacters{read_set(json, "source", path.string()),
                            read_set(json, "target", path.string())};
}

KnownCharacters::KnownCharacters(CharacterSet characters, std::string normalizer_specification)
    : characters_(std::move(characters)), specification_(std::move(normalizer_specification)) {}

bool KnownCharacters::knows(std::string_view grapheme) const {
  const auto all_known = [&](std::string_view text) {
    while (!text.empty()) {
      const Utf8Character next = first_utf8_character(text);
      if (!is_whitespace(next.value) && !characters_.contains(next.value)) return false;
      text.remove_prefix(next.bytes);
    }
    return true;
  };
  if (all_known(grapheme)) return true;
  std::call_once(once_, [&] { normalizer_ = std::make_unique<const Normalizer>(specification_); });
  return all_known(normalizer_->normalize(grapheme));
}

}  // namespace heed
