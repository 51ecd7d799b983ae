// Data that is stored with a model: choices that were made by measuring it, and examples of its
// text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/model/alignment_heads.h"
#include "heed/model/confidence.h"

namespace heed {

// The search with which the model translated its validation text best. What is not set was not
// measured.
struct SearchDefaults {
  std::optional<int64_t> beam = {};           // beam size; 1: greedy search
  std::optional<double> length_penalty = {};  // alpha of section 6.1 of the paper
  friend bool operator==(const SearchDefaults&, const SearchDefaults&) = default;
};

struct GenerationDefaults {
  std::optional<AlignmentHeads> alignment = {};  // the attention that aligns words
  SearchDefaults search = {};
  Confidences confidence = {};  // of `heed calibrate`; a model has none from training
  // Lines of its text that the page of a server offers: sources, or beginnings of texts.
  std::vector<std::string> examples = {};
  friend bool operator==(const GenerationDefaults&, const GenerationDefaults&) = default;
};

}  // namespace heed
