#include "heed/run/followed_scores.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace heed {

std::vector<std::string> follow(const ValidationReport& report, RankedBy ranked_by,
                                std::vector<FollowedScore>& followed) {
  std::vector<std::string> improved;
  const auto count = [&](const std::string& name, double value, auto better) {
    auto found = std::ranges::find(followed, name, &FollowedScore::name);
    const bool is_first = found == followed.end();
    if (is_first) found = followed.insert(found, {.name = name});
    ++found->since_best;
    if (!is_first && !better(value, found->best)) return;
    *found = {name, value, report.step, 0};
    improved.push_back(name);
  };
  const auto count_text = [&](const std::string& prefix, std::optional<double> loss,
                              const std::vector<Score>& scores) {
    if (loss) count(prefix + "loss", *loss, std::less());
    if (ranked_by == RankedBy::losses) return;
    for (const Score& score : scores) count(prefix + score.name, score.value, std::greater());
  };
  count_text("", report.loss, report.scores);
  for (const TextValidation& text : report.texts)
    count_text(text.name + ".", text.loss, text.scores);
  return improved;
}

}  // namespace heed
