// The settings of a training run: its options in combination, resolved once into what each part of
// the run takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/run/checkpoints.h"
#include "heed/run/run_limits.h"
#include "heed/run/stages.h"
#include "heed/run/train_options.h"
#include "heed/train/training_loop.h"

namespace heed {

struct ValidationSettings {
  int64_t every = 0;  // steps; 0: after each epoch
  ValidationMetric metric = ValidationMetric::loss;
  // The batch size of a thread: at most that of a shard in training, so that validation needs no
  // more memory than a step. It affects results by rounding only.
  int64_t batch_tokens = 1024;

  bool translates() const { return metric != ValidationMetric::loss; }
};

struct RunSettings {
  // The options with all defaults, as the training state records them. With --finetune-from, those
  // that the model determines are not set.
  TrainOptions options;
  int threads = 1;
  RunLimits limits;
  std::vector<StagePlan> stages;  // empty without corpora
  ValidationSettings validation;
  CheckpointSettings checkpoints;
  LoopOptions loop;
  AdamStep adam;  // without what changes from step to step
  // Two values are known later: d_model with the model, and decay_steps where --epochs (once the
  // text is encoded) or --minutes (once steps were timed) determines it.
  RateSchedule schedule;

  bool awaits_decay_steps() const;
  void set_decay_steps(int64_t steps) { schedule.decay_steps = options.decay_steps = steps; }
  // Sets decay_steps to the steps of all epochs, as far as they are known before they are planned.
  // UsageError if the schedule would end within its warm-up.
  void set_total_steps(double steps);
};

// UsageError if options contradict each other; ranges are checked when options are read.
RunSettings resolve(const TrainOptions& given);

// Whether a run of these options validates: on pairs held out, or on files.
bool validates(const TrainOptions& options);

// With defaults, and without options that have no effect because of others (such as --batch-tokens
// with --batch-sentences), so that equivalent runs have equal normalized options.
TrainOptions normalized(TrainOptions options);

// The flags of options that are set but ignored, since --finetune-from or --tokenizer-model
// determines the same.
std::vector<std::string> ignored_options(const TrainOptions& options);

// The config of a new model: the sizes of the preset and of the options that override it.
ModelConfig model_config(const TrainOptions& options, int64_t vocabulary,
                         int64_t output_vocabulary_size);

// The config of a model to fine-tune: `config`, that of --finetune-from, with the dropout of the
// options. UsageError if the options ask for another activation or other tied embeddings.
ModelConfig finetuning_config(const TrainOptions& options, ModelConfig config);

}  // namespace heed
