// A page of translations: their attention, their probabilities and their search.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/decode/explanation.h"

namespace heed {

struct AttentionPageTitle {
  std::string model;  // its name, as the reader knows it
  // What translated it: {"beam", "4"}.
  std::vector<std::pair<std::string, std::string>> options = {};
};

// Holds what is added compressed: of a translation of 25 tokens by a model of 6 layers and 8
// heads, about 100 kB.
class AttentionPage {
 public:
  // The model's parts must outlive the page.
  AttentionPage(const ModelParts& parts, AttentionPageTitle title);

  // The next line of the page: the line that was given, and what explain() says of it.
  void add(const std::string& source, const Explanation& explanation);
  // `all_lines` of the input, of which the page has the first. One HTML file.
  std::string html(int64_t all_lines) const;

 private:
  std::string block(const PartExplanation& part) const;

  const ModelParts parts_;
  const AttentionPageTitle title_;
  std::vector<std::string> lines_;   // JSON
  std::vector<std::string> blocks_;  // of the parts of all lines
};

}  // namespace heed
