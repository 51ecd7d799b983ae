#include "heed/text/word_links.h"

#include <algorithm>

namespace heed {
namespace {

constexpr int kRounds = 5;

// The place of the one greatest of `count` values; -1 if none is above zero or two are equal.
template <class Value>
int32_t only_greatest(size_t count, const Value& value) {
  int32_t best = -1;
  double most = 0;
  bool alone = false;
  for (size_t i = 0; i < count; ++i) {
    const double one = value(i);
    if (one > most) {
      most = one;
      best = int32_t(i);
      alone = true;
    } else if (one == most) {
      alone = false;
    }
  }
  return alone ? best : -1;
}

}  // namespace

WordLinks::WordLinks(const std::vector<TokenPair>& pairs) {
  std::vector<uint32_t> cells;  // of all pairs, [source][target]
  for (const TokenPair& pair : pairs)
    for (const TokenId source : pair.source)
      for (const TokenId target : pair.target)
        cells.push_back(cells_.id_of(detail::link_key(source, target)));
  of_target_ = learn(pairs, cells, Given::source);
  of_source_ = learn(pairs, cells, Given::target);
}

std::vector<double> WordLinks::learn(const std::vector<TokenPair>& pairs,
                                     const std::vector<uint32_t>& cells, Given given) const {
  const auto condition = [&](size_t cell) {
    const uint64_t key = cells_.key(uint32_t(cell));
    return size_t(given == Given::source ? key >> 32 : key & UINT32_MAX);
  };
  size_t conditions = 0;
  for (size_t cell = 0; cell < cells_.size(); ++cell)
    conditions = std::max(conditions, condition(cell) + 1);
  std::vector<double> probability(cells_.size(), 1), count(cells_.size()), total(conditions);
  for (int round = 0; round < kRounds; ++round) {
    std::ranges::fill(count, 0);
    std::ranges::fill(total, 0);
    const uint32_t* first = cells.data();
    for (const TokenPair& pair : pairs) {
      // Each token of one side is shared among those of the other side that may be its origin.
      const size_t sources = pair.source.size(), targets = pair.target.size();
      const bool by_target = given == Given::source;
      const size_t shared = by_target ? targets : sources, origins = by_target ? sources : targets;
      const size_t step = by_target ? targets : 1, stride = by_target ? 1 : targets;
      for (size_t token = 0; token < shared; ++token) {
        double sum = 0;
        for (size_t i = 0; i < origins; ++i) sum += probability[first[token * stride + i * step]];
        for (size_t i = 0; i < origins; ++i) {
          const uint32_t cell = first[token * stride + i * step];
          count[cell] += probability[cell] / sum;
        }
      }
      first += sources * targets;
    }
    for (size_t cell = 0; cell < cells_.size(); ++cell) total[condition(cell)] += count[cell];
    for (size_t cell = 0; cell < cells_.size(); ++cell)
      probability[cell] = count[cell] / total[condition(cell)];
  }
  return probability;
}

std::vector<int32_t> WordLinks::of(const TokenPair& pair) const {
  const auto value = [&](const std::vector<double>& probability, size_t source, size_t target) {
    const auto cell = cells_.find(detail::link_key(pair.source[source], pair.target[target]));
    return cell ? probability[*cell] : 0;
  };
  std::vector<int32_t> links(pair.target.size(), -1);
  for (size_t t = 0; t < links.size(); ++t) {
    const int32_t source =
        only_greatest(pair.source.size(), [&](size_t s) { return value(of_target_, s, t); });
    if (source < 0) continue;
    const int32_t target = only_greatest(
        pair.target.size(), [&](size_t i) { return value(of_source_, size_t(source), i); });
    if (target == int32_t(t)) links[t] = source;
  }
  return links;
}

}  // namespace heed
