// What the options of a training mean together: contradictions, defaults that depend on other
// options, and what follows from them for model and batches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/text/batches.h"
#include "heed/text/corpus.h"
#include "heed/train/train_options.h"

namespace heed {

// Whether the run validates, and on text that is given, not held out.
bool validates(const TrainOptions& options);
bool names_validation_text(const TrainOptions& options);

// Whether validations translate: --validation-metric is bleu or chrf.
bool translates_to_validate(const TrainOptions& options);

// Throws UsageError where options contradict each other; ranges are checked as they are read.
void check_consistent(const TrainOptions& options);

// "last:5" or "best:5".
struct Averaging {
  enum class Kind { none, last, best } kind = Kind::none;
  int64_t count = 0;
};
Averaging parse_averaging(const std::string& text);

// Sets unset options to their defaults, which depend on preset, schedule and optimizer. What the
// model of --finetune-from decides stays unset.
TrainOptions with_defaults(TrainOptions options);

// with_defaults(), and resets options that others make ineffective, so that the options of
// equivalent runs are equal.
TrainOptions in_effect(TrainOptions options);

// The flags of options that are set and ineffective, since --finetune-from or --tokenizer-model
// decides what they would.
std::vector<std::string> overruled(const TrainOptions& options);

// Epochs at which a run ends: the default where no other end is given either, none where one is.
std::optional<int64_t> epoch_limit(const TrainOptions& options);

// The batches of one epoch.
BatchPlan batches_of_epoch(const TrainOptions& options, const Corpus& corpus, int64_t epoch);

// with_defaults(), and values that depend on the text, as the training state records them: the step
// at which a schedule ends is part of a run, while the number of steps is not. `epoch_steps`
// returns the steps of the first epoch and is called where they are needed; later epochs may have a
// few more or less. UsageError if the schedule would end within its warm-up.
TrainOptions resolved(const TrainOptions& options, const std::function<int64_t()>& epoch_steps);

// Batch size of a thread in validation, in tokens: that of a shard in training at most, so that
// validation needs no more memory than a step. Results depend on it by rounding alone.
int64_t tokens_between_steps(const TrainOptions& options);

// Sizes by preset and by what overrides it, for a vocabulary.
ModelConfig model_config(const TrainOptions& options, int64_t vocabulary,
                         int64_t output_vocabulary);

// For fine-tuning: the config of the model of --finetune-from with the dropout of the options.
// UsageError where the options ask for another kind of model.
ModelConfig tuned_config(const TrainOptions& options, ModelConfig config);

}  // namespace heed
