#include "heed/evaluate/metric.h"

#include <fmt/format.h>

#include "heed/core/counted.h"
#include "heed/core/error.h"
#include "heed/core/version.h"

namespace heed::detail {

void check_line_counts(const Lines& hypotheses, std::span<const Lines> references) {
  if (references.empty())
    fail("nothing to compare with: expected at least one reference, got none");
  for (size_t i = 0; i < references.size(); ++i) {
    if (references[i].size() == hypotheses.size()) continue;
    const std::string which =
        references.size() == 1 ? "the reference" : fmt::format("reference {}", i + 1);
    fail("{} has {} but the hypotheses have {}: give one line of each per sentence", which,
         detail::counted(int64_t(references[i].size()), "line"), hypotheses.size());
  }
  if (hypotheses.empty()) {
    fail(
        "no lines to evaluate: expected at least one hypothesis and its reference, got empty "
        "texts");
  }
}

std::string version_field() {
  return fmt::format("version:heed-{}", version());
}

}  // namespace heed::detail
