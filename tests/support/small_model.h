// A model small enough to be computed by hand, or by central differences.
#pragma once

#include "heed/model/config.h"

namespace heed::testing {

// Two layers a side of width 8, no dropout, for sentences of up to 32 tokens; the last id is <pad>.
inline ModelConfig small_config(int64_t vocabulary) {
  ModelConfig config;
  config.vocabulary_size = vocabulary;
  config.output_vocabulary_size = vocabulary - 1;
  config.d_model = 8;
  config.d_ff = 16;
  config.heads = 2;
  config.encoder_layers = config.decoder_layers = 2;
  config.max_positions = 32;
  config.dropout = 0;
  return config;
}

}  // namespace heed::testing
