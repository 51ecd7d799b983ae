// Lines that are too long for a model, cut where a reader would cut them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// Parts of `text`, in order, each of at most `limit` by `length`: cut behind sentence ends where
// that suffices, else behind clause ends, else between words, else between characters. Parts are
// as long as they may be. `length` must not grow when text is taken away. White space at the cuts
// is dropped, nothing else.
std::vector<std::string> split_text(std::string_view text, int64_t limit,
                                    const std::function<int64_t(std::string_view)>& length);

// Joins translated parts: with a space, but for none behind or before Chinese and Japanese script.
std::string join_parts(const std::vector<std::string>& parts);

}  // namespace heed
