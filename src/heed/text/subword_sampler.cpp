#include "heed/text/subword_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

constexpr uint64_t pair_key(uint32_t first, uint32_t second) {
  return uint64_t{first} << 32 | second;
}

// Keys are mixed, since the standard library's hash of a number is the number.
struct PairHash {
  size_t operator()(uint64_t key) const { return size_t(detail::mix(key, 0)); }
};
template <class Value>
using PairMap = std::unordered_map<uint64_t, Value, PairHash>;

// The pieces of a vocabulary as bytes, by id; empty for those that are always whole.
std::vector<std::string> texts_of(const ScoredPieces& scored, int64_t vocabulary) {
  std::vector<std::string> texts(static_cast<size_t>(vocabulary));
  for (const ScoredPiece& piece : scored.pieces) texts[size_t(piece.id)] = piece.text;
  return texts;
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    characters.push_back(text.substr(0, first_utf8_character(text).bytes));
    text.remove_prefix(characters.back().size());
  }
  return characters;
}

}  // namespace

// The segmentation of a stretch of pieces none of which is always whole.
class SubwordSampler::Segmenter {
 public:
  virtual ~Segmenter() = default;
  // Whether the piece can be cut into characters.
  virtual bool cuts(TokenId id) const = 0;
  virtual void append(std::span<const TokenId> stretch, Random& random,
                      std::vector<TokenId>& result) const = 0;
};

// As SentencePiece's SampleEncode() does it: merges are taken in the order of the vocabulary, each
// is left out with the same probability, and is considered again only when one of the two
// neighbours has grown. (In the paper every merge of a word is considered again after each other
// one, which depends on what a word is: a line of Chinese, as one word, would hardly be cut
// differently.)
class SubwordSampler::BpeDropout : public Segmenter {
 public:
  BpeDropout(const ScoredPieces& scored, int64_t vocabulary, double dropout)
      : dropout_(dropout), characters_(static_cast<size_t>(vocabulary)) {
    std::unordered_map<std::string_view, TokenId> ids;
    for (const ScoredPiece& piece : scored.pieces) ids.emplace(piece.text, piece.id);
    for (const ScoredPiece& piece : scored.pieces) add(piece, ids);
  }

  bool cuts(TokenId id) const override { return !characters_[size_t(id)].empty(); }

  void append(std::span<const TokenId> stretch, Random& random,
              std::vector<TokenId>& result) const override {
    Word word;
    for (const TokenId id : stretch)
      for (const TokenId character : characters_[size_t(id)])
        word.symbols.push_back(
            {character, int32_t(word.symbols.size()) - 1, int32_t(word.symbols.size()) + 1});
    word.symbols.back().next = -1;
    for (int32_t i = 0; i + 1 < int32_t(word.symbols.size()); ++i) propose(word, i);
    while (!word.merges.empty()) {
      const Proposal best = word.merges.top();
      word.merges.pop();
      if (!word.allows(best) || (dropout_ > 0 && random.uniform() < dropout_)) continue;
      merge(word, best);
    }
    for (int32_t i = 0; i >= 0; i = word.symbols[size_t(i)].next)
      result.push_back(word.symbols[size_t(i)].id);
  }

 private:
  struct Merge {
    TokenId id = kNoToken;
    float score = 0;
  };
  // A symbol in a list of those that are left; the id of one that was merged into another is
  // kNoToken.
  struct Symbol {
    TokenId id = kNoToken;
    int32_t previous = -1, next = -1;
  };
  struct Proposal {
    float score = 0;
    int32_t left = 0;                                 // the symbol that becomes the merged one
    TokenId of_left = kNoToken, of_right = kNoToken;  // as they were proposed
    TokenId merged = kNoToken;

    // Greater scores first, then from the left.
    bool operator<(const Proposal& other) const {
      return score != other.score ? score < other.score : left > other.left;
    }
  };
  struct Word {
    std::vector<Symbol> symbols;
    std::priority_queue<Proposal> merges;

    // Whether both symbols are still there.
    bool allows(const Proposal& proposal) const {
      const Symbol& left = symbols[size_t(proposal.left)];
      return left.id == proposal.of_left && left.next >= 0 &&
             symbols[size_t(left.next)].id == proposal.of_right;
    }
  };

  void add(const ScoredPiece& piece, const std::unordered_map<std::string_view, TokenId>& ids) {
    std::vector<TokenId> characters;
    for (const std::string_view character : characters_of(piece.text)) {
      const auto found = ids.find(character);
      if (found == ids.end()) return;  // such a piece stays whole
      characters.push_back(found->second);
    }
    const std::string_view text = piece.text;
    for (size_t cut = 1; cut < text.size(); ++cut) {
      const auto left = ids.find(text.substr(0, cut)), right = ids.find(text.substr(cut));
      if (left == ids.end() || right == ids.end()) continue;
      merges_[pair_key(uint32_t(left->second), uint32_t(right->second))] = {piece.id, piece.score};
    }
    characters_[size_t(piece.id)] = std::move(characters);
  }

  void propose(Word& word, int32_t left) const {
    const Symbol& first = word.symbols[size_t(left)];
    const TokenId second = word.symbols[size_t(first.next)].id;
    const auto found = merges_.find(pair_key(uint32_t(first.id), uint32_t(second)));
    if (found == merges_.end()) return;
    word.merges.push({found->second.score, left, first.id, second, found->second.id});
  }

  void merge(Word& word, const Proposal& proposal) const {
    Symbol& left = word.symbols[size_t(proposal.left)];
    Symbol& right = word.symbols[size_t(left.next)];
    left.id = proposal.merged;
    left.next = right.next;
    right.id = kNoToken;
    if (left.next >= 0) {
      word.symbols[size_t(left.next)].previous = proposal.left;
      propose(word, proposal.left);
    }
    if (left.previous >= 0) propose(word, left.previous);
  }

  double dropout_;
  PairMap<Merge> merges_;                         // by the ids of two neighbours
  std::vector<std::vector<TokenId>> characters_;  // of each piece that can be cut
};

// Draws from all segmentations by forward filtering and backward sampling: forward, the logarithm
// of the total weight of the segmentations of each beginning of the text; backward, the last piece
// in proportion to what ends with it, then the one before.
class SubwordSampler::UnigramSampling : public Segmenter {
 public:
  UnigramSampling(const ScoredPieces& scored, int64_t vocabulary, double alpha)
      : texts_(texts_of(scored, vocabulary)) {
    for (const ScoredPiece& piece : scored.pieces) {
      uint32_t node = 0;
      for (const char byte : piece.text)
        node = children_.try_emplace(pair_key(node, uint8_t(byte)), uint32_t(children_.size() + 1))
                   .first->second;
      pieces_.resize(children_.size() + 1);
      pieces_[node] = {piece.id, alpha * double(piece.score)};
    }
  }

  bool cuts(TokenId id) const override { return !texts_[size_t(id)].empty(); }

  void append(std::span<const TokenId> stretch, Random& random,
              std::vector<TokenId>& result) const override {
    std::string text;
    for (const TokenId id : stretch) text += texts_[size_t(id)];
    std::vector<Arc> arcs;
    std::vector<size_t> first_arc;  // of those that end at each byte; [bytes + 2]
    find_arcs(text, arcs, first_arc);
    std::vector<double> total(text.size() + 1, -std::numeric_limits<double>::infinity());
    total[0] = 0;
    for (size_t end = 1; end <= text.size(); ++end) {
      double most = total[end];
      for (size_t i = first_arc[end]; i < first_arc[end + 1]; ++i)
        most = std::max(most, total[arcs[i].begin] + arcs[i].weight);
      if (!std::isfinite(most)) continue;
      double sum = 0;
      for (size_t i = first_arc[end]; i < first_arc[end + 1]; ++i)
        sum += std::exp(total[arcs[i].begin] + arcs[i].weight - most);
      total[end] = most + std::log(sum);
    }
    const size_t before = result.size();
    for (size_t end = text.size(); end > 0;) {
      double left = random.uniform();
      size_t chosen = first_arc[end + 1];  // the last one that is possible, if rounding leaves some
      for (size_t i = first_arc[end]; i < first_arc[end + 1]; ++i) {
        const double share = std::exp(total[arcs[i].begin] + arcs[i].weight - total[end]);
        if (share == 0) continue;
        chosen = i;
        left -= share;
        if (left < 0) break;
      }
      check(chosen < first_arc[end + 1], "a text of pieces has a segmentation");
      result.push_back(arcs[chosen].id);
      end = arcs[chosen].begin;
    }
    std::reverse(result.begin() + std::ptrdiff_t(before), result.end());
  }

 private:
  // A piece in the text.
  struct Arc {
    size_t begin = 0, end = 0;
    TokenId id = kNoToken;
    double weight = 0;
  };
  struct Found {
    TokenId id = kNoToken;
    double weight = 0;
  };

  // All pieces of the text, ordered by their ends.
  void find_arcs(std::string_view text, std::vector<Arc>& arcs,
                 std::vector<size_t>& first_arc) const {
    first_arc.assign(text.size() + 2, 0);
    std::vector<Arc> found;
    for (size_t begin = 0; begin < text.size(); ++begin) {
      uint32_t node = 0;
      for (size_t end = begin; end < text.size();) {
        const auto child = children_.find(pair_key(node, uint8_t(text[end++])));
        if (child == children_.end()) break;
        node = child->second;
        const Found& piece = pieces_[node];
        if (piece.id == kNoToken) continue;
        found.push_back({begin, end, piece.id, piece.weight});
        ++first_arc[end + 1];
      }
    }
    for (size_t end = 1; end < first_arc.size(); ++end) first_arc[end] += first_arc[end - 1];
    std::vector<size_t> next = first_arc;
    arcs.resize(found.size());
    for (const Arc& arc : found) arcs[next[arc.end]++] = arc;
  }

  std::vector<std::string> texts_;
  PairMap<uint32_t> children_;  // of a trie over bytes, by node and byte; node 0 is the root
  std::vector<Found> pieces_;   // by node
};

SubwordSampler::SubwordSampler(const Tokenizer& tokenizer, double alpha, std::string_view flag) {
  const ScoredPieces scored = tokenizer.scored_pieces();
  lengths_.assign(size_t(tokenizer.size()), 1);  // of the pieces that are always whole
  for (const ScoredPiece& piece : scored.pieces)
    lengths_[size_t(piece.id)] = int64_t(piece.text.size());
  switch (scored.segmentation) {
    case Segmentation::bpe:
      if (!(alpha >= 0 && alpha < 1))
        fail_usage("{} is {}: with BPE, expected a probability from 0 to below 1", flag, alpha);
      segmenter_ = std::make_unique<BpeDropout>(scored, tokenizer.size(), alpha);
      break;
    case Segmentation::unigram:
      if (!(alpha > 0)) fail_usage("{} is {}, expected a number above 0", flag, alpha);
      segmenter_ = std::make_unique<UnigramSampling>(scored, tokenizer.size(), alpha);
      break;
    case Segmentation::other:
      fail_usage(
          "{} needs a vocabulary of SentencePiece's bpe or unigram: this one segments a text in "
          "one "
          "way",
          flag);
  }
}

SubwordSampler::~SubwordSampler() = default;
SubwordSampler::SubwordSampler(SubwordSampler&&) noexcept = default;
SubwordSampler& SubwordSampler::operator=(SubwordSampler&&) noexcept = default;

std::vector<TokenId> SubwordSampler::sample(std::span<const TokenId> ids, uint64_t seed) const {
  Random random(seed);
  std::vector<TokenId> result;
  result.reserve(ids.size() + ids.size() / 2);
  while (!ids.empty()) {
    const auto end = std::ranges::find_if(ids, [&](TokenId id) { return !segmenter_->cuts(id); });
    const std::span<const TokenId> stretch(ids.begin(), end);
    if (!stretch.empty()) segmenter_->append(stretch, random, result);
    ids = ids.subspan(stretch.size());
    if (ids.empty()) break;
    result.push_back(ids.front());
    ids = ids.subspan(1);
  }
  return result;
}

}  // namespace heed
