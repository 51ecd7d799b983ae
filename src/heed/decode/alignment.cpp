#include "heed/decode/alignment.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/text/tokenizer.h"

namespace heed {
namespace {

constexpr std::string_view kEnd = "</s>";

// The unit of each piece, counted from 0; -1 for </s>.
std::vector<int64_t> units_of(const std::vector<std::string>& pieces, AlignmentUnit unit) {
  std::vector<int64_t> units;
  int64_t count = 0;
  bool begins = true;
  for (const std::string& piece : pieces) {
    if (piece == kEnd) {
      units.push_back(-1);
      begins = true;
      continue;
    }
    if (begins || unit == AlignmentUnit::pieces || piece.starts_with(kSpaceSymbol)) ++count;
    begins = false;
    units.push_back(count - 1);
  }
  return units;
}

int64_t count_of(const std::vector<int64_t>& units) {
  return units.empty() ? 0 : *std::max_element(units.begin(), units.end()) + 1;
}

}  // namespace

void append(AttentionWeights& all, const AttentionWeights& part) {
  const size_t before = all.empty() ? 0 : all.front().size();
  const size_t columns = part.empty() ? 0 : part.front().size();
  for (auto& row : all) row.resize(before + columns, 0.0f);
  for (const auto& row : part) {
    all.emplace_back(before, 0.0f);
    all.back().insert(all.back().end(), row.begin(), row.end());
  }
}

Aligner::Aligner(const Transformer& model, Backend& backend) : model_(model), backend_(backend) {}

std::vector<AttentionWeights> Aligner::weights(const std::vector<TokenId>& source,
                                               const std::vector<std::vector<TokenId>>& targets) {
  const ModelConfig& config = model_.config();
  const int64_t layer = std::max<int64_t>(0, config.decoder_layers - 2);
  Pass pass(backend_, pool_);
  Tokens from;
  from.add(source);
  const Memory memory = model_.encode(pass, from);
  std::vector<AttentionWeights> all;
  for (const std::vector<TokenId>& target : targets) {
    AttentionWeights& weights = all.emplace_back();
    if (target.empty()) continue;
    // The row that predicts a token is the row of the token before it.
    std::vector<TokenId> sequence = {config.pad_id()};
    sequence.insert(sequence.end(), target.begin(), target.end() - 1);
    Tokens to;
    to.add(sequence);
    const std::vector<double> values = model_.cross_attention(pass, to, memory, layer);
    for (size_t t = 0; t < target.size(); ++t) {
      const auto row = values.begin() + ptrdiff_t(t * source.size());
      weights.emplace_back(row, row + ptrdiff_t(source.size()));
    }
  }
  return all;
}

std::string alignment_pairs(const std::vector<std::string>& source_pieces,
                            const std::vector<std::string>& target_pieces,
                            const AttentionWeights& weights, AlignmentUnit unit) {
  const std::vector<int64_t> from = units_of(source_pieces, unit);
  const std::vector<int64_t> to = units_of(target_pieces, unit);
  check(weights.size() == to.size(), "a row of weights for each target piece");
  std::vector<std::vector<double>> sums(size_t(count_of(to)),
                                        std::vector<double>(size_t(count_of(from)), 0));
  for (size_t t = 0; t < to.size(); ++t)
    for (size_t s = 0; s < from.size() && to[t] >= 0; ++s)
      if (from[s] >= 0) sums[size_t(to[t])][size_t(from[s])] += double(weights[t][s]);
  std::string pairs;
  for (size_t j = 0; j < sums.size() && !sums[j].empty(); ++j) {
    const auto best = std::max_element(sums[j].begin(), sums[j].end()) - sums[j].begin();
    pairs += fmt::format("{}{}-{}", pairs.empty() ? "" : " ", best, j);
  }
  return pairs;
}

}  // namespace heed
