// The results of models as JSON, for the commands and the server alike.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "heed/decode/line_labels.h"
#include "heed/decode/reranker.h"
#include "heed/decode/scorer.h"
#include "heed/decode/search_options.h"

namespace heed {

// The fields of a translation besides its text, score, pieces and status.
struct TranslationFields {
  const char* text = "translation";  // the name of that of a hypothesis
  Alignments alignments = Alignments::none;
  enum class Pairs { pharaoh, arrays } pairs = Pairs::pharaoh;  // "0-0 1-2" or [[0, 0], [1, 2]]
  bool nbest = false;                                           // all hypotheses
  bool log_probabilities = false;                               // of each piece
};

// Adds a translation to `object`, with its confidence if the model was calibrated.
void add_translation(const Translation& translation, const TranslationFields& fields,
                     nlohmann::ordered_json& object);

// A prompt with its continuation, and a sentence's tree: all hypotheses where the search returns
// several.
nlohmann::ordered_json generation_json(const Translation& generated, const SearchOptions& search);
nlohmann::ordered_json tree_json(const Translation& parsed, const SearchOptions& search);

// The labels of the words of a line, or the label of a line.
nlohmann::ordered_json tags_json(const ClassifiedLine& line);
nlohmann::ordered_json class_json(const ClassifiedLine& line);

nlohmann::ordered_json score_json(const PairScore& pair);
nlohmann::ordered_json score_json(const CorpusScore& corpus);

// The translations in an object that add_translation() made: all of "nbest", or the one of an
// object without it. Error that names `place` if the text is another, or a translation has several
// lines.
std::vector<std::string> read_translations(std::string_view text, const std::string& place);
// An n-best list in the order of these weights, each hypothesis with its place in the list before,
// from 1, and with the features that the reranker has.
nlohmann::ordered_json reranked_json(const NbestList& list,
                                     std::span<const HypothesisFeatures> features,
                                     const RerankValues& weights, const Reranker& reranker);

}  // namespace heed
