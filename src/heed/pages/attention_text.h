// Attention as JSON, and for a terminal as heat maps of block characters.
#pragma once

#include <optional>
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

// A sentence, its translation and what the model looks at in both.
struct SentenceAttention {
  std::string sentence, translation;  // or what the model's task has in their places
  std::optional<double> score;        // of the model's own translation
  PairAttention attention;
  std::vector<AlignedPair> alignment = {};  // of words
};

// The part of it that is drawn.
struct AttentionChoice {
  AttentionSite site = AttentionSite::cross;
  std::optional<int64_t> layer = {}, head = {};  // from 1; none: all
  AlignmentUnit units = AlignmentUnit::words;    // of rows and columns
};

// Draws the mean of the chosen heads in the chosen layer, or in `usual_layer`, and small maps of
// all that are chosen.
std::string attention_text(const SentenceAttention& shown, const AttentionChoice& choice,
                           const ModelConfig& config, int64_t usual_layer,
                           const TerminalStyle& style);
// One JSON object with the weights of all heads, to four decimal places.
std::string attention_json(const SentenceAttention& shown);

// The weights of one head between units: a row sums to 1. Rows are the tokens that look.
struct AttentionMap {
  std::vector<std::string> queries, keys;  // labels
  std::vector<double> weights;             // [queries, keys]
};

// The mean over the chosen heads of a layer, counted from 0, between words: the weight of a word is
// the sum over its pieces, averaged over the pieces of the word that looks.
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

}  // namespace heed
