// Options of the inspection of parallel text.
#pragma once

#include <cstdint>

namespace heed {

struct InspectionOptions {
  double max_ratio_deviation = 3;     // factor between a pair's length ratio and the median ratio
  int64_t max_sentence_tokens = 256;  // of a side; words without a tokenizer
  int64_t examples = 5;               // of each kind of finding
  int64_t pairs = 0;                  // inspects only the first ones; 0: all
  int64_t max_table_entries = int64_t{1} << 21;  // of each SampledMap

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("max_ratio_deviation", self.max_ratio_deviation,
      {.help = "Report pairs whose ratio of target to source characters differs from the median by "
               "more than this factor",
       .maximum = 1000,
       .above = 1});
    v("max_sentence_tokens", self.max_sentence_tokens,
      {.help = "Report pairs with a side of more than N tokens (N words if no tokenizer is given)",
       .unit = "tokens",
       .minimum = 2,
       .maximum = 65535});
    v("examples", self.examples,
      {.help = "Examples shown of each finding", .minimum = 0, .maximum = 1000});
    v("pairs", self.pairs,
      {.help = "Inspect only the first N pairs; 0: all", .unit = "pairs", .minimum = 0});
    v("max_table_entries", self.max_table_entries,
      {.help =
           "Maximum number of entries in each hash table (all tables together take up to N times "
           "150 bytes, twice that with a test set); counts of larger corpora are estimated "
           "from a sample",
       .unit = "entries",
       .minimum = 1024,
       .maximum = 1 << 30});
  }
};

}  // namespace heed
