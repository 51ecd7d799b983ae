// Filters of training text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace heed {

// The kind of a target: a text, a label for each word of the source, one for all of it, or the
// symbols of a tree over its words (text/linear_tree.h).
enum class TargetKind { text, labels_of_words, label_of_text, tree };

// The limits of a pair; 0 disables one, except max_sentence_tokens.
struct PairLimits {
  int64_t max_sentence_tokens = 0;  // of either side, </s> included
  int64_t max_words = 0;            // of either side; of the source if the target is a tree
  double max_ratio = 0;             // of the tokens of the longer side to the shorter, without </s>
};

// Consecutive lines of the text that have limits of their own, from the part before to `end`.
struct CorpusPart {
  int64_t end = 0;  // the line after its last
  PairLimits limits;
  std::string tag;  // is put before each source, with a space; may be empty
};

// Filters of the pairs of a corpus; 0 disables one, except max_sentence_tokens. Words are separated
// by ASCII whitespace. The default of training for max_ratio is in TrainOptions.
struct FilterOptions {
  static constexpr int64_t kMaxTokens = 65535;  // a Corpus stores lengths in 16 bits

  int64_t max_sentence_tokens = 256;  // of either side, </s> included; at most kMaxTokens
  int64_t max_words = 0;              // of either side; of the source if the target is a tree
  double max_ratio = 0;        // of the tokens of the longer side to the shorter, without </s>
  int64_t min_word_count = 0;  // drops pairs with a word rarer than this on its side of the corpus
  // Ignores case when counting words of a side. No options of the command line: set if the
  // vocabulary does (Tokenizer::folds_case).
  bool fold_source_case = false, fold_target_case = false;
  // Drops pairs whose target has not as many labels as it should; a tree has. No option of the
  // command line.
  TargetKind target = TargetKind::text;
  // Drops pairs whose source has one of these fingerprints, in ascending order (text_filter.h).
  std::vector<uint64_t> held_out = {};
  // All of the text, or none: then all lines have the limits above. No options of the command line:
  // TrainOptions::corpora.
  std::vector<CorpusPart> parts = {};

  // The part with a line (from 0); null where there are none.
  const CorpusPart* part_of(int64_t line) const {
    const auto found = std::upper_bound(parts.begin(), parts.end(), line,
                                        [](int64_t l, const CorpusPart& p) { return l < p.end; });
    return found == parts.end() ? nullptr : &*found;
  }
  PairLimits limits_of(int64_t line) const {
    const CorpusPart* part = part_of(line);
    return part ? part->limits : PairLimits{max_sentence_tokens, max_words, max_ratio};
  }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Filters");
    v("max_sentence_tokens", self.max_sentence_tokens,
      {.help = "Drop pairs with a side of more than N tokens, </s> included",
       .unit = "tokens",
       .minimum = 2,
       .maximum = kMaxTokens});
    v("max_words", self.max_words,
      {.help = "Drop pairs with a side of more than N words, before a vocabulary is learned; 0: "
               "keep all",
       .unit = "words",
       .minimum = 0});
    v("max_ratio", self.max_ratio,
      {.help =
           "Drop pairs with a side of more than X times as many tokens as the other; 0: keep all",
       .minimum = 0});
    v("min_word_count", self.min_word_count,
      {.help = "Drop pairs with a word that occurs fewer than N times on its side of the text "
               "(ignoring case with --lowercase), before a vocabulary is learned; 0: keep all",
       .unit = "occurrences",
       .minimum = 0});
  }
};

}  // namespace heed
