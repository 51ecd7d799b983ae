// Inspects parallel text before training: lengths, vocabulary, and every kind of
// pair that does harm (FindingKind), with line numbers and examples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/core/parallel.h"
#include "heed/text/data_report.h"
#include "heed/text/inspection_options.h"
#include "heed/text/text_file.h"
#include "heed/text/tokenizer.h"

namespace heed {

// Files as heed train takes them: file k of one side belongs to file k of the other, several follow
// each other. Test files may be missing on one side or both.
struct InspectionFiles {
  TextFiles source, target;
  TextFiles test_source, test_target;

  // No file where there is no name.
  static TextFiles optional_file(const std::string& name, const CopyOptions& copying = {}) {
    return name.empty() ? TextFiles{} : TextFiles{TextFile(name, copying)};
  }
};

// Reads the files twice: a sample of them tells what is typical, then every pair is compared with
// it. Unlike training it continues after broken bytes and missing lines and reports them. With
// options.pairs it reads at most that many lines of each side. Memory: the
// tables of fingerprints (at most about 150 * options.table bytes, and as much for tests), a chunk
// of pairs and the examples, however long the text is. The report does not depend on the number of
// workers. `tokenizers` may be null. Error: a file that cannot be read, no pair at all. UsageError:
// options out of range, different numbers of files.
DataReport inspect_data(const InspectionFiles& files, const InspectionOptions& options,
                        const TokenizerPair* tokenizers, Workers& workers);

}  // namespace heed
