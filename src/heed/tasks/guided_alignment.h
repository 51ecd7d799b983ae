// A translator that learns to attend to the words that it translates: the loss of an attention head
// that is to follow given alignments (Chen et al., 2016, "Guided Alignment Training for Topic-Aware
// Neural Machine Translation"; Garg et al., 2019, "Jointly Learning to Align and Translate with
// Transformer Models").
#pragma once

#include <span>
#include <vector>

#include "heed/data/dataset.h"
#include "heed/model/alignment_heads.h"
#include "heed/model/pair_batch.h"

namespace heed {

struct GuidedAlignment {
  double weight = 0;  // of the alignments' loss, beside that of the translation
  DecoderHead head = {};

  // The attention that it teaches, of the step that has the target token as its input: its word is
  // known there.
  AlignmentHeads heads() const { return {{head}, AlignmentStep::following}; }
};

// The head of a model that is taught: the first one of the layer that aligns best
// (model/alignment_heads.h). UsageError, which names --guided-alignment, for a model whose
// attention cannot be taught.
DecoderHead guided_head(const ModelConfig& config);

// The loss of a batch's labels (model/pair_batch.h) and, if any of its examples has links, of their
// attention. Of several source tokens that a target token is linked to, each should have an equal
// part of its attention; a target token without links may attend to anything.
Loss guided_loss(const SequenceModel& model, ForwardPass& pass, const PairBatch& batch,
                 std::span<const Example> examples, const GuidedAlignment& guided,
                 const LossOptions& options);

}  // namespace heed
