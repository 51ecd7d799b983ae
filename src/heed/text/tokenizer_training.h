// Learning a SentencePiece model from text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace heed {

struct TokenizerOptions {
  std::string kind = "bpe";                // bpe, unigram, word or char
  int64_t vocabulary = 8000;               // ids, </s>, <unk> and <pad> included
  double character_coverage = 1.0;         // share of the text's characters that get pieces
  bool byte_fallback = false;              // spell other characters as bytes instead of <unk>
  bool lowercase = false;                  // inside the model's normalizer: every reader agrees
  std::string normalization = "nmt_nfkc";  // nmt_nfkc, nfkc or identity
  int64_t sample_lines = 2'000'000;        // learn from at most this many lines
  uint64_t seed = 1;                       // of the sample
};

// The bytes of a .spm file learnt from the lines of all `files`; the same lines and options give
// the same bytes. Ids are </s> = 0, <unk> = 1 and pieces; options.vocabulary - 1 in all, since
// <pad> comes behind them. The two kinds word and char take fewer where the text has fewer.
// UsageError: an option out of range. Error: a text too small for the vocabulary (with the largest
// that it could have), no text at all, a file that cannot be read or is not UTF-8.
std::string train_tokenizer(const TokenizerOptions& options,
                            std::span<const std::filesystem::path> files);

}  // namespace heed
