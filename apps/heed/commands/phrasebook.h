// The embedded phrasebook as files of a directory, and a training on it.
#pragma once

#include <filesystem>

#include "heed/core/options.h"
#include "heed/run/train_options.h"

namespace heed {

struct PhrasebookSettings {
  int64_t pairs = 50'000;
  int64_t valid_pairs = 500;
  int64_t test_pairs = 1000;
  int64_t seed = 1;
  std::string output;
  bool alignments = false;
  bool overwrite = false;

  static void visit(auto& self, auto&& v) {
    v.group("Phrasebook");
    v("pairs", self.pairs,
      {.help = "Training pairs", .unit = "pairs", .minimum = 1, .maximum = 1e6});
    v("valid_pairs", self.valid_pairs,
      {.help = "Held-out validation pairs", .unit = "pairs", .minimum = 1, .maximum = 1e6});
    v("test_pairs", self.test_pairs,
      {.help = "Held-out test pairs", .unit = "pairs", .minimum = 1, .maximum = 1e6});
    v("seed", self.seed, {.help = "Random seed", .minimum = 0, .maximum = 9e15});
    v.group("Output");
    v("output", self.output, {.help = "Output directory", .value = "DIR", .required = true});
    v("alignments", self.alignments,
      {.help = "Also write the true word alignments as train.align, valid.align and test.align: "
               "pairs of a Chinese character and an English word, counted from 0, as heed "
               "translate --alignments words prints them"});
    v("overwrite", self.overwrite, {.help = "Overwrite existing files"});
  }
};

// Writes train, valid and test, each with .zh, .en and perhaps .align, into the output directory,
// created if missing. If the disk is full, no files and no directory remain. Error if files of
// these names exist, unless they are overwritten, which also removes the alignments of replaced
// text.
void write_phrasebook(const PhrasebookSettings& settings);

// The training of heed demo, for the phrasebook in `directory`; its model goes to directory/model.
TrainOptions demo_training(const std::filesystem::path& directory, double minutes);

}  // namespace heed
