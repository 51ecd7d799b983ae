// Looks at parallel text before anything is learnt from it: lengths, vocabulary, and every kind of
// pair that does harm (FindingKind), with line numbers and examples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/core/parallel.h"
#include "heed/text/data_report.h"
#include "heed/text/text_file.h"
#include "heed/text/tokenizer.h"

namespace heed {

struct InspectionOptions {
  double max_ratio = 3;      // one side so many times as long as typical is odd
  int64_t max_tokens = 256;  // a longer side is very long (words, where there is no tokenizer)
  int64_t examples = 5;      // kept of each kind
  int64_t pairs = 0;         // looks at the first so many alone; 0 looks at all
  int64_t table = int64_t{1} << 21;  // fingerprints kept in a table before it is thinned

  // What stands on the command line (core/options.h).
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("max_ratio", self.max_ratio,
      {.help = "A side so many times as long as typical for its partner is odd",
       .maximum = 1000,
       .above = 1});
    v("max_tokens", self.max_tokens,
      {.help = "A longer side is very long; counts words where no tokenizer is given",
       .unit = "tokens",
       .minimum = 2,
       .maximum = 65535});
    v("examples", self.examples,
      {.help = "Examples shown of each finding", .minimum = 0, .maximum = 1000});
    v("pairs", self.pairs,
      {.help = "Look at the first so many pairs only; 0 looks at all",
       .unit = "pairs",
       .minimum = 0});
    v("table", self.table,
      {.help = "Entries of each table of fingerprints; a larger corpus is estimated from a sample",
       .unit = "entries",
       .minimum = 1024,
       .maximum = 1 << 30});
  }
};

// Files as heed train takes them: file k of one side belongs to file k of the other, several follow
// each other. Test files may be missing on one side or both.
struct InspectionFiles {
  TextFiles source, target;
  TextFiles test_source, test_target;

  // No file where there is no name.
  static TextFiles optional_file(const std::string& name) {
    return name.empty() ? TextFiles{} : TextFiles{TextFile(name)};
  }
};

// Reads the files twice: a sample of them tells what is typical, then every pair is held against
// it. Unlike training it goes on over broken bytes and missing lines and reports them. With
// options.pairs it reads so many lines of each side at most. Memory: the
// tables of fingerprints (at most about 150 * options.table bytes, and as much for tests), a chunk
// of pairs and the examples, however long the text is. The report does not depend on the number of
// workers. `tokenizers` may be null. Error: a file that cannot be read, no pair at all. UsageError:
// options out of range, different numbers of files.
DataReport inspect_data(const InspectionFiles& files, const InspectionOptions& options,
                        const TokenizerPair* tokenizers, Workers& workers);

}  // namespace heed
