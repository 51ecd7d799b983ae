#include "heed/decode/constraint.h"

namespace heed {

void NextTokens::ban(std::span<const TokenId> ids) {
  const auto before = std::ptrdiff_t(banned_.size());
  banned_.insert(banned_.end(), ids.begin(), ids.end());
  std::inplace_merge(banned_.begin(), banned_.begin() + before, banned_.end());
}

void NextTokens::allow_only(std::vector<TokenId> ids) {
  if (only_) std::erase_if(ids, [&](TokenId id) { return !allows(id); });
  only_ = std::move(ids);
}

}  // namespace heed
