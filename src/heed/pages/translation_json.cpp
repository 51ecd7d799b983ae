#include "heed/pages/translation_json.h"

#include "heed/core/error.h"
#include "heed/core/strict_json.h"
#include "heed/pages/json_parts.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

void add_alignment(const Translation& translation, const TextHypothesis& one,
                   const TranslationFields& fields, Json& object) {
  if (fields.alignments == Alignments::none) return;
  if (fields.alignments == Alignments::weights) {
    object["attention"] = rounded(one.attention);
    if (translation.status.split)
      for (const AttentionRow& row : one.attention)
        object["attention_offsets"].push_back(row.offset);
    return;
  }
  const auto unit =
      fields.alignments == Alignments::words ? AlignmentUnit::words : AlignmentUnit::tokens;
  const std::vector<AlignedPair> pairs = aligned_pairs(translation, one, unit);
  const bool pharaoh = fields.pairs == TranslationFields::Pairs::pharaoh;
  object["alignment"] = pharaoh ? Json(pharaoh_text(pairs)) : json_list(pairs, json_pair);
}

void add_hypothesis(const Translation& translation, const TextHypothesis& one,
                    const TranslationFields& fields, Json& object) {
  object[fields.text] = one.text;
  object["score"] = one.score;
  object["pieces"] = one.pieces;
  if (fields.log_probabilities) object["log_probabilities"] = one.log_probabilities;
  add_alignment(translation, one, fields, object);
}

Json term_json(const TermUse& use) {
  Json object = {{"begin", use.begin}, {"end", use.end}, {"source", use.source}};
  if (use.miss == TermMiss::none)
    object["target"] = use.target;
  else
    object["missed"] = to_text(use.miss);
  return object;
}

void add_status(const LineStatus& status, Json& object) {
  object["status"] = status.text();
  if (!status.unknown_characters.empty()) object["unknown_characters"] = status.unknown_characters;
}

Json text_json(const char* name, const Translation& translation, const SearchOptions& search) {
  Json object;
  add_translation(translation, {.text = name, .nbest = search.nbest > 1}, object);
  return object;
}

}  // namespace

void add_translation(const Translation& translation, const TranslationFields& fields,
                     Json& object) {
  add_hypothesis(translation, translation.hypotheses.front(), fields, object);
  if (translation.confidence) object["confidence"] = *translation.confidence;
  add_status(translation.status, object);
  if (!translation.terms.empty()) object["terms"] = json_list(translation.terms, term_json);
  if (fields.alignments == Alignments::tokens || fields.alignments == Alignments::weights)
    object["source_pieces"] = translation.source_pieces;
  if (!fields.nbest) return;
  for (const TextHypothesis& one : translation.hypotheses)
    add_hypothesis(translation, one, fields, object["nbest"].emplace_back(Json::object()));
}

Json generation_json(const Translation& generated, const SearchOptions& search) {
  return text_json("text", generated, search);
}

Json tree_json(const Translation& parsed, const SearchOptions& search) {
  return text_json("tree", parsed, search);
}

Json tags_json(const ClassifiedLine& line) {
  Json object = {{"words", line.words},
                 {"labels", json_list(line.choices, [](const auto& c) { return Json(c.label); })},
                 {"probabilities",
                  json_list(line.choices, [](const auto& c) { return Json(c.probability()); })}};
  add_status(line.status, object);
  return object;
}

Json class_json(const ClassifiedLine& line) {
  const ClassChoice& choice = line.choices.front();
  Json object = {{"label", choice.label}, {"probability", choice.probability()}};
  add_status(line.status, object);
  return object;
}

Json score_json(const PairScore& pair) {
  return {{"log_probability", pair.log_probability},
          {"tokens", pair.pieces.size()},
          {"status", pair.status.text()},
          {"pieces", pair.pieces},
          {"log_probabilities", pair.log_probabilities}};
}

Json score_json(const CorpusScore& corpus) {
  return {{"pairs", corpus.pairs},   {"skipped", corpus.skipped},
          {"tokens", corpus.tokens}, {"log_probability", corpus.log_probability},
          {"loss", corpus.loss()},   {"perplexity", corpus.perplexity()}};
}

std::vector<std::string> read_translations(std::string_view text, const std::string& place) {
  const nlohmann::json object = detail::parse_json(text, place);
  const auto text_of = [&](const nlohmann::json& hypothesis) {
    const bool has_text = hypothesis.is_object() && hypothesis.contains("translation") &&
                          hypothesis["translation"].is_string();
    if (!has_text)
      fail(
          "{}: expected an object with a text \"translation\", as heed translate --nbest N "
          "--format jsonl writes, got {}",
          place, detail::quote(hypothesis));
    auto translation = hypothesis["translation"].get<std::string>();
    if (translation.find('\n') != translation.npos)
      fail("{}: a translation has several lines: {}", place, detail::quote(translation));
    return translation;
  };
  if (!object.is_object() || !object.contains("nbest")) return {text_of(object)};
  const nlohmann::json& nbest = object["nbest"];
  if (!nbest.is_array() || nbest.empty())
    fail("{}: \"nbest\" is {}, expected a list of translations", place, detail::quote(nbest));
  std::vector<std::string> texts;
  texts.reserve(nbest.size());
  for (const nlohmann::json& hypothesis : nbest) texts.push_back(text_of(hypothesis));
  return texts;
}

Json reranked_json(const NbestList& list, std::span<const HypothesisFeatures> features,
                   const RerankValues& weights, const Reranker& reranker) {
  Json object, nbest = Json::array();
  for (const size_t index : reranked(features, weights)) {
    const HypothesisFeatures& hypothesis = features[index];
    Json one = {{"translation", list.hypotheses[index]}, {"score", nullptr}, {"place", index + 1}};
    if (hypothesis.is_scored) one["score"] = rerank_score(hypothesis.values, weights);
    for (const auto& [name, feature] : enum_names(RerankFeature{})) {
      if (!reranker.has(feature)) continue;
      const double value = hypothesis.values[size_t(feature)];
      const bool counts = feature == RerankFeature::length;
      one[std::string(name)] = counts ? Json(int64_t(value)) : Json(value);
    }
    nbest.push_back(std::move(one));
  }
  object["translation"] = nbest[0]["translation"];
  object["score"] = nbest[0]["score"];
  object["nbest"] = std::move(nbest);
  return object;
}

}  // namespace heed
