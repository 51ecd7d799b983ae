#include "heed/data/examined_pairs.h"

#include <utility>

#include "heed/core/error.h"
#include "heed/text/parallel_text.h"

namespace heed::detail {
namespace {

constexpr size_t kSamplePairs = 20'000;  // half of the largest sample
constexpr size_t kSampledBytes = 1000;   // of each of its lines

// Whether this is a line of the test set, which is then marked as seen.
bool mark(SampledMap<bool>& lines, uint64_t fingerprint) {
  bool* seen = lines.find(fingerprint);
  if (seen) *seen = true;
  return seen != nullptr;
}

}  // namespace

PairSample take_sample(const TextFiles& source, const TextFiles& target, int64_t most) {
  PairStream stream(source, target, most);
  PairSample sample;
  std::vector<ColumnCounts> columns(source.size());
  std::vector<RawPair>& kept = sample.pairs;
  RawPair pair;
  for (int64_t i = 0, stride = 1; stream.next(pair); ++i) {
    if (pair.complete) columns[stream.file()].add(pair.columns, i);
    if (i % stride != 0) continue;
    kept.push_back(
        {pair.source.substr(0, kSampledBytes), pair.target.substr(0, kSampledBytes), true});
    if (kept.size() < 2 * kSamplePairs) continue;
    for (size_t k = 0; k < kSamplePairs; ++k) kept[k] = std::move(kept[2 * k]);
    kept.resize(kSamplePairs);
    stride *= 2;
  }
  for (const ColumnCounts& file : columns) sample.usual_columns.push_back(file.usual());
  return sample;
}

void fail_unequal(const std::string& line_counts) {
  fail("{}: line i of both must belong to the same sentence", line_counts);
}

TestLines::TestLines(const TextFiles& source, const TextFiles& target, int64_t table)
    : sources(table), targets(table), pairs(table) {
  const auto read = [](const TextFiles& texts, SampledMap<bool>& lines) {
    for (const TextFile& text : texts) {
      LineReader reader = text.lines();
      for (std::string line; reader.next(line);) {
        const LineFacts facts = facts_of(line);
        if (!facts.words.empty()) lines.insert(facts.fingerprint, false);
      }
    }
  };
  read(source, sources);
  read(target, targets);
  if (source.size() != target.size()) return;
  PairStream stream(source, target, 0);
  for (RawPair pair; stream.next(pair);) {
    const PairFacts facts{facts_of(pair.source), facts_of(pair.target), {}};
    if (!facts.source.words.empty()) pairs.insert(facts.fingerprint(), false);
  }
  if (stream.unpaired() > 0) fail_unequal(stream.unequal());
}

std::optional<FindingKind> TestLines::find(const PairFacts& facts) {
  const bool source = mark(sources, facts.source.fingerprint);
  mark(targets, facts.target.fingerprint);
  if (mark(pairs, facts.fingerprint())) return FindingKind::test_pairs;
  return source ? std::optional(FindingKind::test_sources) : std::nullopt;
}

}  // namespace heed::detail
