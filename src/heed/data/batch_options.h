// The size of training batches.
#pragma once

#include <cstdint>
#include <optional>

namespace heed {

// Batches are limited by sentences if batch_sentences is not 0, else by tokens. Tokens include
// one </s> per sentence; there is no padding.
struct BatchOptions {
  static constexpr int64_t kDefaultTokens = 4096;

  std::optional<int64_t> batch_tokens = {};  // maximum of source tokens, and of target tokens
  int64_t batch_sentences = 0;               // pairs; the last batch of an epoch may have fewer

  int64_t tokens() const { return batch_tokens.value_or(kDefaultTokens); }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("batch_tokens", self.batch_tokens,
      {.help = "Maximum number of source tokens, and of target tokens, in a batch",
       .unit = "tokens",
       .default_text = "4096, or chosen with --minutes",
       .minimum = 1});
    v("batch_sentences", self.batch_sentences,
      {.help = "Number of pairs in a batch, instead of --batch-tokens; 0: limited by tokens",
       .unit = "pairs",
       .minimum = 0});
  }
};

}  // namespace heed
