#include "heed/evaluate/alignment_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "heed/core/error.h"
#include "heed/core/utf8.h"
#include "heed/text/word_link.h"

namespace heed {
namespace {

// Links, and whether they are sure.
using Links = std::map<WordLink, bool>;

enum class Text { hypothesis, reference };

Links links_of(const std::string& line, size_t number, Text text) {
  Links links;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const std::optional<LinkText> found = link_of_text(word);
    const bool sure = found && found->separator == '-';
    const bool possible = found && (found->separator == 'p' || found->separator == '?');
    if (!(sure || (possible && text == Text::reference)))
      fail("line {} of the {}: '{}' is no link: expected two numbers from 0 such as 2-1{}", number,
           text == Text::hypothesis ? "hypotheses" : "reference", excerpt(word),
           text == Text::hypothesis ? "" : ", or 2p1 for one that is possible");
    links[found->link] |= sure;
  }
  return links;
}

double per_cent(int64_t part, int64_t all) {
  return all == 0 ? 0 : 100 * double(part) / double(all);
}

}  // namespace

AlignmentStatistics& AlignmentStatistics::operator+=(const AlignmentStatistics& other) {
  links += other.links;
  sure += other.sure;
  matched_sure += other.matched_sure;
  matched_possible += other.matched_possible;
  return *this;
}

std::vector<AlignmentStatistics> alignment_statistics(const Lines& hypotheses,
                                                      std::span<const Lines> references,
                                                      const AlignmentErrorOptions&) {
  detail::check_line_counts(hypotheses, references);
  if (references.size() > 1)
    fail_usage("--metrics aer takes one reference, got {}", references.size());
  std::vector<AlignmentStatistics> all;
  all.reserve(hypotheses.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const Links found = links_of(hypotheses[i], i + 1, Text::hypothesis);
    const Links wanted = links_of(references[0][i], i + 1, Text::reference);
    AlignmentStatistics one;
    one.links = int64_t(found.size());
    one.sure = std::ranges::count_if(wanted, [](const auto& link) { return link.second; });
    for (const auto& [place, sure] : found) {
      const auto match = wanted.find(place);
      if (match == wanted.end()) continue;
      ++one.matched_possible;
      one.matched_sure += match->second;
    }
    all.push_back(one);
  }
  return all;
}

AlignmentErrorScore alignment_score(const AlignmentStatistics& corpus, size_t reference_count,
                                    const AlignmentErrorOptions&) {
  AlignmentErrorScore score;
  score.statistics = corpus;
  score.precision = per_cent(corpus.matched_possible, corpus.links);
  score.recall = per_cent(corpus.matched_sure, corpus.sure);
  const int64_t all = corpus.links + corpus.sure;
  score.error = all == 0 ? 0 : 100 - per_cent(corpus.matched_sure + corpus.matched_possible, all);
  score.signature = fmt::format("nrefs:{}|{}", reference_count, detail::version_field());
  return score;
}

std::string AlignmentErrorScore::line() const {
  return fmt::format("AER = {:.2f} (precision = {:.2f} recall = {:.2f} links = {})", error,
                     precision, recall, statistics.links);
}

MetricScore AlignmentErrorScore::metric() const {
  return {"AER", error, signature, line(), {{"precision", precision}, {"recall", recall}}, {}};
}

}  // namespace heed
