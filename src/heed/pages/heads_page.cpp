#include "heed/pages/heads_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/core/counted.h"
#include "heed/core/options.h"
#include "heed/pages/json_parts.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

Json head_json(const HeadReport& head, int64_t layer, int64_t number_of_head) {
  Json weights = Json::object();
  for (const auto& [name, position] : enum_names(KeyPosition{}))
    weights[std::string(name)] = json_number(head.weights[size_t(position)]);
  return {{"layer", layer},
          {"head", number_of_head},
          {"role", head.role()},
          {"weights", weights},
          {"entropy", head.entropy},
          {"offsets", json_list(head.offsets, json_number)},
          {"loss_without", head.loss_without}};
}

// "previous 0.81", "diffuse 0.82" with the entropy, or "(last 0.31)" of a mixed head.
std::string role_text(const HeadReport& head) {
  const std::string role = head.role();
  if (role == "diffuse") return fmt::format("diffuse {:.2f}", head.entropy);
  const auto names = enum_names(KeyPosition{});
  const auto* largest = std::ranges::max_element(
      names, {}, [&](const auto& name) { return head.weights[size_t(name.second)].value_or(0); });
  const double weight = head.weights[size_t(largest->second)].value_or(0);
  const std::string text = fmt::format("{} {:.2f}", largest->first, weight);
  return role == "mixed" ? "(" + text + ")" : text;
}

struct RankedHead {
  std::string name;  // "cross 2.1": layer 2, head 1
  std::string role;
  double cost;  // the loss without it less the loss with all
};

std::vector<RankedHead> ranked(const HeadsTitle& title, const HeadAnalysis& analysis) {
  std::vector<RankedHead> all;
  for (const auto& [site, value] : enum_names(AttentionSite{})) {
    const std::vector<HeadReport>& heads = analysis.sites[size_t(value)];
    for (size_t i = 0; i < heads.size(); ++i)
      all.push_back({fmt::format("{} {}.{}", site, int64_t(i) / title.heads + 1,
                                 int64_t(i) % title.heads + 1),
                     role_text(heads[i]), heads[i].loss_without - analysis.loss});
  }
  std::ranges::stable_sort(all, {}, &RankedHead::cost);
  return all;
}

// The heading of a table of heads: with "head 1" and so on after the first cells.
TableRow heading_of_heads(TableRow heading, int64_t heads) {
  for (int64_t head = 1; head <= heads; ++head) heading.push_back(fmt::format("head {}", head));
  return heading;
}

// The share of the word links that a candidate agrees with.
double share(const AlignmentReport& report, const AlignmentCandidate* candidate) {
  return candidate ? double(candidate->agreeing) / double(report.measured.links) : 0;
}

std::string share_text(const AlignmentReport& report, const AlignmentCandidate* candidate) {
  return fmt::format("{:.1f}%", 100 * share(report, candidate));
}

const AlignmentHeads& heads_now(const AlignmentReport& report) {
  return report.stored ? report.measured.best->heads : report.current;
}

Json json_of(const AlignmentHeads& heads) {
  const auto numbers = [](const DecoderHead& h) { return Json::array({h.layer + 1, h.head + 1}); };
  return {{"heads", json_list(heads.heads, numbers)}, {"step", to_text(heads.step)}};
}

Json json_of(const AlignmentReport& report, const AlignmentCandidate& candidate) {
  Json json = json_of(candidate.heads);
  json["agreement"] = share(report, &candidate);
  return json;
}

}  // namespace

std::string heads_text(const HeadsTitle& title, const HeadAnalysis& analysis) {
  constexpr size_t kShown = 8;
  std::string text = fmt::format("\nHeads, over {} of {}{} ({} and {} tokens)\n",
                                 grouped(analysis.lines, "line"), one_line(title.source),
                                 title.reference.empty() ? " and the model's translations"
                                                         : " and " + one_line(title.reference),
                                 grouped(analysis.source_tokens), grouped(analysis.target_tokens));
  for (const auto& [site, value] : enum_names(AttentionSite{})) {
    const std::vector<HeadReport>& heads = analysis.sites[size_t(value)];
    if (heads.empty()) continue;
    std::vector<TableRow> rows{heading_of_heads({std::string(site)}, title.heads)};
    for (size_t i = 0; i < heads.size(); ++i) {
      if (int64_t(i) % title.heads == 0)
        rows.push_back({fmt::format("  layer {}", int64_t(i) / title.heads + 1)});
      rows.back().push_back(role_text(heads[i]));
    }
    constexpr auto kLeft = TableColumn::Side::left;
    text += "\n" + table_text(rows, {{kLeft, 10}, {kLeft, 17, 0}});
  }
  text +=
      "\n" +
      wrap(
          "The position that has the largest of a head's weights on average, and that weight; in "
          "parentheses of a mixed head, where it is less than 0.4. Diffuse: less than 0.4, and the "
          "entropy of the weights, which is shown, is at least 0.7 of the largest possible.",
          0) +
      fmt::format("\n\nLoss without a head, less that with all ({:.4f} nats a token)\n",
                  analysis.loss);
  const std::vector<RankedHead> all = ranked(title, analysis);
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == kShown && all.size() > 2 * kShown) {
      text += "  ...\n";
      i = all.size() - kShown;
    }
    text += fmt::format("  {:+.4f}  {:<13} {}\n", all[i].cost, all[i].name, all[i].role);
  }
  return text;
}

nlohmann::ordered_json heads_json(const HeadsTitle& title, const HeadAnalysis& analysis) {
  Json json = {{"source", title.source},
               {"target", title.reference.empty() ? Json(nullptr) : Json(title.reference)},
               {"lines", analysis.lines},
               {"source_tokens", analysis.source_tokens},
               {"target_tokens", analysis.target_tokens},
               {"loss", analysis.loss},
               {"sites", Json::array()}};
  for (const auto& [site, value] : enum_names(AttentionSite{})) {
    Json& of_site = json["sites"].emplace_back(Json({{"site", site}, {"heads", Json::array()}}));
    const std::vector<HeadReport>& heads = analysis.sites[size_t(value)];
    for (size_t i = 0; i < heads.size(); ++i)
      of_site["heads"].push_back(
          head_json(heads[i], int64_t(i) / title.heads + 1, int64_t(i) % title.heads + 1));
  }
  return json;
}

std::string alignment_text(const AlignmentReport& report) {
  const auto& [config, current, stored, measured] = report;
  std::string text = fmt::format(
      "\nWord alignment: how many of {} word links in {}, found by a lexicon (IBM model 1 in both "
      "directions), are where the attention is largest\n",
      measured.links, detail::counted(measured.pairs, "pair"));
  for (const AlignmentStep step : {AlignmentStep::predicting, AlignmentStep::following}) {
    text += step == AlignmentStep::predicting ? "\nAt the step that predicts the token\n"
                                              : "\nAt the step after the token\n";
    std::vector<TableRow> rows{heading_of_heads({"layer", "mean"}, config.heads)};
    for (int64_t layer = 0; layer < attention_layers(config, AttentionSite::cross); ++layer) {
      const AlignmentHeads mean = heads_of_layers(config, layer, layer, step);
      rows.push_back({std::to_string(layer + 1), share_text(report, measured.find(mean))});
      for (int64_t head = 0; head < config.heads; ++head)
        rows.back().push_back(share_text(report, measured.find({{{layer, head}}, step})));
    }
    text += table_text(rows, {{.width = 6}, {.width = 8, .gap = 1}});
  }
  const AlignmentCandidate& best = *measured.best;
  const char* const note = stored                  ? " (stored)"
                           : best.heads == current ? ""
                                                   : " (--alignment store makes it the best)";
  return text + fmt::format("\nbest         {}: {}\nalignments   {}{}\n",
                            to_string(best.heads, config), share_text(report, &best),
                            to_string(heads_now(report), config), note);
}

nlohmann::ordered_json alignment_json(const AlignmentReport& report) {
  const auto of = [&](const AlignmentCandidate& candidate) { return json_of(report, candidate); };
  return {{"pairs", report.measured.pairs},
          {"links", report.measured.links},
          {"candidates", json_list(report.measured.candidates, of)},
          {"best", of(*report.measured.best)},
          {"alignments", json_of(heads_now(report))}};
}

}  // namespace heed
