// Variations of sentence pairs as users write them: in capitals, without a full stop, with typing
// errors, with codes among the words. A model that learned from edited text alone loses much on
// them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/core/rng.h"

namespace heed {

enum class Variation { upper, title, unpunctuated, typos, joined, noise };
constexpr std::array<std::pair<std::string_view, Variation>, 6> enum_names(Variation) {
  return {{{"upper", Variation::upper},
           {"title", Variation::title},
           {"unpunctuated", Variation::unpunctuated},
           {"typos", Variation::typos},
           {"joined", Variation::joined},
           {"noise", Variation::noise}}};
}
inline constexpr size_t kVariations = 6;

// Whether a variation is one of case, so that its translations are scored without case.
constexpr bool is_of_case(Variation variation) {
  return variation == Variation::upper || variation == Variation::title;
}

struct LinePair {
  std::string source, target;

  bool operator==(const LinePair&) const = default;
};

// The pair varied; the same pair where there is nothing to vary. Placeholders, tags, paths, and
// words with digits stay as they are.
//   upper, title     both sides in capitals, or with a capital for each word
//   unpunctuated     both sides without the punctuation at their end
//   typos            the source with letters swapped, lost, doubled or replaced, in about one of
//                    seven words, at least one
//   joined           followed by `other`, on both sides
//   noise            a web address, code, number, placeholder or emoji before or behind both sides
LinePair varied(Variation variation, const LinePair& pair, const LinePair& other, Random& random);

// --vary: names of variations, each with its share of the pairs ("typos=0.1"), or without: that of
// kUsualShare.
class VariationShares {
 public:
  static constexpr double kUsualShare = 0.05;

  VariationShares() = default;
  // UsageError: a name or number that is wrong, a name that is given twice, a sum above 1.
  explicit VariationShares(const std::vector<std::string>& words);

  double of(Variation variation) const { return shares_[size_t(variation)]; }
  bool any() const;
  // The variation of a pair by a number that is uniform in [0, 1); -1: none.
  int drawn_by(double number) const;

 private:
  std::array<double, kVariations> shares_{};
};

// The variations of --vary where they have no shares, and a test set is varied, which excludes
// joined. UsageError as above.
std::vector<Variation> variations_named(const std::vector<std::string>& words);

}  // namespace heed
