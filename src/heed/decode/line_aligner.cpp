#include "heed/decode/line_aligner.h"

#include <algorithm>

#include "heed/core/error.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/decode/text_units.h"

namespace heed {
namespace {

// A word without the punctuation around it, unless it has nothing else: "end." is "end".
std::string_view without_punctuation(std::string_view word) {
  size_t begin = word.size(), end = 0;
  for (size_t at = 0; at < word.size();) {
    const Utf8Character character = first_utf8_character(word.substr(at));
    if (!is_punctuation(character.value)) {
      begin = std::min(begin, at);
      end = at + character.bytes;
    }
    at += character.bytes;
  }
  return begin < end ? word.substr(begin, end - begin) : word;
}

}  // namespace

std::vector<TokenId> LineAligner::ids_of(std::string_view line, Ids& ids) {
  std::vector<TokenId> found;
  const TextUnits units(line);
  for (const std::string_view unit : units.texts(line)) {
    const auto [place, is_new] =
        ids.try_emplace(lowercase(without_punctuation(unit)), TokenId(ids.size()));
    found.push_back(place->second);
  }
  return found;
}

void LineAligner::set(int64_t pair, std::string_view source, std::string_view target) {
  pairs_[size_t(pair)] = {ids_of(source, source_ids_), ids_of(target, target_ids_)};
}

std::vector<std::vector<AlignedPair>> LineAligner::links(int64_t begin, int64_t end,
                                                         Symmetrization symmetrization,
                                                         Workers& workers) const {
  check(aligner_.has_value(), "links before the pairs were learned from");
  std::vector<std::vector<AlignedPair>> all(size_t(end - begin));
  workers.run(end - begin, [&](int64_t i, int) {
    std::vector<AlignedPair>& links = all[size_t(i)];
    for (const WordLink& link : aligner_->links(pairs_[size_t(begin + i)], symmetrization))
      links.push_back({link.source, link.target});
  });
  return all;
}

}  // namespace heed
