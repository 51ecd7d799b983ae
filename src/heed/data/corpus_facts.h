// Facts about the text of a corpus that its ids do not tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/core/character_set.h"
#include "heed/text/character_counter.h"

namespace heed {

// A line with text that the vocabulary lacks.
struct UnknownExample {
  int64_t line = 0;                // from 0
  std::vector<std::string> texts;  // of its tokens that are <unk>, some of them
};

// Of the kept pairs.
struct SideFacts {
  CharacterSet characters;               // as the tokenizer normalizes them
  int64_t changed_lines = 0;             // those with a character that normalization changes
  std::vector<CharacterChange> changes;  // the most frequent ones
  int64_t unknown_lines = 0;             // those with a token that is <unk>
  std::vector<UnknownExample> unknown;   // the first ones
};

struct CorpusFacts {
  SideFacts source, target;
  // The tokens that the model can predict, and those of them that occur on neither side.
  int64_t tokens = 0, unused_tokens = 0;

  std::string json() const;
  // std::nullopt if the text is not as json() writes it.
  static std::optional<CorpusFacts> from_json(std::string_view text);
};

}  // namespace heed
