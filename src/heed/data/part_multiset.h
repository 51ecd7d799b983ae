// Differences of lists as multisets.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace heed::detail {

using Parts = std::vector<std::string>;

inline bool has_part(const Parts& parts, const std::string& part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

// Removes one such part; false if there is none.
inline bool remove_one(Parts& parts, const std::string& part) {
  const auto found = std::find(parts.begin(), parts.end(), part);
  if (found == parts.end()) return false;
  parts.erase(found);
  return true;
}

// The parts of `all` without those of `others`, each of which removes one, in order.
inline Parts without(const Parts& all, const Parts& others) {
  std::vector<std::string> sorted = others;
  std::sort(sorted.begin(), sorted.end());
  std::vector<bool> used(sorted.size());
  Parts rest;
  for (const std::string& part : all) {
    auto at = std::lower_bound(sorted.begin(), sorted.end(), part);
    while (at != sorted.end() && *at == part && used[size_t(at - sorted.begin())]) ++at;
    if (at != sorted.end() && *at == part) {
      used[size_t(at - sorted.begin())] = true;
    } else {
      rest.push_back(part);
    }
  }
  return rest;
}

}  // namespace heed::detail
