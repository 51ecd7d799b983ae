#include "heed/data/pair_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/core/counted.h"
#include "heed/text/parallel_text.h"

namespace heed::detail {

bool PairStream::next(RawPair& pair) {
  if (most_ > 0 && pairs_ == most_) {
    cut_ = true;
    return false;
  }
  for (;;) {
    if (source_) {
      const bool left = source_->next(pair.source), right = target_->next(pair.target);
      if (left && right) {
        ++pairs_;
        pair.complete = source_->has_column() && target_->has_column();
        pair.columns = std::min(source_->columns(), ColumnCounts::kMaxColumns);
        pair.usual_columns = usual_columns_.empty() ? 1 : usual_columns_[file()];
        return true;
      }
      if (left || right) count_rest();
    }
    if (begins_.size() == source_files_.size()) return false;
    source_.emplace(source_files_[begins_.size()].lines());
    target_.emplace(target_files_[begins_.size()].lines());
    begins_.push_back(pairs_);
  }
}

PairStream::Place PairStream::place(int64_t pair) const {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), pair);
  const auto file = size_t(after - begins_.begin()) - 1;
  return {file, pair - begins_[file] + 1};
}

void PairStream::count_rest() {
  std::string line;
  int64_t rest = 1;
  const auto more = [&] { return source_->next(line) || target_->next(line); };
  while (pairs_ + rest != most_ && more()) ++rest;
  const Place place{begins_.size() - 1, pairs_ - begins_.back() + 1};
  if (unpaired_ == 0) {
    const bool stopped = pairs_ + rest == most_;  // the longer file may have more
    const auto lines = [&](const LineReader& reader) {
      const bool longer = reader.line_number() >= place.line;
      return fmt::format("{} has {}{}", reader.name(), stopped && longer ? "at least " : "",
                         counted(reader.line_number(), "line"));
    };
    unequal_ = lines(*source_) + " and " + lines(*target_);
  }
  stretches_.emplace_back(place, rest);
  unpaired_ += rest;
  source_.reset();
  target_.reset();
}

}  // namespace heed::detail
