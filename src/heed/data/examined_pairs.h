// The two readings of parallel text that an inspection and a cleaning make: of a sample, then of
// every pair, many at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/core/parallel.h"
#include "heed/data/pair_facts.h"
#include "heed/data/pair_stream.h"
#include "heed/data/sampled_map.h"
#include "heed/text/text_file.h"

namespace heed::detail {

// The first reading of the files.
struct PairSample {
  std::vector<RawPair> pairs;          // evenly distributed over the files, cut at a length
  std::vector<int64_t> usual_columns;  // of tab-separated text, by file
};

// Samples the first `most` lines of each side, or all if that is 0.
PairSample take_sample(const TextFiles& source, const TextFiles& target, int64_t most);

// The lines and pairs of a test set, and whether each of them was seen in the training text.
struct TestLines {
  SampledMap<bool> sources, targets, pairs;

  // Each file is optional; there are pairs if there are both. `table` is the size of each map.
  // Error: the files have different numbers of lines.
  TestLines(const TextFiles& source, const TextFiles& target, int64_t table);
  // Marks what a pair has in common with the test set as seen. Returns test_pairs, test_sources or
  // std::nullopt.
  std::optional<FindingKind> find(const PairFacts& facts);
};

[[noreturn]] void fail_unequal(const std::string& line_counts);

// Reads all pairs, gives many at a time to `examine` on all workers, and each with what that
// returned to `add`, in their order.
template <class Examine, class Add>
void examine_all(PairStream& stream, Workers& workers, const Examine& examine, const Add& add) {
  constexpr size_t kChunk = 8192;           // pairs that are examined together
  constexpr size_t kChunkBytes = 16 << 20;  // their maximum size
  constexpr int64_t kTask = 64;             // pairs of one task
  std::vector<RawPair> pairs(kChunk);
  std::vector<decltype(examine(pairs[0]))> results(kChunk);
  for (;;) {
    size_t read = 0;
    for (size_t bytes = 0; read < kChunk && bytes < kChunkBytes; ++read) {
      if (!stream.next(pairs[read])) break;
      bytes += pairs[read].source.size() + pairs[read].target.size();
    }
    if (read == 0) return;
    const auto count = int64_t(read);
    workers.run((count + kTask - 1) / kTask, [&](int64_t task, int) {
      const int64_t end = std::min(count, (task + 1) * kTask);
      for (int64_t i = task * kTask; i < end; ++i) results[size_t(i)] = examine(pairs[size_t(i)]);
    });
    for (size_t i = 0; i < read; ++i) add(pairs[i], results[i]);
  }
}

}  // namespace heed::detail
