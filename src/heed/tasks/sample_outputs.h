// What a model in training makes of a few lines of its validation text, for the page of the run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/decode/model_outputs.h"
#include "heed/text/parallel_text.h"

namespace heed {

// A line of the validation text: what the model gets, and what it should make of it.
struct SampleLine {
  // A sentence to translate, to tag, to classify or to parse, or the beginning of a text.
  std::string source;
  std::string reference;  // a translation, labels, a tree, or the text
};

struct SampleOutput : SampleLine {
  std::string output;
  // Of translations alone: the score, as Translator gives it, and how they come about.
  std::optional<double> score = {};
  std::vector<std::string> source_pieces = {}, target_pieces = {};  // </s> last
  std::vector<double> log_probabilities = {};  // natural logarithms, of the target pieces
  // [target pieces, source pieces]: the cross-attention of default_alignment_heads(), if
  // there is any.
  std::vector<float> attention = {};
};

// Lines that a page can show at a glance: the first few of a text that have between 4 and 30
// pieces.
std::vector<SampleLine> sample_lines(const ParallelText& text, const ModelParts& parts);

// What the model, which is packed, makes of them: the likeliest labels, or what greedy search
// finds.
std::vector<SampleOutput> sample_outputs(const ModelParts& parts,
                                         const std::vector<SampleLine>& lines, int64_t threads);

}  // namespace heed
