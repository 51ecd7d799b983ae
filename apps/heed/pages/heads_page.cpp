#include "pages/heads_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "console/console.h"
#include "console/help.h"
#include "heed/core/options.h"
#include "pages/numbers.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

Json head_json(const HeadReport& head, int64_t layer, int64_t number_of_head) {
  Json weights = Json::object(), offsets = Json::array();
  for (const auto& [name, position] : enum_names(KeyPosition{}))
    weights[std::string(name)] = json_number(head.weights[size_t(position)]);
  for (const std::optional<double>& offset : head.offsets) offsets.push_back(json_number(offset));
  return {{"layer", layer},
          {"head", number_of_head},
          {"role", head.role()},
          {"weights", weights},
          {"entropy", head.entropy},
          {"offsets", offsets},
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

}  // namespace

std::string heads_text(const HeadsTitle& title, const HeadAnalysis& analysis) {
  constexpr size_t kShown = 8, kWidth = 17;
  std::string text = fmt::format("\nHeads, over {} of {}{} ({} and {} tokens)\n",
                                 grouped(analysis.lines, "line"), one_line(title.source),
                                 title.reference.empty() ? " and the model's translations"
                                                         : " and " + one_line(title.reference),
                                 grouped(analysis.source_tokens), grouped(analysis.target_tokens));
  for (const auto& [site, value] : enum_names(AttentionSite{})) {
    const std::vector<HeadReport>& heads = analysis.sites[size_t(value)];
    if (heads.empty()) continue;
    text += fmt::format("\n{:<10}", site);
    for (int64_t head = 1; head <= title.heads; ++head)
      text += fmt::format("head {:<{}}", head, head == title.heads ? 1 : kWidth - 5);
    for (size_t i = 0; i < heads.size(); ++i) {
      if (int64_t(i) % title.heads == 0)
        text += fmt::format("\n  layer {:<2}", int64_t(i) / title.heads + 1);
      const std::string role = role_text(heads[i]);
      text += int64_t(i + 1) % title.heads == 0 ? role : fmt::format("{:<{}}", role, kWidth);
    }
    text += "\n";
  }
  text +=
      "\n" +
      wrap(
          "The position that has the largest of a head's weights on average, and that weight; in "
          "parentheses if it is less than 0.4. Diffuse: less than 0.4, and the entropy of "
          "the weights, which is shown, is at least 0.7 of the largest possible.",
          0, 0) +
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

}  // namespace heed
