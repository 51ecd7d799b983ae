// Attention for a terminal: heat maps of block characters.
#pragma once

#include <string>
#include <vector>

#include "heed/decode/explanation.h"
#include "heed/model/captured_attention.h"

namespace heed {

// How a terminal shows it.
struct TerminalStyle {
  int64_t columns = 80;
  bool colour = false;  // the largest weight of each row, by ANSI codes
};

// Which weights are shown.
struct AttentionChoice {
  AttentionSite site = AttentionSite::cross;
  int64_t layer = 0, head = 0;                 // from 1; 0: all
  AlignmentUnit units = AlignmentUnit::words;  // of rows and columns
};

// The weights of one head between units: a row sums to 1. Rows are the tokens that look.
struct AttentionMap {
  std::vector<std::string> queries, keys;  // labels
  std::vector<double> weights;             // [queries, keys]
};

// The mean over the chosen heads of `weights`, [heads, queries, keys], between words: the weight of
// a word is the sum over its pieces, averaged over the pieces of the word that looks.
AttentionMap attention_map(const PairAttention& attention, const AttentionChoice& choice,
                           int64_t layer);

// The links of an alignment of words as words, "昨天–yesterday", in the order of the links. Lines
// after the first are indented by `indent`.
std::string alignment_text(const PairAttention& attention,
                           const std::vector<AlignedPair>& alignment, const TerminalStyle& style,
                           size_t indent);

// One map with labels, wrapped to the width.
std::string map_text(const AttentionMap& map, const TerminalStyle& style);
// Maps side by side, without labels but their titles.
std::string maps_text(const std::vector<std::pair<std::string, AttentionMap>>& maps,
                      const TerminalStyle& style);

// What the characters mean.
std::string map_legend();

}  // namespace heed
