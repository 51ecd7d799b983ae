#include "heed/text/word_link.h"

#include <algorithm>

#include "heed/core/ascii.h"

namespace heed {

std::optional<LinkText> link_of_text(std::string_view text) {
  const size_t mark = text.find_first_not_of("0123456789");
  if (mark == text.npos) return {};
  const auto source = whole_number<int32_t>(text.substr(0, mark), 0, INT32_MAX);
  const auto target = whole_number<int32_t>(text.substr(mark + 1), 0, INT32_MAX);
  if (!source || !target) return {};
  return LinkText{{*source, *target}, text[mark]};
}

std::vector<WordLink> in_target_order(std::vector<WordLink> links) {
  std::ranges::sort(links, {}, [](const WordLink& l) { return std::pair(l.target, l.source); });
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

}  // namespace heed
