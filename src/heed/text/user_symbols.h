// Texts that a vocabulary has as whole pieces, whatever its segmentation: emoji, codes, tags.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heed {

// Whether a text may be such a piece. UsageError if not, which begins with `where`: an empty text,
// one with white space or U+2581 (which is a space), one that is not UTF-8 or longer than 1,000
// bytes, or a piece that every vocabulary has (</s>, <unk>, <pad>).
void check_user_symbol(const std::string& symbol, const std::string& where);

// The symbols of a file, one on each line, without empty lines and repetitions. UsageError as
// above; Error if it cannot be read or has none.
std::vector<std::string> read_user_symbols(const std::filesystem::path& path);

}  // namespace heed
