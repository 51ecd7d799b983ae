// The embedded phrasebook as files of a directory.
#pragma once

#include <filesystem>

#include "files/outputs.h"
#include "heed/core/options.h"

namespace heed {

struct PhrasebookSettings {
  int64_t pairs = 50'000;
  int64_t valid_pairs = 500;
  int64_t test_pairs = 1000;
  int64_t seed = 1;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Phrasebook");
    v("pairs", self.pairs,
      {.help = "Training pairs", .unit = "pairs", .minimum = 1, .maximum = 1e6});
    v("valid_pairs", self.valid_pairs,
      {.help = "Held-out validation pairs", .unit = "pairs", .minimum = 1, .maximum = 1e6});
    v("test_pairs", self.test_pairs,
      {.help = "Held-out test pairs", .unit = "pairs", .minimum = 1, .maximum = 1e6});
    v("seed", self.seed, {.help = "Random seed", .minimum = 0, .maximum = 9e15});
  }
};

// Whether the word alignments of the pairs are written too.
enum class AlignmentFiles { none, written };

// Writes train, valid and test, each with .zh, .en and perhaps .align, into `directory`, created if
// missing. If the disk is full, no files and no directory remain. Error if files of these names
// exist, unless `existing` is replace, which also removes the alignments of replaced text.
void write_phrasebook(const PhrasebookSettings& settings, const std::filesystem::path& directory,
                      Existing existing, AlignmentFiles alignments = AlignmentFiles::none);

}  // namespace heed
