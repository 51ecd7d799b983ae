#include "heed/text/word_aligner.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "heed/core/error.h"

namespace heed {
namespace {

constexpr int kAlignerRounds = 8;
constexpr double kWithoutOrigin = 0.1;  // the probability that a token is the translation of none
constexpr float kUnseen = 1e-9F;        // of tokens that never occurred together

// How much a link counts that one direction alone expects.
constexpr double kAlone = 0.1;

// Counts of rare words are discounted as by a Dirichlet prior of this weight (variational Bayes,
// Riley and Gildea, 2012), which keeps them from taking the words of a whole sentence.
constexpr double kPrior = 0.1;

// The derivative of log gamma, by its recurrence and asymptotic series.
double digamma(double x) {
  double value = 0;
  for (; x < 6; x += 1) value -= 1 / x;
  const double r = 1 / (x * x);
  return value + std::log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r / 252));
}

}  // namespace

namespace detail {
namespace {

size_t place_of_jump(int32_t distance) {
  constexpr int32_t kMost = LinkModel::kMaxJump;
  return size_t(std::clamp(distance, -kMost, kMost) + kMost);
}

}  // namespace

// The probabilities of a pair: rows are tokens, columns their origins.
struct LinkModel::Lattice {
  size_t origins = 0, tokens = 0;
  std::vector<double> word;     // [tokens][origins]: of the token given the origin
  std::vector<double> without;  // [tokens]
  std::vector<double> move;     // [origins from][origins to], of a token that has an origin
  std::vector<double> start;    // [origins]
  // [tokens][origins]: by the tokens up to this one, that it has this origin, or none and that the
  // last that had one had this; and by the tokens after it.
  std::vector<double> here, kept, after;

  double* row(std::vector<double>& of, size_t token) const { return of.data() + token * origins; }
  const double* row(const std::vector<double>& of, size_t token) const {
    return of.data() + token * origins;
  }
  void run_forward();
  void run_backward();
  // Adds the expected moves to a token from the one before, which sum up to `share`.
  void add_moves(size_t token, double share, Jumps& jumps) const;
  // The probability of each origin of a token, and, last, of none.
  std::vector<double> posterior(size_t token) const;
};

void LinkModel::Lattice::run_forward() {
  here.assign(tokens * origins, 0);
  kept.assign(tokens * origins, 0);
  std::vector<double> before(origins);
  for (size_t t = 0; t < tokens; ++t) {
    double *h = row(here, t), *k = row(kept, t), sum = 0;
    const double* w = row(word, t);
    for (size_t from = 0; t > 0 && from < origins; ++from) {
      before[from] = row(here, t - 1)[from] + row(kept, t - 1)[from];
      const double* m = move.data() + from * origins;
      for (size_t to = 0; to < origins; ++to) h[to] += before[from] * m[to];
    }
    for (size_t i = 0; i < origins; ++i) {
      const double moved = t > 0 ? h[i] : start[i];
      h[i] = (1 - kWithoutOrigin) * moved * w[i];
      k[i] = kWithoutOrigin * (t > 0 ? before[i] : start[i]) * without[t];
      sum += h[i] + k[i];
    }
    for (size_t i = 0; i < origins; ++i) h[i] /= sum, k[i] /= sum;
  }
}

void LinkModel::Lattice::run_backward() {
  after.assign(tokens * origins, 1);
  std::vector<double> next(origins);
  for (size_t t = tokens - 1; t-- > 0;) {
    double *a = row(after, t), sum = 0;
    const double *later = row(after, t + 1), *w = row(word, t + 1);
    for (size_t i = 0; i < origins; ++i) next[i] = (1 - kWithoutOrigin) * w[i] * later[i];
    for (size_t from = 0; from < origins; ++from) {
      const double* m = move.data() + from * origins;
      double total = kWithoutOrigin * without[t + 1] * later[from];
      for (size_t to = 0; to < origins; ++to) total += m[to] * next[to];
      a[from] = total;
      sum += total;
    }
    for (size_t i = 0; i < origins; ++i) a[i] /= sum;
  }
}

void LinkModel::Lattice::add_moves(size_t token, double share, Jumps& jumps) const {
  const double *h = row(here, token - 1), *k = row(kept, token - 1), *w = row(word, token),
               *a = row(after, token);
  Jumps moves{};
  double sum = 0;
  for (size_t from = 0; from < origins; ++from) {
    constexpr double kLeast = 1e-6;  // what is less likely has next to no part
    const double before = h[from] + k[from];
    if (before < kLeast) continue;
    for (size_t to = 0; to < origins; ++to) {
      const double one = before * move[from * origins + to] * w[to] * a[to];
      moves[place_of_jump(int32_t(to) - int32_t(from))] += one;
      sum += one;
    }
  }
  for (size_t d = 0; sum > 0 && d < moves.size(); ++d) jumps[d] += share / sum * moves[d];
}

std::vector<double> LinkModel::Lattice::posterior(size_t token) const {
  std::vector<double> p(origins + 1);
  const double *h = row(here, token), *k = row(kept, token), *a = row(after, token);
  double sum = 0;
  for (size_t i = 0; i < origins; ++i) {
    p[i] = h[i] * a[i];
    p[origins] += k[i] * a[i];
    sum += p[i];
  }
  sum += p[origins];
  for (double& one : p) one /= sum;
  return p;
}

LinkModel::LinkModel(const std::vector<TokenPair>& pairs,
                     const std::vector<uint32_t>& cells_of_pairs,
                     const DenseIds<uint64_t, HashOfNumber>& cells, Given given)
    : cells_(cells), given_(given), probability_(cells.size(), 1) {
  TokenId most = 0;
  for (const TokenPair& pair : pairs)
    for (const TokenId token : tokens_of(pair)) most = std::max(most, token);
  without_.assign(size_t(most) + 1, 1);
  jumps_.fill(1);
  learn_words(pairs, cells_of_pairs);
}

const std::vector<TokenId>& LinkModel::origins_of(const TokenPair& pair) const {
  return given_ == Given::source ? pair.source : pair.target;
}

const std::vector<TokenId>& LinkModel::tokens_of(const TokenPair& pair) const {
  return given_ == Given::source ? pair.target : pair.source;
}

double LinkModel::jump(int32_t distance) const {
  return jumps_[place_of_jump(distance)];
}

// IBM model 1 (Brown et al., 1993): any origin is as likely as any other.
void LinkModel::learn_words(const std::vector<TokenPair>& pairs,
                            const std::vector<uint32_t>& cells) {
  for (int round = 0; round < kAlignerRounds; ++round) {
    Counts counts = no_counts();
    const uint32_t* first = cells.data();
    for (const TokenPair& pair : pairs) {
      const size_t origins = origins_of(pair).size(), targets = pair.target.size();
      const auto cell = [&](size_t token, size_t origin) {
        return given_ == Given::source ? first[origin * targets + token]
                                       : first[token * targets + origin];
      };
      for (size_t t = 0; t < tokens_of(pair).size(); ++t) {
        const auto id = size_t(tokens_of(pair)[t]);
        const double share = (1 - kWithoutOrigin) / double(origins);
        double sum = kWithoutOrigin * double(without_[id]);
        for (size_t i = 0; i < origins; ++i) sum += share * double(probability_[cell(t, i)]);
        counts.without[id] += kWithoutOrigin * double(without_[id]) / sum;
        for (size_t i = 0; i < origins; ++i)
          counts.cells[cell(t, i)] += share * double(probability_[cell(t, i)]) / sum;
      }
      first += pair.source.size() * targets;
    }
    set(counts);
  }
}

LinkModel::Counts LinkModel::no_counts() const {
  Counts counts{std::vector<double>(probability_.size()), std::vector<double>(without_.size()), {}};
  counts.jumps.fill(0.1);  // so that no jump is impossible
  return counts;
}

LinkModel::Expected LinkModel::expected(const TokenPair& pair, const uint32_t* cells) const {
  Lattice lattice;
  fill(pair, cells, lattice);
  const size_t origins = lattice.origins;
  Expected all;
  all.links.reserve(lattice.tokens * origins);
  for (size_t t = 0; t < lattice.tokens; ++t) {
    const std::vector<double> p = lattice.posterior(t);
    all.links.insert(all.links.end(), p.begin(), p.end() - 1);
    all.without.push_back(p.back());
    if (t > 0) lattice.add_moves(t, 1 - p.back(), all.jumps);
  }
  return all;
}

std::vector<int32_t> LinkModel::origins(const TokenPair& pair) const {
  Lattice lattice;
  fill(pair, nullptr, lattice);
  std::vector<int32_t> found(lattice.tokens, -1);
  for (size_t t = 0; t < lattice.tokens; ++t) {
    const std::vector<double> p = lattice.posterior(t);
    double most = p.back();
    for (size_t i = 0; i < lattice.origins; ++i)
      if (p[i] > most) most = p[i], found[t] = int32_t(i);
  }
  return found;
}

void LinkModel::Counts::add(const Expected& pair, const std::vector<TokenId>& tokens) {
  for (size_t t = 0; t < tokens.size(); ++t) without[size_t(tokens[t])] += pair.without[t];
  for (size_t d = 0; d < jumps.size(); ++d) jumps[d] += pair.jumps[d];
}

void LinkModel::set(const Counts& counts) {
  const auto origin_of = [&](size_t cell) {
    const uint64_t key = cells_.key(uint32_t(cell));
    return size_t(given_ == Given::source ? key >> 32 : key & UINT32_MAX);
  };
  std::vector<double> total;
  std::vector<int64_t> kinds;
  for (size_t cell = 0; cell < counts.cells.size(); ++cell) {
    const size_t origin = origin_of(cell);
    if (origin >= total.size()) total.resize(origin + 1), kinds.resize(origin + 1);
    total[origin] += counts.cells[cell];
    ++kinds[origin];
  }
  const auto discounted = [](double count, double of, double number) {
    return float(std::exp(digamma(count + kPrior) - digamma(of + kPrior * number)));
  };
  for (size_t cell = 0; cell < counts.cells.size(); ++cell) {
    const size_t origin = origin_of(cell);
    probability_[cell] = discounted(counts.cells[cell], total[origin], double(kinds[origin]));
  }
  double all = 0;
  for (const double count : counts.without) all += count;
  for (size_t token = 0; token < without_.size(); ++token)
    without_[token] = discounted(counts.without[token], all, double(without_.size()));
  const double jumps = std::accumulate(counts.jumps.begin(), counts.jumps.end(), 0.0);
  for (size_t d = 0; d < jumps_.size(); ++d) jumps_[d] = counts.jumps[d] / jumps;
}

void LinkModel::fill(const TokenPair& pair, const uint32_t* cells, Lattice& lattice) const {
  const std::vector<TokenId>&origins = origins_of(pair), &tokens = tokens_of(pair);
  const size_t n = origins.size();
  lattice.origins = n;
  lattice.tokens = tokens.size();
  lattice.word.resize(n * tokens.size());
  lattice.without.resize(tokens.size());
  for (size_t t = 0; t < tokens.size(); ++t) {
    lattice.without[t] =
        size_t(tokens[t]) < without_.size() ? double(without_[size_t(tokens[t])]) : double(kUnseen);
    lattice.without[t] = std::max(lattice.without[t], double(kUnseen));
    for (size_t i = 0; i < n; ++i) {
      const size_t s = given_ == Given::source ? i : t, target = given_ == Given::source ? t : i;
      float p = kUnseen;
      if (cells != nullptr) {
        p = probability_[cells[s * pair.target.size() + target]];
      } else if (const auto cell = cells_.find(link_key(pair.source[s], pair.target[target]))) {
        p = probability_[*cell];
      }
      lattice.word[t * n + i] = std::max(double(p), double(kUnseen));
    }
  }
  const auto moves_from = [&](int32_t from, double* row) {
    double sum = 0;
    for (size_t to = 0; to < n; ++to) sum += row[to] = jump(int32_t(to) - from);
    for (size_t to = 0; to < n; ++to) row[to] /= sum;
  };
  lattice.start.resize(n);
  moves_from(-1, lattice.start.data());
  lattice.move.resize(n * n);
  for (size_t from = 0; from < n; ++from) moves_from(int32_t(from), lattice.move.data() + from * n);
  lattice.run_forward();
  lattice.run_backward();
}

}  // namespace detail

WordAligner::WordAligner(const std::vector<TokenPair>& pairs, Workers& workers) {
  std::vector<uint32_t> cells;  // of all pairs, [source][target]
  std::vector<TokenPair> learned;
  double token_pairs = 0;
  for (const TokenPair& pair : pairs) {
    const size_t sources = pair.source.size(), targets = pair.target.size();
    if (sources == 0 || targets == 0 || std::max(sources, targets) > kMaxTokens) continue;
    token_pairs += double(sources) * double(targets);
    if (token_pairs > kMaxTokenPairs) break;
    learned.push_back(pair);
    for (const TokenId source : pair.source)
      for (const TokenId target : pair.target)
        cells.push_back(cells_.id_of(detail::link_key(source, target)));
  }
  std::array<std::optional<detail::LinkModel>, 2> models;
  workers.run(2, [&](int64_t i, int) {
    models[size_t(i)].emplace(
        learned, cells, cells_,
        i == 0 ? detail::LinkModel::Given::source : detail::LinkModel::Given::target);
  });
  for (auto& model : models) models_.push_back(std::move(*model));
  for (int round = 0; round < kAlignerRounds; ++round) learn_together(learned, cells, workers);
}

// A link that only one direction expects counts little: alone, each would explain a rare word by
// whatever stands near it. Such links do count, unlike in "Alignment by agreement" (Liang et al.,
// 2006), since a word may be several of the other language, which only one direction can say.
void WordAligner::learn_together(const std::vector<TokenPair>& pairs,
                                 const std::vector<uint32_t>& cells, Workers& workers) {
  constexpr size_t kBlock = 512;  // pairs that are computed on all workers, then added in order
  std::array<detail::LinkModel::Counts, 2> counts{models_[0].no_counts(), models_[1].no_counts()};
  std::vector<std::array<detail::LinkModel::Expected, 2>> block;
  std::vector<const uint32_t*> first;
  const uint32_t* next = cells.data();
  for (size_t begin = 0; begin < pairs.size(); begin += kBlock) {
    block.assign(std::min(kBlock, pairs.size() - begin), {});
    first.clear();
    for (size_t i = 0; i < block.size(); ++i) {
      first.push_back(next);
      next += pairs[begin + i].source.size() * pairs[begin + i].target.size();
    }
    workers.run(int64_t(block.size()), [&](int64_t i, int) {
      for (size_t m = 0; m < 2; ++m)
        block[size_t(i)][m] = models_[m].expected(pairs[begin + size_t(i)], first[size_t(i)]);
    });
    for (size_t i = 0; i < block.size(); ++i) {
      const TokenPair& pair = pairs[begin + i];
      const size_t sources = pair.source.size(), targets = pair.target.size();
      counts[0].add(block[i][0], pair.target);
      counts[1].add(block[i][1], pair.source);
      for (size_t s = 0; s < sources; ++s)
        for (size_t t = 0; t < targets; ++t) {
          const uint32_t cell = first[i][s * targets + t];
          const double forward = block[i][0].links[t * sources + s];
          const double backward = block[i][1].links[s * targets + t];
          counts[0].cells[cell] += forward * (kAlone + (1 - kAlone) * backward);
          counts[1].cells[cell] += backward * (kAlone + (1 - kAlone) * forward);
        }
    }
  }
  for (size_t m = 0; m < 2; ++m) models_[m].set(counts[m]);
}

std::vector<WordLink> WordAligner::links(const TokenPair& pair,
                                         Symmetrization symmetrization) const {
  const size_t shorter = std::min(pair.source.size(), pair.target.size());
  const size_t longer = std::max(pair.source.size(), pair.target.size());
  if (shorter == 0 || longer > kMaxTokens) return {};
  return symmetrized(models_[0].origins(pair), models_[1].origins(pair), symmetrization);
}

namespace {

// Adds links of `all` to `kept`: neighbours of kept ones, then those of tokens without any.
class Growing {
 public:
  Growing(const std::set<WordLink>& all, std::set<WordLink>& kept, size_t sources, size_t targets)
      : all_(all), kept_(kept), has_source_(sources), has_target_(targets) {
    for (const WordLink& link : kept_) mark(link);
  }

  void grow_diagonally() {
    for (bool added = true; added;) {
      added = false;
      for (const WordLink& link : std::set<WordLink>(kept_))
        for (int32_t s = -1; s <= 1; ++s)
          for (int32_t t = -1; t <= 1; ++t) {
            const WordLink near{link.source + s, link.target + t};
            if (all_.count(near) == 0 || kept_.count(near) > 0 ||
                (has_source_[size_t(near.source)] && has_target_[size_t(near.target)]))
              continue;
            add(near);
            added = true;
          }
    }
  }
  void add_last(const std::vector<WordLink>& links) {
    for (const WordLink& link : links)
      if (!has_source_[size_t(link.source)] && !has_target_[size_t(link.target)]) add(link);
  }

 private:
  void mark(const WordLink& link) {
    has_source_[size_t(link.source)] = has_target_[size_t(link.target)] = true;
  }
  void add(const WordLink& link) {
    kept_.insert(link);
    mark(link);
  }

  const std::set<WordLink>& all_;
  std::set<WordLink>& kept_;
  std::vector<bool> has_source_, has_target_;
};

}  // namespace

std::vector<WordLink> symmetrized(const std::vector<int32_t>& source_of_target,
                                  const std::vector<int32_t>& target_of_source,
                                  Symmetrization symmetrization) {
  std::vector<WordLink> forward, backward;
  for (size_t t = 0; t < source_of_target.size(); ++t)
    if (source_of_target[t] >= 0) forward.push_back({source_of_target[t], int32_t(t)});
  for (size_t s = 0; s < target_of_source.size(); ++s)
    if (target_of_source[s] >= 0) backward.push_back({int32_t(s), target_of_source[s]});
  std::set<WordLink> all(forward.begin(), forward.end()), kept;
  for (const WordLink& link : backward)
    if (!all.insert(link).second) kept.insert(link);
  switch (symmetrization) {
    case Symmetrization::intersection:
      break;
    case Symmetrization::merged:
      kept = all;
      break;
    case Symmetrization::source_target:
      kept = {forward.begin(), forward.end()};
      break;
    case Symmetrization::target_source:
      kept = {backward.begin(), backward.end()};
      break;
    case Symmetrization::grow_diag_final_and:
      Growing growing(all, kept, target_of_source.size(), source_of_target.size());
      growing.grow_diagonally();
      growing.add_last(forward);
      growing.add_last(backward);
  }
  std::vector<WordLink> links(kept.begin(), kept.end());
  std::ranges::sort(links, {},
                    [](const WordLink& link) { return std::pair(link.target, link.source); });
  return links;
}

}  // namespace heed
