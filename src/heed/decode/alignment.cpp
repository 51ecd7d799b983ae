#include "heed/decode/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/core/scripts.h"
#include "heed/core/utf8.h"
#include "heed/decode/finite.h"
#include "heed/text/byte_pieces.h"

namespace heed {
namespace {

constexpr char32_t kSpace = U'\u2581';  // kSpaceSymbol of text/tokenizer.h
constexpr std::string_view kEnd = "</s>";

// Consecutive units; empty if begin is end.
struct UnitRange {
  int64_t begin = 0, end = 0;
};

// Counts units along a text.
class UnitCounter {
 public:
  // The units of the next characters of the text, which are in the same token.
  UnitRange add(std::u32string_view characters) {
    int64_t begin = count_;
    for (size_t i = 0; i < characters.size(); ++i) {
      const bool space = characters[i] == kSpace, unspaced = is_unspaced(characters[i]);
      const bool new_unit = space      ? i == 0 || takes_ != Takes::any
                            : unspaced ? takes_ != Takes::any
                                       : takes_ == Takes::nothing;
      if (new_unit) ++count_;
      if (i == 0) begin = count_ - 1;
      takes_ = space ? Takes::any : unspaced ? Takes::nothing : Takes::spaced;
    }
    return {begin, count_};
  }
  // Completes the last unit.
  void end() { takes_ = Takes::nothing; }

 private:
  // What can be added to the last unit: nothing, any character after its space, or characters of
  // text with spaces.
  enum class Takes { nothing, any, spaced } takes_ = Takes::nothing;
  int64_t count_ = 0;
};

// The bytes of the byte pieces from `at` to the first other piece.
std::string byte_run(const std::vector<std::string>& pieces, size_t at) {
  std::string bytes;
  for (; at < pieces.size(); ++at) {
    const auto byte = byte_of(pieces[at]);
    if (!byte) break;
    bytes += char(*byte);
  }
  return bytes;
}

// The units, counted from 0, of the characters of each piece; empty for </s>. Byte pieces have the
// unit of the character that they are part of.
std::vector<UnitRange> units_of(const std::vector<std::string>& pieces, AlignmentUnit unit) {
  UnitCounter counter;
  std::vector<UnitRange> units;
  while (units.size() < pieces.size()) {
    const std::string& piece = pieces[units.size()];
    if (piece == kEnd || piece.empty()) {
      units.emplace_back();
      if (piece == kEnd) counter.end();
    } else if (unit == AlignmentUnit::tokens) {
      units.push_back(counter.add(std::u32string(1, kSpace)));
    } else if (const std::string bytes = byte_run(pieces, units.size()); !bytes.empty()) {
      for (size_t at = 0; at < bytes.size();) {
        const Utf8Character character = first_utf8_character(std::string_view(bytes).substr(at));
        units.insert(units.end(), character.bytes, counter.add({&character.value, 1}));
        at += character.bytes;
      }
    } else {
      units.push_back(counter.add(decode_utf8(piece)));
    }
  }
  return units;
}

// Pieces that share units: the source side of a pair.
struct Segments {
  std::vector<UnitRange> units;  // of each segment
  std::vector<int64_t> of;       // the segment of each piece; -1 for </s>

  explicit Segments(const std::vector<UnitRange>& pieces) {
    for (const UnitRange& range : pieces) {
      if (range.begin == range.end) {
        of.push_back(-1);
        continue;
      }
      if (units.empty() || range.begin >= units.back().end)
        units.push_back(range);
      else
        units.back().end = range.end;
      of.push_back(int64_t(units.size()) - 1);
    }
  }
};

// Sums of the weights of one target unit over segments.
class SegmentSums {
 public:
  void add(const AttentionRow& row, const Segments& from) {
    for (size_t i = 0; i < row.weights.size(); ++i) {
      const int64_t segment = from.of[row.offset + i];
      if (segment < 0) continue;
      if (sums_.empty()) first_ = segment;
      check(segment >= first_, "rows of weights in the order of their source tokens");
      sums_.resize(std::max(sums_.size(), size_t(segment - first_) + 1));
      sums_[size_t(segment - first_)] += double(row.weights[i]);
    }
  }
  // The segment of the greatest sum, the first of equals; -1 without any segment.
  int64_t best() const {
    if (sums_.empty()) return -1;
    return first_ + (std::max_element(sums_.begin(), sums_.end()) - sums_.begin());
  }

 private:
  int64_t first_ = 0;
  std::vector<double> sums_;
};

}  // namespace

void detail::append(AttentionWeights& all, AttentionWeights part, size_t before) {
  for (AttentionRow& row : part) {
    row.offset += before;
    all.push_back(std::move(row));
  }
}

Aligner::Aligner(const Transformer& model, Backend& backend)
    : model_(model), backend_(backend), pool_(backend.memory()) {}

std::vector<AttentionWeights> Aligner::weights(const std::vector<TokenId>& source,
                                               const std::vector<std::vector<TokenId>>& targets) {
  const ModelConfig& config = model_.config();
  const int64_t layer = std::max<int64_t>(0, config.decoder_layers - 2);
  ForwardPass pass(backend_, pool_);
  Tokens from;
  from.add(source);
  const EncoderOutput memory = model_.encode(pass, from);
  std::vector<AttentionWeights> all;
  for (const std::vector<TokenId>& target : targets) {
    AttentionWeights& weights = all.emplace_back();
    if (target.empty()) continue;
    // The row that predicts a token is the row of the token before it.
    std::vector<TokenId> sequence = {config.pad_id()};
    sequence.insert(sequence.end(), target.begin(), target.end() - 1);
    Tokens to;
    to.add(sequence);
    CapturedAttention captured;
    captured.request(AttentionSite::cross, layer);
    model_.decode(pass, to, memory, &captured);
    const std::vector<double> values = captured.at(AttentionSite::cross, layer).mean_over_heads(0);
    for (const double value : values) expect_finite(value);
    for (size_t t = 0; t < target.size(); ++t) {
      const auto row = values.begin() + ptrdiff_t(t * source.size());
      weights.push_back({0, {row, row + ptrdiff_t(source.size())}});
    }
  }
  return all;
}

std::vector<std::vector<double>> rounded(const AttentionWeights& weights) {
  std::vector<std::vector<double>> rows;
  rows.reserve(weights.size());
  for (const AttentionRow& row : weights) {
    std::vector<double>& numbers = rows.emplace_back();
    numbers.reserve(row.weights.size());
    for (const float weight : row.weights)
      numbers.push_back(std::round(double(weight) * 1e4) / 1e4);
  }
  return rows;
}

std::vector<PieceRange> word_pieces(const std::vector<std::string>& pieces) {
  const std::vector<UnitRange> units = units_of(pieces, AlignmentUnit::words);
  std::vector<PieceRange> words;
  for (size_t piece = 0; piece < units.size(); ++piece) {
    for (int64_t unit = units[piece].begin; unit < units[piece].end; ++unit) {
      if (size_t(unit) >= words.size()) words.resize(size_t(unit) + 1, {int64_t(piece), 0});
      words[size_t(unit)].end = int64_t(piece) + 1;
    }
  }
  return words;
}

std::vector<AlignedPair> aligned_pairs(const std::vector<std::string>& source_pieces,
                                       const std::vector<std::string>& target_pieces,
                                       const AttentionWeights& weights, AlignmentUnit kind) {
  const Segments from(units_of(source_pieces, kind));
  const std::vector<UnitRange> to = units_of(target_pieces, kind);
  check(weights.size() == to.size(), "a row of weights for each target piece");
  std::vector<AlignedPair> pairs;
  size_t next = 0;  // the first target piece of the unit
  for (int64_t unit = 0;; ++unit) {
    while (next < to.size() && to[next].end <= unit) ++next;
    if (next == to.size()) return pairs;
    SegmentSums sums;
    for (size_t t = next; t < to.size() && to[t].begin <= unit; ++t)
      if (to[t].end > unit) sums.add(weights[t], from);
    if (sums.best() < 0) continue;
    const UnitRange& looked_at = from.units[size_t(sums.best())];
    for (int64_t i = looked_at.begin; i < looked_at.end; ++i) pairs.push_back({i, unit});
  }
}

std::string alignment_pairs(const std::vector<std::string>& source_pieces,
                            const std::vector<std::string>& target_pieces,
                            const AttentionWeights& weights, AlignmentUnit kind) {
  std::string text;
  for (const AlignedPair& pair : aligned_pairs(source_pieces, target_pieces, weights, kind))
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", pair.source, pair.target);
  return text;
}

}  // namespace heed
