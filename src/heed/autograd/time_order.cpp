#include "heed/autograd/time_order.h"

#include <algorithm>
#include <numeric>

namespace heed {

Tokens row_tokens(std::vector<int32_t> rows) {
  Tokens tokens;
  tokens.layout.add(int64_t(rows.size()));
  tokens.ids = std::move(rows);
  return tokens;
}

TimeOrder::TimeOrder(const Ragged& layout, ReadingOrder order) {
  std::vector<int32_t> sequences(size_t(layout.count())), sequence_places(sequences.size());
  std::iota(sequences.begin(), sequences.end(), 0);
  std::ranges::stable_sort(
      sequences, [&](int32_t a, int32_t b) { return layout.length(a) > layout.length(b); });
  for (size_t i = 0; i < sequences.size(); ++i) sequence_places[size_t(sequences[i])] = int32_t(i);
  std::vector<int32_t> rows, places(size_t(layout.rows())), before;
  for (int64_t t = 0; int64_t(rows.size()) < layout.rows(); ++t) {
    for (const int32_t b : sequences) {
      const int64_t length = layout.length(b), i = int64_t(rows.size()) - begins_.back();
      if (length <= t) break;
      const int64_t position = order == ReadingOrder::forward ? t : length - 1 - t;
      const int64_t row = layout.offsets[size_t(b)] + position;
      places[size_t(row)] = int32_t(rows.size());
      rows.push_back(int32_t(row));
      if (t > 0) before.push_back(int32_t(begins_[size_t(t) - 1] + i));
    }
    begins_.push_back(int64_t(rows.size()));
  }
  rows_ = row_tokens(std::move(rows));
  places_ = row_tokens(std::move(places));
  before_ = row_tokens(std::move(before));
  sequences_ = row_tokens(std::move(sequences));
  sequence_places_ = row_tokens(std::move(sequence_places));
}

}  // namespace heed
