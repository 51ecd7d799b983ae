// Options of the inspection of parallel text.
#pragma once

#include <cstdint>

namespace heed {

struct InspectionOptions {
  double max_ratio = 3;              // a length ratio this many times the typical one is a finding
  int64_t max_tokens = 256;          // a longer side is a finding (words, without a tokenizer)
  int64_t examples = 5;              // of each kind of finding
  int64_t pairs = 0;                 // inspects only the first ones; 0: all
  int64_t table = int64_t{1} << 21;  // fingerprints kept in a table before it is thinned

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("max_ratio", self.max_ratio,
      {.help = "Report pairs whose length ratio is this many times the typical one",
       .maximum = 1000,
       .above = 1});
    v("max_tokens", self.max_tokens,
      {.help = "Report longer sides; in words if no tokenizer is given",
       .unit = "tokens",
       .minimum = 2,
       .maximum = 65535});
    v("examples", self.examples,
      {.help = "Examples shown of each finding", .minimum = 0, .maximum = 1000});
    v("pairs", self.pairs,
      {.help = "Inspect only the first N pairs; 0: all", .unit = "pairs", .minimum = 0});
    v("table", self.table,
      {.help = "Entries of each fingerprint table; a larger corpus is estimated from a sample",
       .unit = "entries",
       .minimum = 1024,
       .maximum = 1 << 30});
  }
};

}  // namespace heed
