// Commands to type before and after a training.
#pragma once

#include <string>
#include <vector>

#include "heed/run/train_options.h"

namespace heed {

// How the user can call this program from where they are: "heed" where the shell finds it by that
// name, otherwise its path.
std::string program_command();

struct TrainedModel {
  std::string directory;
  std::string source, reference;  // text to translate and evaluate on; empty where there is none
};

// The model that training with these options writes, with the validation text.
TrainedModel trained_model(const TrainOptions& options);

// heed inspect data for the training text: all of its files, or placeholders where one of them
// cannot be read again.
std::string inspection_command(const TrainOptions& options);

// "Next:", then commands that translate a sentence of the source, evaluate, inspect the model, and
// serve it.
std::vector<std::string> next_steps(const TrainedModel& model);
// The same after a training with these options, which may have been of a language model: then with
// commands that continue a prompt and score a text.
std::vector<std::string> next_steps_of(const TrainOptions& options);

}  // namespace heed
