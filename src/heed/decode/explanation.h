// How the output of a model came about: its search, its probabilities and its attention.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/decode/alignment.h"
#include "heed/decode/model_outputs.h"
#include "heed/decode/options.h"
#include "heed/decode/search_trace.h"
#include "heed/decode/translation.h"

namespace heed {

// A piece that the model could have chosen, or a label.
struct LikelyPiece {
  std::string piece;
  double log_probability = 0;  // a natural logarithm
};

// A part of a line, which the model reads on its own. All fields describe its share in the best
// result, and `search` other hypotheses too.
struct PartExplanation {
  // Its pieces and words are those of the source and the result: of a language model, which has no
  // source, those of the prompt and its continuation; of a parser the symbols of the tree, which
  // have no words; of a tagger or a classifier its labels, each a word of its own.
  PairAttention attention;
  // Not at the length limit: the last target piece is </s>, if there is a search.
  bool ended = true;
  std::vector<double> log_probabilities;  // natural logarithms, of each target piece
  // In the place of each target piece, best first: at most SearchTrace::kLikeliest.
  std::vector<std::vector<LikelyPiece>> likeliest;
  // Pairs of the words of `attention`; a tagger pairs each word with its label. Empty for a parser.
  std::vector<AlignedPair> alignment;
  // Empty for a tagger or a classifier, which searches for nothing.
  SearchTrace search;
  std::vector<int64_t> results;  // nodes of the search where hypotheses ended, best first
};

struct Explanation {
  // That of Translator. Of a tagger or a classifier: its labels, separated by spaces, with the sum
  // of their log-probabilities as the score.
  Translation translation;
  std::vector<PartExplanation> parts;  // none for a line without tokens
};

// The pieces of a target as explanations have them. The symbols of trees are whole words: they have
// no mark of the space before them.
std::vector<std::string> target_pieces(const ModelParts& parts, std::span<const TokenId> ids);

// The output of a model of any task for a line, whose number counts from 0, computed on the calling
// thread. Throws as Translator and Classifier do. Of the options only `strict` counts for a tagger
// or a classifier. The attention is computed in a pass of its own: with compute type int8 or bf16
// it may differ in the last digits from that of the search, which keeps keys and values in bf16.
Explanation explain(const ModelParts& parts, const TranslationInput& input,
                    const DecodeOptions& options, int64_t line = 0);

}  // namespace heed
