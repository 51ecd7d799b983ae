// A line to translate, and its translation.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/decode/alignment.h"

namespace heed {

// How a line was processed.
struct LineStatus {
  bool empty = false;     // no tokens: the translation is empty
  bool split = false;     // too long for the model: translated in parts
  bool cut = false;       // a part reached the maximum length without </s>
  bool repaired = false;  // invalid UTF-8 was read as U+FFFD

  // "ok", "empty", "split,cut", ...
  std::string text() const;
};

// A line to translate.
struct Input {
  Input(std::string text, std::string prefix = "")  // NOLINT: a line is a text
      : text(std::move(text)), prefix(std::move(prefix)) {}
  std::string text;
  std::string prefix;  // of the translation (decode/forced_prefix.h); empty: none
};

// One of a line's nbest.
struct Alternative {
  std::string text;
  double score = 0;  // the sum over the parts of a split line
  std::vector<std::string> pieces;
  // With DecodeOptions::attention: each piece's attention to the source pieces.
  AttentionWeights attention = {};
};

struct Translation {
  int64_t line = 0;                        // from 0
  std::vector<Alternative> alternatives;   // best first, at least one
  std::vector<std::string> source_pieces;  // with attention; each part ends with </s>
  LineStatus status;
};

// Gives the next line, and nothing at the end of the input.
using NextInput = std::function<std::optional<Input>()>;
using EmitTranslation = std::function<void(const Translation&)>;

}  // namespace heed
