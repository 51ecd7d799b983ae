// The hypotheses that a search considered for one sentence, as a tree.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/core/ragged.h"

namespace heed {

// The fate of a hypothesis at the step that made it.
enum class HypothesisFate {
  kept,     // in the beam, or sampled
  dropped,  // considered, and less probable than those in the beam
  ended,    // with </s>
  forced    // part of the forced prefix
};
constexpr auto enum_names(HypothesisFate) {
  return std::array<std::pair<std::string_view, HypothesisFate>, 4>{
      {{"kept", HypothesisFate::kept},
       {"dropped", HypothesisFate::dropped},
       {"ended", HypothesisFate::ended},
       {"forced", HypothesisFate::forced}}};
}

// A hypothesis: that of its parent, and one more token.
struct SearchNode {
  int64_t parent = -1;  // of SearchTrace::nodes; -1: this is the first token
  TokenId id = 0;
  double log_probability = 0;  // of this token, by the model
  double sum = 0;              // of all tokens so far
  // The score by which hypotheses were compared: the sum less the diversity penalty. Of those that
  // have ended, and of results, Hypothesis::score.
  double score = 0;
  HypothesisFate fate = HypothesisFate::kept;
  int64_t group = 0;  // of diverse beam search; the number of a sample
};

struct TokenLogProbability {
  TokenId id = 0;
  double log_probability = 0;
};

// Recording changes no result. Hypothesis::node has the nodes of the results.
struct SearchTrace {
  // How many of the likeliest next tokens are recorded.
  static constexpr int64_t kLikeliest = 8;

  std::vector<SearchNode> nodes;
  // The likeliest tokens after each node that was continued, best first; of the start: -1.
  std::map<int64_t, std::vector<TokenLogProbability>> likeliest;

  // The node's number.
  int64_t add(const SearchNode& node) {
    nodes.push_back(node);
    return int64_t(nodes.size()) - 1;
  }
  // Records at most kLikeliest of these, which are the likeliest after `node`, best first.
  void set_likeliest(int64_t node, std::span<const TokenId> ids, std::span<const float> values) {
    std::vector<TokenLogProbability>& tokens = likeliest[node];
    if (!tokens.empty()) return;
    for (size_t i = 0; i < std::min(ids.size(), size_t(kLikeliest)); ++i)
      tokens.push_back({ids[i], double(values[i])});
  }
};

}  // namespace heed
