// The training of heed demo.
#pragma once

#include <filesystem>

#include "heed/train/train_options.h"

namespace heed {

// For the phrasebook in `folder`, whose model goes to folder/model.
TrainOptions demo_training(const std::filesystem::path& folder, double minutes);

}  // namespace heed
