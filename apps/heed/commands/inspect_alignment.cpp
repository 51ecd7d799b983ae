#include "commands/inspect_alignment.h"

#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/decode/alignment.h"
#include "heed/decode/model.h"
#include "heed/model/directory.h"

namespace heed {
namespace {

// Pairs that the model can be given; `left_out` counts the others.
AlignmentText text_of(const Model& model, const std::vector<std::string>& sources,
                      const std::vector<std::string>& targets, int64_t lines, int64_t& left_out) {
  const TokenizerPair& tokenizers = model.tokenizers();
  AlignmentText text;
  double token_pairs = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    EncodedText source = encode_to_fit(tokenizers.source(), sources[i], model.config());
    EncodedText target = encode_to_fit(tokenizers.target(), targets[i], model.config());
    if (source.ids.empty() || target.ids.empty() || source.truncated || target.truncated) {
      ++left_out;
      continue;
    }
    TokenPair pair{std::move(source.ids), std::move(target.ids)};
    token_pairs += double(pair.source.size()) * double(pair.target.size());
    if (int64_t(i) < lines) text.measured.push_back(pair);
    if (token_pairs <= WordLinks::kMaxTokenPairs)
      text.lexical.push_back(std::move(pair));
    else if (int64_t(i) >= lines)
      break;
  }
  return text;
}

double share(const AlignmentMeasurement& measured, const AlignmentHeads& heads) {
  const AlignmentCandidate* found = measured.find(heads);
  return found ? double(found->agreeing) / double(measured.links) : 0;
}

std::string percent(double share) {
  return fmt::format("{:.1f}%", 100 * share);
}

}  // namespace

std::string AlignmentInspection::text() const {
  std::string all = fmt::format(
      "\nWord alignment: how many of {} word links in {}, found by a lexicon (IBM model 1 in both "
      "directions), are where the attention is largest\n",
      measured.links, detail::counted(measured.pairs, "pair"));
  for (const AlignmentStep step : {AlignmentStep::predicting, AlignmentStep::following}) {
    all += step == AlignmentStep::predicting ? "\nAt the step that predicts the token\n"
                                             : "\nAt the step after the token\n";
    all += fmt::format("{:>6}{:>8}", "layer", "mean");
    for (int64_t head = 1; head <= config.heads; ++head)
      all += fmt::format("{:>8}", fmt::format("head {}", head));
    all += "\n";
    for (int64_t layer = 0; layer < config.decoder_layers; ++layer) {
      all += fmt::format("{:>6}{:>8}", layer + 1,
                         percent(share(measured, heads_of_layers(config, layer, layer, step))));
      for (int64_t head = 0; head < config.heads; ++head)
        all += fmt::format("{:>8}", percent(share(measured, {{{layer, head}}, step})));
      all += "\n";
    }
  }
  const AlignmentCandidate& best = *measured.best;
  all += fmt::format("\nbest         {}: {}\n", to_string(best.heads, config),
                     percent(double(best.agreeing) / double(measured.links)));
  return all + fmt::format("alignments   {}{}\n", to_string(stored ? best.heads : current, config),
                           stored                  ? " (stored)"
                           : best.heads == current ? ""
                                                   : " (--alignment store makes it the best)");
}

nlohmann::ordered_json AlignmentInspection::json() const {
  const auto entry = [&](const AlignmentHeads& heads) {
    nlohmann::ordered_json numbers = nlohmann::ordered_json::array();
    for (const DecoderHead& head : heads.heads)
      numbers.push_back(nlohmann::ordered_json::array({head.layer + 1, head.head + 1}));
    return nlohmann::ordered_json{{"heads", numbers}, {"step", to_text(heads.step)}};
  };
  nlohmann::ordered_json all = {
      {"pairs", measured.pairs}, {"links", measured.links}, {"candidates", nullptr}};
  for (const AlignmentCandidate& candidate : measured.candidates) {
    nlohmann::ordered_json& one = all["candidates"].emplace_back(entry(candidate.heads));
    one["agreement"] = double(candidate.agreeing) / double(measured.links);
  }
  all["best"] = entry(measured.best->heads);
  all["best"]["agreement"] = double(measured.best->agreeing) / double(measured.links);
  all["alignments"] = entry(stored ? measured.best->heads : current);
  return all;
}

AlignmentInspection inspect_alignment(const std::string& directory, const HeadsInspection& settings,
                                      int threads, Console& console) {
  const std::vector<std::string> sources = read_text(settings.source, {}, console);
  const std::vector<std::string> targets =
      read_text(settings.reference, {settings.source, sources.size()}, LineRules{}, console);
  const Model model(directory, ComputeChoice::fp32);
  const ModelParts parts = model.parts();
  int64_t left_out = 0;
  const AlignmentText text = text_of(model, sources, targets, settings.lines, left_out);
  if (left_out > 0)
    console.warn(
        fmt::format("{} left out: empty, or with more tokens than the model has positions, {}",
                    detail::counted(left_out, "line"), model.config().max_positions));
  Workers workers(threads);
  AlignmentInspection found{model.config(), alignment_heads_of(parts.model), false,
                            measure_alignment(parts, text, workers)};
  if (!found.measured.best)
    fail("{} and {}: {} word links in {}, expected at least {}: give more text, or more --lines",
         settings.source, settings.reference, found.measured.links,
         detail::counted(found.measured.pairs, "pair"), AlignmentMeasurement::kMinLinks);
  if (settings.alignment == AlignmentAction::store) {
    store_alignment_heads(directory, found.measured.best->heads);
    found.stored = true;
  }
  return found;
}

}  // namespace heed
