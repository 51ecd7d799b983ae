#include "heed/data/held_out.h"

#include <algorithm>
#include <unordered_set>

#include "heed/core/error.h"
#include "heed/core/rng.h"
#include "heed/data/comparison_form.h"
#include "heed/data/text_filter.h"

namespace heed {

HeldOut hold_out(const ParallelText& text, const FilterOptions& filters, int64_t count,
                 uint64_t seed) {
  const TextFilter filter(filters, text);
  std::string source, target;
  std::unordered_set<uint64_t> seen;
  // Whether the last pair can be drawn: it passes the filters and is the first with its source.
  const auto eligible = [&] {
    return filter.decide(source, target) == FilterDecision::kept &&
           seen.insert(detail::line_fingerprint(source)).second;
  };
  int64_t left = 0;
  for (PairReader reader(text); reader.next(source, target);) left += eligible() ? 1 : 0;
  if (left <= count)
    fail("--hold-out {} leaves nothing to learn from: the filters keep {} different sources", count,
         left);
  seen.clear();
  HeldOut held;
  Random random(seed);
  int64_t wanted = count;
  for (PairReader reader(text); wanted > 0 && reader.next(source, target);) {
    if (!eligible() || random.below(uint64_t(left--)) >= uint64_t(wanted)) continue;
    --wanted;
    held.sources.push_back(detail::line_fingerprint(source));
    held.source += source + "\n";
    held.target += target + "\n";
  }
  std::sort(held.sources.begin(), held.sources.end());
  return held;
}

}  // namespace heed
