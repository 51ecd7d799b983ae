// Training of SentencePiece models.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "heed/text/text_file.h"
#include "heed/text/tokenizer_options.h"

namespace heed {

// UsageError where options contradict each other or are out of range.
void check_consistent(const TokenizerOptions& options);

// The bytes of a .spm file learned from the lines of all `files`, or, with `kept` (kept_by_words),
// of those lines i of each side where kept[i] holds: others need not be UTF-8. The same lines and
// options give the same bytes. Ids are </s> = 0, <unk> = 1 and pieces; options.vocabulary - 1 in
// all, since <pad> comes behind them. The two kinds word and char take fewer where the text has
// fewer. UsageError: an option out of range. Error: a text too small for the vocabulary (with the
// largest that it could have), no text at all, a file that cannot be read or is not UTF-8.
std::string train_tokenizer(const TokenizerOptions& options, const TextFiles& files,
                            const std::vector<bool>& kept = {});
inline std::string train_tokenizer(const TokenizerOptions& options,
                                   const std::vector<std::filesystem::path>& files,
                                   const std::vector<bool>& kept = {}) {
  return train_tokenizer(options, TextFiles(files.begin(), files.end()), kept);
}

}  // namespace heed
