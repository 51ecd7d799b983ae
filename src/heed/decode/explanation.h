// How a translation came about: its search, its probabilities and its attention.
#pragma once

#include <vector>

#include "heed/decode/alignment.h"
#include "heed/decode/model_outputs.h"
#include "heed/decode/options.h"
#include "heed/decode/search_trace.h"
#include "heed/decode/translation.h"

namespace heed {

// A part of a line, which the model translates on its own. All fields describe its share in the
// best translation, and `search` other hypotheses too.
struct PartExplanation {
  PairAttention attention;  // its pieces and words are those of the source and translation
  bool ended = true;        // the last target piece is </s>
  std::vector<double> log_probabilities;  // natural logarithms, of each target piece
  // The likeliest pieces in the place of each target piece, best first: at most
  // SearchTrace::kLikeliest.
  std::vector<std::vector<TokenLogProbability>> likeliest;
  std::vector<AlignedPair> alignment;  // of the words of `attention`
  SearchTrace search;
  std::vector<int64_t> results;  // nodes of the search where translations ended, best first
};

struct Explanation {
  Translation translation;             // that of Translator
  std::vector<PartExplanation> parts;  // none for a line without tokens
};

// Translates a line, whose number counts from 0, on the calling thread. Throws as Translator does.
// The attention is computed in a pass of its own: with compute type int8 or bf16 it may differ in
// the last digits from that of the search, which keeps keys and values in bf16.
Explanation explain(const ModelParts& parts, const TranslationInput& input,
                    const DecodeOptions& options, int64_t line = 0);

}  // namespace heed
