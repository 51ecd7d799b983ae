// The alignments that --guided-alignment teaches.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "heed/core/parallel.h"
#include "heed/data/aligned_text.h"
#include "heed/run/observer.h"
#include "heed/run/training_text.h"
#include "heed/tasks/guided_alignment.h"
#include "heed/text/tokenizer.h"

namespace heed {

// The corpus with the links of its tokens: learned from its pairs (--guided-alignment self), or
// those of the words in the files of the option. `cache` is where they are kept.
std::unique_ptr<const AlignedText> aligned_text(const TrainingText& opened, const Corpus& corpus,
                                                const TokenizerPair& tokenizers,
                                                const std::filesystem::path& cache,
                                                Workers& workers, TrainObserver& observer);

// The attention that a model of this config is taught; nothing without --guided-alignment.
std::optional<GuidedAlignment> guided_alignment(const TrainOptions& options,
                                                const ModelConfig& config);

}  // namespace heed
