#include "heed/decode/pair_aligner.h"

#include "heed/core/error.h"

namespace heed {

PairAligner::PairAligner(const ModelParts& parts) : parts_(parts), aligner_(parts) {
  if (!aligner_.can_align())
    fail("the model has no attention to the source, from which words could be aligned");
}

std::vector<AlignedPair> PairAligner::links(std::string_view source, std::string_view target) {
  Encoding from = parts_.tokenizers.source().encode_with_ends(source);
  const Encoding to = parts_.tokenizers.target().encode_with_ends(target);
  const auto most = size_t(parts_.config().max_positions);
  if (from.ids.empty() || to.ids.empty() || from.ids.size() >= most || to.ids.size() >= most)
    return {};
  from.ids.push_back(parts_.config().end_id());
  std::vector<UnitRange> words = TextUnits(source).of_tokens(from.ends);
  words.push_back({});  // of </s>
  return aligned_pairs(words, TextUnits(target).of_tokens(to.ends),
                       aligner_.weights(from.ids, {to.ids}).front());
}

}  // namespace heed
