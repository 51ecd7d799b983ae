// A page of results of one model: their attention, their probabilities and their search.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/decode/explanation.h"
#include "heed/pages/page.h"
#include "heed/text/sentences.h"

namespace heed {

struct AttentionPageTitle {
  std::string model;  // its name, as the reader knows it
  // The options of the search, if the model searches: {"beam", "4"}. See shown_options().
  std::vector<std::pair<std::string, std::string>> options = {};
  TextUnit unit = TextUnit::lines;  // what the page calls its lines
};

// The beam size, unless translations are sampled, and options that do not have their defaults.
std::vector<std::pair<std::string, std::string>> shown_options(const SearchOptions& search);

// Holds what is added compressed: of a translation of 25 tokens by a model of 6 layers and 8
// heads, about 100 kB.
class AttentionPage {
 public:
  // A size that a browser opens without trouble; explanations beyond it are left out of the page,
  // which says so.
  static constexpr size_t kMaxBytes = size_t{48} << 20;

  // The model's parts must outlive the page.
  AttentionPage(const ModelParts& parts, AttentionPageTitle title, size_t max_bytes = kMaxBytes);

  // The next line of the page: the line that was given, and what explain() says of it.
  void add(const std::string& source, const Explanation& explanation);
  // The size of all that was added, for callers that bound their memory.
  size_t bytes() const { return bytes_; }
  // `all_lines` of the input, of which the page has the first. One HTML file.
  std::string html(int64_t all_lines, const PageLook& look = {}) const;

 private:
  std::string block(const PartExplanation& part) const;

  const ModelParts parts_;
  const AttentionPageTitle title_;
  const size_t max_bytes_;
  std::vector<std::string> lines_;   // JSON
  std::vector<std::string> blocks_;  // of the parts of all lines
  size_t bytes_ = 0;                 // of both
};

}  // namespace heed
