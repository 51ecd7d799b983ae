#include "heed/tasks/rerank_tuning.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "heed/core/error.h"

namespace heed {
namespace {

// The values that a weight may take, relative to that of the model.
struct Range {
  double least, most;
};

Range range_of(RerankFeature feature) {
  if (feature == RerankFeature::length) return {-4, 4};
  return {0, 4};
}

// Adds `factor` times other statistics.
void add(BleuStatistics& sum, const BleuStatistics& other, int64_t factor) {
  sum.hypothesis_length += factor * other.hypothesis_length;
  sum.reference_length += factor * other.reference_length;
  for (size_t n = 0; n < size_t(kBleuOrder); ++n) {
    sum.matches[n] += factor * other.matches[n];
    sum.totals[n] += factor * other.totals[n];
  }
}

// The score of a hypothesis as a function of one weight.
struct Line {
  double base, slope;
  size_t hypothesis;

  double at(double weight) const { return base + weight * slope; }
};

// At this weight another hypothesis of a list becomes the best.
struct Change {
  double at;
  const TuningList* list;
  size_t from, to;
};

// A weight in the middle, with few digits if there is room.
double between(double begin, double end) {
  const double middle = (begin + end) / 2, rounded = std::round(middle * 1000) / 1000;
  return begin < rounded && rounded < end ? rounded : middle;
}

// The statistics of the best hypotheses over all values of one weight.
class WeightSweep {
 public:
  WeightSweep(std::span<const TuningList> lists, const RerankValues& weights, RerankFeature feature)
      : range_(range_of(feature)) {
    for (const TuningList& list : lists) add_list(list, weights, size_t(feature));
    std::ranges::stable_sort(changes_, {}, &Change::at);
  }

  // Calls visit(statistics, weight) for each interval in which no hypothesis changes, with a weight
  // in its middle.
  void run(const std::function<void(const BleuStatistics&, double)>& visit) const {
    BleuStatistics sum = first_;
    double begin = range_.least;
    for (auto next = changes_.begin();;) {
      const double end = next == changes_.end() ? range_.most : next->at;
      if (end > begin) visit(sum, between(begin, end));
      if (next == changes_.end()) return;
      for (; next != changes_.end() && next->at == end; ++next) {
        add(sum, next->list->statistics[next->from], -1);
        add(sum, next->list->statistics[next->to], 1);
      }
      begin = end;
    }
  }

 private:
  void add_list(const TuningList& list, RerankValues weights, size_t feature) {
    weights[feature] = 0;
    std::vector<Line> lines;
    for (size_t i = 0; i < list.features.size(); ++i) {
      const HypothesisFeatures& hypothesis = list.features[i];
      if (hypothesis.is_scored)
        lines.push_back({rerank_score(hypothesis.values, weights), hypothesis.values[feature], i});
    }
    // As reranked() has it.
    if (lines.empty()) return add(first_, list.statistics.front(), 1);
    double at = range_.least;
    const Line* best = &*std::ranges::max_element(
        lines, {}, [at](const Line& line) { return std::pair(line.at(at), line.slope); });
    add(first_, list.statistics[best->hypothesis], 1);
    while (const Line* next = next_above(lines, *best, at)) {
      changes_.push_back({at, &list, best->hypothesis, next->hypothesis});
      best = next;
    }
  }

  // The line that rises above `best` first, and sets `at` to where it does; null if none does.
  const Line* next_above(const std::vector<Line>& lines, const Line& best, double& at) const {
    const Line* next = nullptr;
    double first = range_.most;
    for (const Line& line : lines) {
      if (line.slope <= best.slope) continue;
      const double crossing = std::max(at, (best.base - line.base) / (line.slope - best.slope));
      const bool steeper = next && crossing == first && line.slope > next->slope;
      if (crossing < first || steeper) first = crossing, next = &line;
    }
    at = first;
    return next;
  }

  const Range range_;
  BleuStatistics first_;  // where the weight is least
  std::vector<Change> changes_;
};

// Improves one weight after another until none gets better.
TunedWeights climb(std::span<const TuningList> lists, std::span<const RerankFeature> tuned,
                   const RerankValues& start, const BleuOptions& options) {
  constexpr int kMaxRounds = 20;
  TunedWeights best{start, bleu_of_reranked(lists, start, options)};
  for (int round = 0; round < kMaxRounds; ++round) {
    const double before = best.bleu;
    for (const RerankFeature feature : tuned) {
      double highest = -1;
      RerankValues weights = best.weights;
      WeightSweep(lists, best.weights, feature)
          .run([&](const BleuStatistics& statistics, double weight) {
            const double bleu = bleu_score(statistics, 1, options).score;
            if (bleu > highest) highest = bleu, weights[size_t(feature)] = weight;
          });
      // Rounding may decide otherwise than the sweep.
      const double bleu = bleu_of_reranked(lists, weights, options);
      if (bleu > best.bleu) best = {weights, bleu};
    }
    if (best.bleu <= before) break;
  }
  return best;
}

}  // namespace

double bleu_of_reranked(std::span<const TuningList> lists, const RerankValues& weights,
                        const BleuOptions& options) {
  BleuStatistics sum;
  for (const TuningList& list : lists)
    sum += list.statistics[reranked(list.features, weights).front()];
  return bleu_score(sum, 1, options).score;
}

TunedWeights tune_rerank_weights(std::span<const TuningList> lists,
                                 std::span<const RerankFeature> tuned, const BleuOptions& options) {
  TunedWeights best{.bleu = -1};
  for (const double beginning : {0.0, 0.3, 1.0}) {
    RerankValues start = {};
    start[size_t(RerankFeature::model)] = 1;
    for (const RerankFeature feature : tuned) start[size_t(feature)] = beginning;
    const TunedWeights found = climb(lists, tuned, start, options);
    if (found.bleu > best.bleu) best = found;
  }
  return best;
}

TunedWeights tune_rerank_weights(std::span<const TuningList> lists, const Reranker& reranker,
                                 const BleuOptions& options) {
  std::vector<RerankFeature> others;
  for (const auto& [name, feature] : enum_names(RerankFeature{}))
    if (feature != RerankFeature::model && reranker.has(feature)) others.push_back(feature);
  return tune_rerank_weights(lists, others, options);
}

std::vector<TuningList> tuning_lists(std::span<const NbestList> lists,
                                     std::vector<std::vector<HypothesisFeatures>> features,
                                     const Lines& references, const BleuOptions& options) {
  check(lists.size() == references.size() && lists.size() == features.size(),
        "a reference and values for each list");
  std::vector<TuningList> tuning;
  tuning.reserve(lists.size());
  for (size_t i = 0; i < lists.size(); ++i) {
    const std::vector<Lines> repeated{Lines(lists[i].hypotheses.size(), references[i])};
    tuning.push_back(
        {std::move(features[i]), bleu_statistics(lists[i].hypotheses, repeated, options)});
  }
  return tuning;
}

}  // namespace heed
