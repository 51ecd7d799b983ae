// Settings for two files and a number of minutes: what the options of a run leave open, chosen by
// the size of its text and by the speed of the machine. The numbers that the choice rests on were
// found by recipes/settings.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/run/observer.h"
#include "heed/run/text_size.h"
#include "heed/run/training_text.h"

namespace heed {

// Whether a run of these options has settings to choose: it translates, begins with random weights
// of a Transformer, is limited by --minutes alone, and leaves some of the settings open.
bool leaves_settings_open(const TrainOptions& options);

// Seconds of a step of a run with these options, infinity if it does not fit into memory.
using StepTimer = std::function<double(const TrainOptions& options)>;

struct ChosenSettings {
  TrainOptions options;              // those given, and those chosen
  std::vector<std::string> reasons;  // lines that say what was chosen, and why
};

// Chooses settings for options that leave some open. What is given stays as it is. `seconds` is
// called for sizes of the model from the smallest on, as long as the next one may be a better one.
ChosenSettings choose_settings(const TrainOptions& given, const TextSize& text,
                               const StepTimer& seconds);

// The options with the settings chosen that they leave open, if they do; messages say which and
// why. A run to resume has those that it began with. train() of heed.h calls this; for a Trainer,
// call it first, since options that are not set have fixed defaults there.
TrainOptions with_chosen_settings(const TrainOptions& given, const TrainingText& text,
                                  TrainObserver& observer);

}  // namespace heed
