// The outputs of a model in training for a few lines of its validation text, shown on the run's
// page.
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
  // A translation has a score, as Translator gives it, and what follows; other outputs do not.
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

// Up to three short lines, evenly spaced, by which a user of the model sees what it is for: what
// the model gets, whole sentences without digits, links and markup if the text has any.
std::vector<std::string> example_lines(const ParallelText& text, const ModelParts& parts);

// The outputs of the model, which is packed: the likeliest labels, or the result of greedy search.
std::vector<SampleOutput> sample_outputs(const ModelParts& parts,
                                         const std::vector<SampleLine>& lines, int64_t threads);

}  // namespace heed
