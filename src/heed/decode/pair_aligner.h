// Word alignments of pairs of lines by the attention of a translator, which is given both.
#pragma once

#include <string_view>
#include <vector>

#include "heed/decode/alignment.h"
#include "heed/decode/model_outputs.h"

namespace heed {

class PairAligner {
 public:
  // For one thread. Error for a model without attention to the source. The model must outlive it.
  explicit PairAligner(const ModelParts& parts);
  // Pairs each target word with the source word that it attends to most (decode/text_units.h). None
  // for a pair with a side that is empty or has more tokens than the model has positions for.
  std::vector<AlignedPair> links(std::string_view source, std::string_view target);

 private:
  const ModelParts parts_;
  Aligner aligner_;
};

}  // namespace heed
