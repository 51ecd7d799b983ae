// Word alignment of sentence pairs, learned from the pairs alone: a hidden Markov model of each
// direction (Vogel et al., 1996), in which each token of one side is the translation of one of the
// other, near that of the token before it, or of none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/core/dense_ids.h"
#include "heed/core/parallel.h"
#include "heed/text/word_link.h"
#include "heed/text/word_links.h"

namespace heed {

// The links that are kept of the two directions: those of one, of both, of either; or those of both
// and, of the others, neighbours of kept ones, then those of two tokens without a link (Koehn et
// al., 2003).
enum class Symmetrization {
  grow_diag_final_and,
  intersection,
  merged,
  source_target,
  target_source
};
constexpr std::array<std::pair<std::string_view, Symmetrization>, 5> enum_names(Symmetrization) {
  return {{{"grow-diag-final-and", Symmetrization::grow_diag_final_and},
           {"intersection", Symmetrization::intersection},
           {"union", Symmetrization::merged},
           {"source-target", Symmetrization::source_target},
           {"target-source", Symmetrization::target_source}}};
}

namespace detail {

// The model of one direction: the tokens of one side given those of the other, their origins.
class LinkModel {
 public:
  enum class Given { source, target };
  // The longest jump from one origin to the next that has a probability of its own.
  static constexpr int32_t kMaxJump = 60;

  LinkModel(const std::vector<TokenPair>& pairs, const std::vector<uint32_t>& cells_of_pairs,
            const DenseIds<uint64_t, HashOfNumber>& cells, Given given);

  using Jumps = std::array<double, size_t(2) * kMaxJump + 1>;
  // The sums over all ways to align a pair.
  struct Expected {
    std::vector<double> links;    // [tokens][origins]: the probability of each
    std::vector<double> without;  // [tokens]: that it has no origin
    Jumps jumps{};                // by distance
  };
  // Sums over pairs.
  struct Counts {
    std::vector<double> cells, without;
    Jumps jumps{};

    // Adds all but the cells.
    void add(const Expected& pair, const std::vector<TokenId>& tokens);
  };

  // `cells` are those of the pair, [source][target].
  Expected expected(const TokenPair& pair, const uint32_t* cells) const;
  // For each token the likeliest origin, by all ways to align the others; -1 for none.
  std::vector<int32_t> origins(const TokenPair& pair) const;
  Counts no_counts() const;
  // Takes the probabilities that these counts have.
  void set(const Counts& counts);

 private:
  struct Lattice;
  void learn_words(const std::vector<TokenPair>& pairs, const std::vector<uint32_t>& cells);
  double jump(int32_t distance) const;
  // Fills the lattice of a pair. `cells` as above; null: they are looked up.
  void fill(const TokenPair& pair, const uint32_t* cells, Lattice& lattice) const;
  const std::vector<TokenId>& origins_of(const TokenPair& pair) const;
  const std::vector<TokenId>& tokens_of(const TokenPair& pair) const;

  const DenseIds<uint64_t, HashOfNumber>& cells_;
  const Given given_;
  std::vector<float> probability_;  // by cell: of the token given the origin
  std::vector<float> without_;      // by token: given that it has no origin
  Jumps jumps_{};
};

}  // namespace detail

// Const: any number of threads may align.
class WordAligner {
 public:
  // The sum of source length times target length from which no more pairs are learned from: memory
  // is about 20 bytes for each.
  static constexpr double kMaxTokenPairs = 5e7;
  // Sides of more tokens are not aligned: the time grows with the cube of their length.
  static constexpr size_t kMaxTokens = 1000;

  // Learns from the pairs. The result does not depend on the number of workers.
  WordAligner(const std::vector<TokenPair>& pairs, Workers& workers);
  WordAligner(const WordAligner&) = delete;  // the models refer to the cells
  WordAligner& operator=(const WordAligner&) = delete;

  // In the order of the target, then of the source. None for a pair with a side that is empty or
  // longer than kMaxTokens.
  std::vector<WordLink> links(const TokenPair& pair, Symmetrization symmetrization) const;

 private:
  void learn_together(const std::vector<TokenPair>& pairs, const std::vector<uint32_t>& cells,
                      Workers& workers);

  detail::DenseIds<uint64_t, detail::HashOfNumber> cells_;  // source and target ids that co-occur
  std::vector<detail::LinkModel> models_;                   // given the source, given the target
};

// Joins two directions, each for every token of a side its place on the other or -1.
std::vector<WordLink> symmetrized(const std::vector<int32_t>& source_of_target,
                                  const std::vector<int32_t>& target_of_source,
                                  Symmetrization symmetrization);

}  // namespace heed
