// How many columns the rows of tab-separated text have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heed::detail {

// Finds rows with more columns than the others, of which the text after the last usual column is
// not read: "eins zwei<TAB>een twee<TAB>drie" among rows of two columns. Rows of kMaxColumns and
// more count as equal.
class ColumnCounts {
 public:
  static constexpr int64_t kMaxColumns = 64;

  // Rows are added in order.
  void add(int64_t columns, int64_t line);
  // The most frequent number of columns; the smaller one of two that are equally frequent.
  int64_t usual() const;
  // The number of rows with more than usual(), and the line of the first; 0 if there is none.
  int64_t wider_rows() const;
  int64_t first_wider_line() const;

 private:
  struct Rows {
    int64_t count = 0, first_line = 0;
  };
  size_t usual_index() const;

  std::array<Rows, kMaxColumns> by_columns_{};  // with 1 column, with 2, ...
};

}  // namespace heed::detail
