#include "heed/text/tsv_options.h"

#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

// A column's number, from 1; 0 for any other text.
int64_t column_number(const std::string& text) {
  int64_t number = 0;
  return from_text(text, {.minimum = 1, .maximum = 1e6}, number) ? number : 0;
}

}  // namespace

void TsvOptions::check(const std::vector<std::string>& other_tsv) const {
  const bool sound = columns.size() == 2 && column_number(columns[0]) > 0 &&
                     column_number(columns[1]) > 0 &&
                     column_number(columns[0]) != column_number(columns[1]);
  if (!sound)
    fail_usage(
        "--columns: expected two different whole numbers from 1, such as 1 2 (source first), got "
        "'{}'",
        excerpt(fmt::format("{}", fmt::join(columns, " "))));
  if (tsv.empty() && other_tsv.empty() && columns != TsvOptions().columns)
    fail_usage("--columns {} changes nothing: no tab-separated text is given",
               fmt::join(columns, " "));
}

std::pair<TextFiles, TextFiles> TsvOptions::open(const std::vector<std::string>& names,
                                                 const CopyOptions& copying) const {
  std::pair<TextFiles, TextFiles> sides;
  for (const std::string& name : names) {
    const TextFile file(name, copying);
    sides.first.push_back(file.column(column_number(columns[0])));
    sides.second.push_back(file.column(column_number(columns[1])));
  }
  return sides;
}

}  // namespace heed
