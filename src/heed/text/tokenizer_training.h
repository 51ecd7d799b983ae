// Training of SentencePiece models.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "heed/text/text_file.h"
#include "heed/text/tokenizer_options.h"

namespace heed {

// UsageError if options contradict each other or are out of range.
void check_consistent(const TokenizerOptions& options);

// Trains on the lines of all `files` and returns the bytes of a .spm file. If `kept` (of
// lines_for_tokenizer) is not empty, only lines with kept[i] are used, i counting the lines of one
// side; others need not be UTF-8. The same lines and options give the same bytes. Ids are </s> = 0,
// <unk> = 1 and pieces; options.vocabulary_size - 1 in all, since <pad> follows them. The kinds
// word and char may give a smaller vocabulary. UsageError: an option out of range. Error: a text
// too small for the vocabulary (with the largest that it could have), no text at all, a file that
// cannot be read or is not UTF-8.
std::string train_tokenizer(const TokenizerOptions& options, const TextFiles& files,
                            const std::vector<bool>& kept = {});
inline std::string train_tokenizer(const TokenizerOptions& options,
                                   const std::vector<std::filesystem::path>& files,
                                   const std::vector<bool>& kept = {}) {
  return train_tokenizer(options, TextFiles(files.begin(), files.end()), kept);
}

}  // namespace heed
