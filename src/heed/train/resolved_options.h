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

// Whether validations translate: --validate-by is bleu or chrf.
bool translates_to_validate(const TrainOptions& options);

// Throws UsageError where options contradict each other; ranges are checked as they are read.
void check_consistent(const TrainOptions& options);

// "last:5" or "best:5".
struct Averaging {
  enum class Kind { none, last, best } kind = Kind::none;
  int64_t count = 0;
};
Averaging parse_averaging(const std::string& text);

// With what stands for options that say nothing, by preset, schedule and optimizer. What comes from
// the model of --initialize stays unsaid.
TrainOptions with_defaults(TrainOptions options);

// with_defaults(), and those that have no effect beside others as by default: options that give the
// same run are equal.
TrainOptions in_effect(TrainOptions options);

// The options that say something and change nothing, since --initialize or --tokenizer-model has
// decided it: their flags.
std::vector<std::string> overruled(const TrainOptions& options);

// Epochs at which a run ends: the default where no other end is given either, none where one is.
std::optional<int64_t> epoch_limit(const TrainOptions& options);

// The batches of one epoch.
BatchPlan batches_of_epoch(const TrainOptions& options, const Corpus& corpus, int64_t epoch);

// With defaults, and with what the text decides, as the training state records it: the step at
// which a schedule ends is part of a run, though how far the run goes is not. `epoch_steps` counts
// the first epoch's, where that is asked for; later ones may have a few more or less. UsageError if
// the schedule would end within its warm-up.
TrainOptions resolved(const TrainOptions& options, const std::function<int64_t()>& epoch_steps);

// Tokens that each thread reads at a time when it validates: no more than a shard has in training,
// so that it takes no more memory than a step gave back. No result depends on it but by its last
// digits.
int64_t tokens_between_steps(const TrainOptions& options);

// Sizes by preset and by what overrides it, for a vocabulary.
ModelConfig model_config(const TrainOptions& options, int64_t vocabulary, int64_t classes);

// `config`, of the model of --initialize, with the dropout that the options ask for. UsageError
// where they ask for another kind of model.
ModelConfig tuned_config(const TrainOptions& options, ModelConfig config);

}  // namespace heed
