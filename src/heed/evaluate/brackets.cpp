#include "heed/evaluate/brackets.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>

#include "heed/core/counted.h"
#include "heed/core/error.h"
#include "heed/core/utf8.h"
#include "heed/text/tree.h"

namespace heed {
namespace {

// A constituent over the words that are not deleted.
struct Bracket {
  int64_t begin, end;
  std::string_view label;

  auto key() const { return std::tie(begin, end, label); }
  bool operator<(const Bracket& other) const { return key() < other.key(); }
};

struct TaggedWord {
  std::string_view word, tag;
};

// A tree as COLLINS.prm has it compared. The views point into the tree.
struct ComparedTree {
  TreeReading reading;
  std::vector<Bracket> brackets = {};  // sorted
  std::vector<TaggedWord> words = {};
  int64_t length = 0;  // words, punctuation included
};

// COLLINS.prm: DELETE_LABEL.
bool is_deleted(std::string_view label) {
  constexpr std::string_view deleted[] = {"TOP", "-NONE-", ",", ":", "``", "''", "."};
  return std::ranges::find(deleted, label) != std::end(deleted);
}

// COLLINS.prm: EQ_LABEL ADVP PRT.
std::string_view without_synonym(std::string_view label) {
  return label == "PRT" ? "ADVP" : label;
}

ComparedTree read_compared_tree(const std::string& line) {
  ComparedTree compared{read_tree(replace_invalid_utf8(line))};
  const std::vector<TreeNode>& nodes = compared.reading.tree.nodes();
  std::vector<int64_t> words_before;  // by node
  for (const TreeNode& node : nodes) {
    words_before.push_back(int64_t(compared.words.size()));
    if (!node.has_word()) continue;
    compared.length += node.label != "-NONE-";
    if (!is_deleted(node.label)) {
      compared.words.push_back({node.word, without_synonym(node.label)});
    }
  }
  words_before.push_back(int64_t(compared.words.size()));
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::string_view full = nodes[i].label;
    const std::string_view label = full.substr(0, full.find_first_of("-="));
    const int64_t begin = words_before[i], end = words_before[i + nodes[i].nodes];
    if (nodes[i].has_word() || begin == end || is_deleted(label)) continue;
    compared.brackets.push_back({begin, end, without_synonym(label)});
  }
  std::sort(compared.brackets.begin(), compared.brackets.end());
  return compared;
}

// The reason for which EVALB counts a sentence as an error; "" if there is none.
std::string error_of(const ComparedTree& hypothesis, const ComparedTree& reference) {
  if (hypothesis.reading.defect) return hypothesis.reading.defect->message();
  if (reference.reading.defect) return "the reference: " + reference.reading.defect->message();
  const std::vector<TaggedWord>&words = hypothesis.words, &expected = reference.words;
  if (words.size() != expected.size()) {
    return fmt::format("{} without punctuation, expected {} as in the reference",
                       detail::counted(int64_t(words.size()), "word"), expected.size());
  }
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].word == expected[i].word) continue;
    return fmt::format("word {} without punctuation is '{}', expected '{}' as in the reference",
                       i + 1, excerpt(words[i].word, 60), excerpt(expected[i].word, 60));
  }
  return "";
}

// Brackets that both have; equal ones count as often as both have them.
int64_t count_matches(const std::vector<Bracket>& some, const std::vector<Bracket>& others) {
  int64_t matches = 0;
  for (size_t i = 0, j = 0; i < some.size() && j < others.size();) {
    if (some[i] < others[j]) {
      ++i;
    } else if (others[j] < some[i]) {
      ++j;
    } else {
      ++matches;
      ++i;
      ++j;
    }
  }
  return matches;
}

// A segment tree: values at positions, and the maximum over a range of them in logarithmic time.
class RangeMaximum {
 public:
  explicit RangeMaximum(size_t positions)
      : positions_(positions), maxima_(2 * positions, std::numeric_limits<int64_t>::min()) {}

  void raise(int64_t position, int64_t value) {
    for (size_t i = size_t(position) + positions_; i > 0; i /= 2) {
      maxima_[i] = std::max(maxima_[i], value);
    }
  }

  int64_t of(int64_t first_position, int64_t end_position) const {
    size_t first = size_t(first_position) + positions_, end = size_t(end_position) + positions_;
    int64_t maximum = std::numeric_limits<int64_t>::min();
    for (; first < end; first /= 2, end /= 2) {
      if (first % 2 == 1) maximum = std::max(maximum, maxima_[first++]);
      if (end % 2 == 1) maximum = std::max(maximum, maxima_[--end]);
    }
    return maximum;
  }

 private:
  size_t positions_;
  std::vector<int64_t> maxima_;  // a binary tree: node i above 2 i and 2 i + 1
};

// Brackets that overlap with one of the reference, with neither inside the other. To compare every
// pair would take hours for trees of a million nodes.
int64_t count_crossing(const ComparedTree& hypothesis, const ComparedTree& reference) {
  const size_t positions = reference.words.size() + 1;
  RangeMaximum last_end(positions), first_begin(positions);  // first_begin: negated
  for (const Bracket& bracket : reference.brackets) {
    last_end.raise(bracket.begin, bracket.end);
    first_begin.raise(bracket.end, -bracket.begin);
  }
  return std::ranges::count_if(hypothesis.brackets, [&](const Bracket& bracket) {
    return last_end.of(bracket.begin + 1, bracket.end) > bracket.end ||
           first_begin.of(bracket.begin + 1, bracket.end) > -bracket.begin;
  });
}

void count_sentence(const ComparedTree& hypothesis, const ComparedTree& reference,
                    BracketStatistics& statistics) {
  statistics.hypothesis = int64_t(hypothesis.brackets.size());
  statistics.reference = int64_t(reference.brackets.size());
  statistics.matched = count_matches(hypothesis.brackets, reference.brackets);
  statistics.crossing = count_crossing(hypothesis, reference);
  statistics.complete =
      statistics.matched == statistics.hypothesis && statistics.matched == statistics.reference;
  statistics.without_crossing = statistics.crossing == 0;
  statistics.up_to_two_crossing = statistics.crossing <= 2;
  statistics.words = int64_t(reference.words.size());
  for (size_t i = 0; i < reference.words.size(); ++i) {
    statistics.correct_tags += hypothesis.words[i].tag == reference.words[i].tag;
  }
}

struct BracketCounter {
  BracketOptions options;

  BracketStatistics count(const Lines& hypotheses, std::span<const Lines> references, size_t i) {
    return compare_trees(hypotheses[i], references[0][i], options).statistics;
  }
};

double quotient(double part, int64_t whole) {
  return whole > 0 ? part / double(whole) : 0;
}

}  // namespace

BracketStatistics& BracketStatistics::operator+=(const BracketStatistics& other) {
  for (const auto member :
       {&BracketStatistics::sentences, &BracketStatistics::errors, &BracketStatistics::skipped,
        &BracketStatistics::hypothesis, &BracketStatistics::reference, &BracketStatistics::matched,
        &BracketStatistics::crossing, &BracketStatistics::complete,
        &BracketStatistics::without_crossing, &BracketStatistics::up_to_two_crossing,
        &BracketStatistics::words, &BracketStatistics::correct_tags}) {
    this->*member += other.*member;
  }
  return *this;
}

BracketComparison compare_trees(const std::string& hypothesis, const std::string& reference,
                                const BracketOptions& options) {
  BracketComparison result;
  const ComparedTree expected = read_compared_tree(reference);
  if (options.max_words && expected.length > *options.max_words) return result;
  const ComparedTree got = read_compared_tree(hypothesis);
  result.statistics.sentences = 1;
  if (got.words.empty()) {
    result.statistics.skipped = 1;
    result.problem = got.reading.defect ? got.reading.defect->message() : "no words";
    return result;
  }
  result.problem = error_of(got, expected);
  if (result.problem.empty()) {
    count_sentence(got, expected, result.statistics);
  } else {
    result.statistics.errors = 1;
  }
  return result;
}

std::vector<BracketStatistics> bracket_statistics(const Lines& hypotheses,
                                                  std::span<const Lines> references,
                                                  const BracketOptions& options) {
  if (references.size() > 1) {
    fail_usage("brackets are compared with one reference, got {}: give one", references.size());
  }
  return detail::statistics_of_sentences(hypotheses, references, BracketCounter{options});
}

BracketScore bracket_score(const BracketStatistics& corpus, size_t reference_count,
                           const BracketOptions& options) {
  BracketScore score;
  score.recall = quotient(100.0 * double(corpus.matched), corpus.reference);
  score.precision = quotient(100.0 * double(corpus.matched), corpus.hypothesis);
  if (corpus.matched > 0) {
    score.f1 = 2 * score.precision * score.recall / (score.precision + score.recall);
  }
  score.complete_match = quotient(100.0 * double(corpus.complete), corpus.valid());
  score.average_crossing = quotient(double(corpus.crossing), corpus.valid());
  score.no_crossing = quotient(100.0 * double(corpus.without_crossing), corpus.valid());
  score.two_or_less_crossing = quotient(100.0 * double(corpus.up_to_two_crossing), corpus.valid());
  score.tagging_accuracy = quotient(100.0 * double(corpus.correct_tags), corpus.words);
  score.statistics = corpus;
  score.signature = fmt::format("nrefs:{}|case:mixed|prm:collins|len:{}|{}", reference_count,
                                options.max_words ? fmt::to_string(*options.max_words) : "all",
                                detail::version_field());
  return score;
}

std::string BracketScore::line() const {
  return fmt::format(
      "bracket F1 = {:.2f} (recall = {:.2f} precision = {:.2f} complete_match = {:.2f} "
      "average_crossing = {:.2f} no_crossing = {:.2f} two_or_less_crossing = {:.2f} "
      "tagging_accuracy = {:.2f} sentences = {} errors = {} skipped = {})",
      f1, recall, precision, complete_match, average_crossing, no_crossing, two_or_less_crossing,
      tagging_accuracy, statistics.sentences, statistics.errors, statistics.skipped);
}

MetricScore BracketScore::metric() const {
  return {"bracket F1",
          f1,
          signature,
          line(),
          {{"recall", recall},
           {"precision", precision},
           {"complete_match", complete_match},
           {"average_crossing", average_crossing},
           {"no_crossing", no_crossing},
           {"two_or_less_crossing", two_or_less_crossing},
           {"tagging_accuracy", tagging_accuracy},
           {"sentences", double(statistics.sentences)},
           {"errors", double(statistics.errors)},
           {"skipped", double(statistics.skipped)}}};
}

BracketScore brackets(const Lines& hypotheses, std::span<const Lines> references,
                      const BracketOptions& options) {
  return bracket_score(
      detail::sum_of_sentences(bracket_statistics(hypotheses, references, options)),
      references.size(), options);
}

}  // namespace heed
