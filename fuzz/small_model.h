// The model that the seeds hold, and the run that its checkpoint belongs to.
#pragma once

#include "heed/run/training_state.h"

namespace heed::fuzzing {

inline ModelConfig small_config() {
  ModelConfig config;
  config.vocabulary_size = 6;
  config.output_vocabulary_size = 5;
  config.d_model = 4;
  config.d_ff = 4;
  config.heads = 2;
  config.encoder_layers = config.decoder_layers = 1;
  config.max_positions = 8;
  return config;
}

inline RunIdentity small_identity() {
  return {TrainOptions{}, "reference", 7};
}

}  // namespace heed::fuzzing
