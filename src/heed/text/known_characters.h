// The characters that a model has seen in training.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/core/character_set.h"
#include "heed/text/normalizer.h"

namespace heed {

// The characters of the training text of each side, as its tokenizer normalizes them: the content
// of characters.json.
struct TrainingCharacters {
  CharacterSet source, target;

  void add(const TrainingCharacters& other);
  std::string json() const;
  // std::nullopt if the directory has no such file. Error if it is damaged.
  static std::optional<TrainingCharacters> load(const std::filesystem::path& directory);
};
inline constexpr const char* kCharactersFile = "characters.json";

// The characters that a model has seen in the training text of one side, as its tokenizer
// normalizes them. Const: any number of threads may use one.
class KnownCharacters {
 public:
  KnownCharacters(CharacterSet characters, std::string normalizer_specification);
  // Whether a grapheme has characters of the training text only.
  bool knows(std::string_view grapheme) const;
  const CharacterSet& characters() const { return characters_; }

 private:
  CharacterSet characters_;
  std::string specification_;  // of the normalizer, which is made when it is needed
  mutable std::once_flag once_;
  mutable std::unique_ptr<const Normalizer> normalizer_;
};

}  // namespace heed
