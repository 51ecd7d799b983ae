#include "heed/decode/tree_constraint.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "heed/core/error.h"
#include "heed/text/word_encoding.h"

namespace heed {
namespace {

// Constituents that may begin before the same word, and how many of them one after the other with
// the same label. In the trees that GUM has for training at most 7 begin before a word, and before
// 45 of 177,410 words more than 3 of one label in a row. Without limits a model that is unsure of
// what follows repeats a label until there is no room.
constexpr int64_t kMaxBeginnings = 8, kMaxRepeatedLabels = 3;

// A tree that is not complete yet.
struct OpenTree {
  int64_t words_left;
  std::vector<TokenId> open = {};  // the ends of its open constituents, from the root down
  int64_t beginnings = 0;          // since the last word or end
  bool has_child = false;          // of the constituent that was opened last
  bool is_word_said = false;       // that of the next word
  bool is_complete = false;

  void add(const TreeSymbols& symbols, TokenId id) {
    switch (symbols.kind(id)) {
      case SymbolKind::word:
        is_word_said = true;
        return;
      case SymbolKind::opening:
        open.push_back(symbols.end_of(id));
        has_child = false;
        ++beginnings;
        return;
      case SymbolKind::closing:
        check(!open.empty() && open.back() == id && has_child, "an end that is not allowed");
        open.pop_back();
        is_complete = open.empty();
        break;
      case SymbolKind::tag:
        --words_left;
        is_word_said = false;
    }
    has_child = true;
    beginnings = 0;
  }

  // The end of the label that began kMaxRepeatedLabels times since the last word or end, and last.
  std::optional<TokenId> repeated_end() const {
    if (beginnings < kMaxRepeatedLabels) return {};
    const auto last = open.end() - kMaxRepeatedLabels;
    const bool same = std::all_of(last, open.end(), [&](TokenId end) { return end == *last; });
    return same ? std::optional(*last) : std::nullopt;
  }

  // Tokens of the shortest way to complete it, </s> included.
  int64_t least_to_come() const {
    return 2 * words_left - (is_word_said && words_left > 0 ? 1 : 0) + int64_t(open.size()) + 1;
  }
};

class WholeTree : public Constraint {
 public:
  WholeTree(std::shared_ptr<const TreeSymbols> symbols, std::vector<TokenId> words,
            int64_t max_length, TokenId end_id)
      : symbols_(std::move(symbols)),
        words_(std::move(words)),
        max_length_(max_length),
        end_id_(end_id) {
    check(!words_.empty() && max_length >= shortest_tree(int64_t(words_.size())),
          "no room for a tree over the words");
  }

  void update(std::span<const ConstrainedHypothesis> hypotheses) const override {
    for (const ConstrainedHypothesis& h : hypotheses) {
      // The state of a hypothesis is its stack, which is no number: it is rebuilt at each step,
      // in much less time than the model takes for it.
      OpenTree tree{int64_t(words_.size())};
      for (const TokenId id : h.ids) tree.add(*symbols_, id);
      std::vector<TokenId> ids = next(tree, max_length_ - int64_t(h.ids.size()));
      // A token that follows from the words and the tree so far is given. Were the model's
      // probability of a word counted, hypotheses that put off its symbol by opening constituents
      // would look better.
      if (ids.size() == 1)
        h.next.give(ids[0]);
      else
        h.next.allow_only(std::move(ids));
    }
  }

 private:
  // The ids that may follow if there is room for `room` tokens.
  std::vector<TokenId> next(const OpenTree& tree, int64_t room) const {
    if (tree.is_complete) return {end_id_};
    if (tree.words_left > 0 && !tree.is_word_said)
      return {words_[words_.size() - size_t(tree.words_left)]};
    std::vector<TokenId> ids;
    const bool is_root_with_words_left = tree.open.size() == 1 && tree.words_left > 0;
    if (!tree.open.empty() && tree.has_child && !is_root_with_words_left)
      ids.push_back(tree.open.back());
    if (tree.words_left == 0) return ids;
    if (!tree.open.empty()) ids.insert(ids.end(), symbols_->tags().begin(), symbols_->tags().end());
    // A constituent takes two tokens: this one and its end.
    if (tree.beginnings == kMaxBeginnings || tree.least_to_come() + 2 > room) return ids;
    const std::optional<TokenId> repeated = tree.repeated_end();
    for (const TokenId id : symbols_->opening())
      if (symbols_->end_of(id) != repeated) ids.push_back(id);
    return ids;
  }

  const std::shared_ptr<const TreeSymbols> symbols_;
  const std::vector<TokenId> words_;
  const int64_t max_length_;
  const TokenId end_id_;
};

}  // namespace

TreeSymbols::TreeSymbols(const Vocabulary& vocabulary)
    : texts_(size_t(vocabulary.output_size())),
      kinds_(texts_.size(), SymbolKind::word),
      ends_(texts_.size(), vocabulary.unknown_id()) {
  for (TokenId id = kFirstLabel; id < vocabulary.output_size(); ++id) {
    std::string_view piece = vocabulary.piece(id);
    if (piece.starts_with(kSpaceSymbol)) piece.remove_prefix(kSpaceSymbol.size());
    texts_[size_t(id)] = piece;
    if (!piece.empty()) kinds_[size_t(id)] = kind_of_symbol(piece);
  }
  for (TokenId id = kFirstLabel; id < vocabulary.output_size(); ++id) {
    if (kind(id) == SymbolKind::tag) tags_.push_back(id);
    if (kind(id) != SymbolKind::opening) continue;
    const auto end = vocabulary.find(std::string(kSpaceSymbol) + ")" + text(id).substr(1));
    if (!end) continue;
    ends_[size_t(id)] = *end;
    opening_.push_back(id);
  }
  if (tags_.empty() || opening_.empty())
    fail(
        "the target vocabulary has {} tags and {} labels of constituents: expected the symbols of "
        "a parser, as heed train --task parse learns them",
        tags_.size(), opening_.size());
}

int64_t shortest_tree(int64_t words) {
  return 2 * words + 3;
}

std::shared_ptr<const Constraint> tree_constraint(std::shared_ptr<const TreeSymbols> symbols,
                                                  std::vector<TokenId> words, int64_t max_length,
                                                  TokenId end_id) {
  return std::make_shared<const WholeTree>(std::move(symbols), std::move(words), max_length,
                                           end_id);
}

}  // namespace heed
