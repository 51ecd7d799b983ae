// Options of a training run in combination: contradictions, defaults that depend on other options,
// and the model and batches that follow from them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/run/train_options.h"
#include "heed/train/training_loop.h"

namespace heed {

// Whether the run validates: on pairs held out, or on the files of the options.
bool validates(const TrainOptions& options);
// Whether the options name validation files.
bool has_validation_files(const TrainOptions& options);

// Whether validations translate: --validation-metric is bleu or chrf.
bool translates_to_validate(const TrainOptions& options);

// Throws UsageError if options contradict each other; ranges are checked when options are read.
void check_consistent(const TrainOptions& options);

// "last:5" or "best:5".
struct Averaging {
  enum class Kind { none, last, best } kind = Kind::none;
  int64_t count = 0;
};
Averaging parse_averaging(const std::string& text);

// Sets unset options to the defaults that follow from other options (preset, schedule, optimizer).
// With --finetune-from, options that the model determines stay unset.
TrainOptions with_defaults(TrainOptions options);

// with_defaults(), and resets options that have no effect because of others (such as
// --batch-tokens with --batch-sentences), so that equivalent runs
// have equal normalized options.
TrainOptions normalized(TrainOptions options);

// The flags of options that are set but ignored, since --finetune-from or --tokenizer-model
// determines the same.
std::vector<std::string> ignored_options(const TrainOptions& options);

// The number of epochs after which a run ends: --epochs; else the default, or no limit if
// --steps or --minutes is set.
std::optional<int64_t> epoch_limit(const TrainOptions& options);

LoopOptions loop_options(const TrainOptions& options);

// The schedule of a model of this width; of options as with_data_defaults() returns them.
RateSchedule rate_schedule(const TrainOptions& options, int64_t d_model);

// Whether the schedule ends with --minutes, which no other limit says in steps: a Trainer then sets
// --decay-steps after its first steps.
bool decays_by_minutes(const TrainOptions& options);

// with_defaults(), and defaults that depend on the training text: --decay-steps, unless
// decays_by_minutes(). The training state
// records these options. `epoch_steps` returns the number of steps of the first epoch, and is
// called only if it is needed; later epochs may have a few more or less. UsageError if the schedule
// would end within its warm-up.
TrainOptions with_data_defaults(const TrainOptions& options,
                                const std::function<int64_t()>& epoch_steps);

// The batch size of a thread in validation, in tokens: at most that of a shard in training, so that
// validation needs no more memory than a step. It affects results by rounding only.
int64_t validation_batch_tokens(const TrainOptions& options);

// The config of a new model: the sizes of the preset and of the options that override it.
ModelConfig model_config(const TrainOptions& options, int64_t vocabulary,
                         int64_t output_vocabulary_size);

// The config of a model to fine-tune: `config`, that of --finetune-from, with the dropout of the
// options. UsageError if the options ask for another activation or other tied embeddings.
ModelConfig finetuning_config(const TrainOptions& options, ModelConfig config);

}  // namespace heed
