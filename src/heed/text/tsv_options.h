// Tab-separated text with both sides in each line.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heed/text/text_file.h"

namespace heed {

// The files and their columns.
struct TsvOptions {
  std::vector<std::string> tsv;
  std::vector<std::string> columns = {"1", "2"};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("tsv", self.tsv,
      {.help = "Tab-separated text with both sides in each line, plain or .gz, instead of two "
               "files; no quoting; several files are concatenated",
       .value = "FILE...",
       .ignored_in_comparison = true});
    v("columns", self.columns,
      {.help = "Columns of the source and the target in tab-separated text, counted from 1",
       .value = "N",
       .ignored_in_comparison = true});
  }

  // UsageError if --columns is not two different numbers of at least 1, or is given although there
  // is no tab-separated text, neither in --tsv nor in `other_tsv`.
  void check(const std::vector<std::string>& other_tsv = {}) const;
  // Both sides of tab-separated files, each of which is opened once; one entry per file.
  std::pair<TextFiles, TextFiles> open(const std::vector<std::string>& names,
                                       const CopyOptions& copying = {}) const;
};

}  // namespace heed
