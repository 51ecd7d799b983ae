// The heads of a model that align words best, without manual (gold) alignments: those whose
// attention agrees most with the links of a lexical model (text/word_links.h).
#pragma once

#include <optional>
#include <vector>

#include "heed/core/parallel.h"
#include "heed/model/alignment_heads.h"
#include "heed/model/on_backend.h"
#include "heed/text/word_links.h"

namespace heed {

struct AlignmentCandidate {
  AlignmentHeads heads;
  // Links whose source token has the largest weight in the attention of their target token, </s>
  // aside.
  int64_t agreeing = 0;
};

struct AlignmentMeasurement {
  int64_t pairs = 0;  // measured
  int64_t links = 0;  // of the lexical model in them
  // For both AlignmentSteps (model/alignment_heads.h): the mean of the heads of each layer, and
  // each head. Then, for the best layer: its mean with the layer before and with the one after it,
  // and the means of its 2, 3, ... best heads.
  std::vector<AlignmentCandidate> candidates;
  // The candidate that agrees most. Layers' means are compared first; another candidate replaces
  // the best so far only if it agrees on more links by over a hundredth of all links. None for
  // fewer than kMinLinks.
  std::optional<AlignmentCandidate> best;

  static constexpr int64_t kMinLinks = 50;
  // The candidate with these heads; null if it is none.
  const AlignmentCandidate* find(const AlignmentHeads& heads) const;
};

// Pairs must fit the model's positions. The result does not depend on the workers.
AlignmentMeasurement measure_alignment(const ModelOnBackend& on, const AlignmentText& text,
                                       Workers& workers);

}  // namespace heed
