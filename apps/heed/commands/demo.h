// The training of heed demo.
#pragma once

#include <filesystem>

#include "heed/run/train_options.h"

namespace heed {

// For the phrasebook in `directory`, whose model goes to directory/model.
TrainOptions demo_training(const std::filesystem::path& directory, double minutes);

}  // namespace heed
