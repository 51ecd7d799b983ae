#include "heed/text/column_counts.h"

#include <algorithm>

namespace heed::detail {

void ColumnCounts::add(int64_t columns, int64_t line) {
  Rows& rows = by_columns_[size_t(std::clamp<int64_t>(columns, 1, kMaxColumns)) - 1];
  if (rows.count++ == 0) rows.first_line = line;
}

size_t ColumnCounts::usual_index() const {
  const auto fewer = [](const Rows& a, const Rows& b) { return a.count < b.count; };
  return size_t(std::max_element(by_columns_.begin(), by_columns_.end(), fewer) -
                by_columns_.begin());
}

int64_t ColumnCounts::usual() const {
  return int64_t(usual_index()) + 1;
}

int64_t ColumnCounts::wider_rows() const {
  int64_t rows = 0;
  for (size_t i = usual_index() + 1; i < by_columns_.size(); ++i) rows += by_columns_[i].count;
  return rows;
}

int64_t ColumnCounts::first_wider_line() const {
  int64_t first = 0;
  for (size_t i = usual_index() + 1; i < by_columns_.size(); ++i) {
    const Rows& rows = by_columns_[i];
    if (rows.count > 0 && (first == 0 || rows.first_line < first)) first = rows.first_line;
  }
  return first;
}

}  // namespace heed::detail
