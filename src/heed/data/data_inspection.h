// Inspects parallel text before training: lengths, vocabulary, and every kind of harmful pair
// (FindingKind), with line numbers and examples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/core/parallel.h"
#include "heed/data/data_report.h"
#include "heed/data/inspection_options.h"
#include "heed/text/text_file.h"
#include "heed/text/tokenizer.h"

namespace heed {

// The files: file k of one side belongs to file k of the other, as in heed train. Each test
// file is optional.
struct InspectionFiles {
  TextFiles source, target;
  TextFiles test_source, test_target;

  // No file if the name is empty.
  static TextFiles optional_file(const std::string& name, const CopyOptions& copying = {}) {
    return name.empty() ? TextFiles{} : TextFiles{TextFile(name, copying)};
  }
};

// Reads the files twice: first a sample for statistics, then every pair, which is compared with
// them. Unlike training it continues after invalid UTF-8 and missing lines, and reports them. With
// options.pairs it reads at most that many lines of each side. Memory: the hash tables (at most
// about 150 * options.max_table_entries bytes, and the same again for the test set), a chunk of
// pairs, the examples and the listed lines (4 bytes each, at most Finding::kMaxLines for each kind
// of finding), however long the text is. The report does not depend on the number of workers.
// `tokenizers` may be null. Error: a file that cannot be read, no pair at all. UsageError: options
// out of range, different numbers of files.
DataReport inspect_data(const InspectionFiles& files, const InspectionOptions& options,
                        const TokenizerPair* tokenizers, Workers& workers);

}  // namespace heed
