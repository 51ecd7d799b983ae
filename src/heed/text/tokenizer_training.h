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

// Trains on the lines of all `files`, with options.normalization, and returns the bytes of a .spm
// file. If `kept` (of lines_for_tokenizer) is not empty, only lines with kept[i] are used, i
// counting the lines of one side; others need not be UTF-8. The same lines and options give the
// same bytes. Ids are </s> = 0, <unk> = 1 and pieces; options.vocabulary_size - 1 in all, since
// <pad> follows them. The kinds word and char may give a smaller vocabulary. Every character of the
// text gets a piece, as far as options.character_coverage and the kind word allow, except white
// space and U+2581, which are spaces. UsageError: an option out of range. Error: a text too small
// for the vocabulary (with the largest that it could have), a vocabulary too small for the
// characters of the text (with the smallest), no text at all, a file that cannot be read or is not
// UTF-8.
std::string train_tokenizer(const TokenizerOptions& options, const TextFiles& files,
                            const std::vector<bool>& kept = {});
inline std::string train_tokenizer(const TokenizerOptions& options,
                                   const std::vector<std::filesystem::path>& files,
                                   const std::vector<bool>& kept = {}) {
  return train_tokenizer(options, TextFiles(files.begin(), files.end()), kept);
}

// The .spm files of a vocabulary that two languages share: the same pieces, and the normalizer of
// each side. The same file twice if the normalizations are equal.
struct JointModels {
  std::string source, target;
};
// Trains on both sides, as train_tokenizer() does on one text.
JointModels train_joint_tokenizer(const TokenizerOptions& options, const TextFiles& source,
                                  const TextFiles& target, const std::vector<bool>& kept = {});

}  // namespace heed
