#include "heed/evaluate/chrf.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "heed/core/dense_ids.h"
#include "heed/core/error.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/evaluate/ngrams.h"

namespace heed {
namespace {

// Words at whitespace; of each, one punctuation mark at its end or else at its beginning is a word
// of its own.
std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> pieces, words;
  split_at_whitespace(line, pieces);
  for (const std::string_view piece : pieces) {
    size_t cut = piece.size();
    if (piece.size() > 1 && is_ascii_punctuation(piece.back())) {
      cut = piece.size() - 1;
    } else if (piece.size() > 1 && is_ascii_punctuation(piece.front())) {
      cut = 1;
    }
    words.push_back(piece.substr(0, cut));
    if (cut < piece.size()) words.push_back(piece.substr(cut));
  }
  return words;
}

// The harmonic mean of average precision and recall over the orders that both sides have.
double f_score(const ChrfStatistics& statistics) {
  double precision = 0, recall = 0;
  int orders = 0;
  for (const ChrfCounts& counts : statistics.orders) {
    if (counts.hypothesis == 0 || counts.reference == 0) continue;
    precision += double(counts.matches) / double(counts.hypothesis);
    recall += double(counts.matches) / double(counts.reference);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  constexpr double kFactor = kChrfBeta * kChrfBeta;
  return 100 * ((1 + kFactor) * precision * recall / (kFactor * precision + recall));
}

// Counts one sentence after the other, keeping its memory between them.
class ChrfCounter {
 public:
  explicit ChrfCounter(const ChrfOptions& options) : options_(options) {}

  // Against the reference that scores best; of equals, the first.
  ChrfStatistics count(const Lines& hypotheses, std::span<const Lines> references, size_t i) {
    read(hypotheses[i], hypothesis_);
    ChrfStatistics best;
    for (size_t r = 0; r < references.size(); ++r) {
      read(references[r][i], reference_);
      const ChrfStatistics statistics = compare();
      if (r == 0 || f_score(statistics) > f_score(best)) best = statistics;
    }
    return best;
  }

 private:
  struct Line {
    std::string text;
    std::vector<uint32_t> characters;
    std::vector<std::string_view> words;  // pointing into the text
    std::vector<uint32_t> numbers;        // of the words
  };

  void read(const std::string& text, Line& line) const {
    line.text = replace_invalid_utf8(text);
    if (options_.lowercase) line.text = lowercase(line.text);
    line.characters.clear();
    for (const char32_t character : decode_utf8(line.text)) {
      if (!is_whitespace(character)) line.characters.push_back(character);
    }
    if (options_.word_order > 0) line.words = split_words(line.text);
  }

  ChrfStatistics compare() {
    ChrfStatistics statistics;
    const std::span<ChrfCounts> orders = statistics.orders;
    compare(hypothesis_.characters, reference_.characters, characters_,
            orders.first(kChrfCharacterOrder));
    if (options_.word_order == 0) return statistics;
    numbers_.clear();
    numbers_.ids_of(hypothesis_.words, hypothesis_.numbers);
    numbers_.ids_of(reference_.words, reference_.numbers);
    compare(hypothesis_.numbers, reference_.numbers, words_,
            orders.subspan(kChrfCharacterOrder, size_t(options_.word_order)));
    return statistics;
  }

  static void compare(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference,
                      detail::NgramMatcher& matcher, std::span<ChrfCounts> orders) {
    std::array<int64_t, kChrfCharacterOrder> matches = {};
    matcher.clear();
    matcher.add_reference(reference);
    matcher.take_matches(hypothesis, matches);
    const auto ngrams = [](std::span<const uint32_t> tokens, size_t order) {
      return int64_t(tokens.size() - std::min(tokens.size(), order - 1));
    };
    for (size_t i = 0; i < orders.size(); ++i) {
      orders[i].reference = ngrams(reference, i + 1);
      orders[i].hypothesis = orders[i].reference > 0 ? ngrams(hypothesis, i + 1) : 0;
      orders[i].matches = matches[i];
    }
  }

  ChrfOptions options_;
  Line hypothesis_, reference_;
  detail::NgramMatcher characters_{kChrfCharacterOrder}, words_{kChrfWordOrder};
  detail::DenseIds<std::string_view, std::hash<std::string_view>> numbers_;
};

}  // namespace

ChrfStatistics& ChrfStatistics::operator+=(const ChrfStatistics& other) {
  for (size_t i = 0; i < orders.size(); ++i) {
    orders[i].hypothesis += other.orders[i].hypothesis;
    orders[i].reference += other.orders[i].reference;
    orders[i].matches += other.orders[i].matches;
  }
  return *this;
}

std::string ChrfScore::line() const {
  return fmt::format("{} = {:.2f}", name, score);
}

std::vector<ChrfStatistics> chrf_statistics(const Lines& hypotheses,
                                            std::span<const Lines> references,
                                            const ChrfOptions& options) {
  if (options.word_order < 0 || options.word_order > kChrfWordOrder) {
    fail_usage("chrF's word order is {}: expected 0 (chrF2), 1 or 2 (chrF2++)", options.word_order);
  }
  return detail::statistics_of_sentences(hypotheses, references, ChrfCounter(options));
}

ChrfScore chrf_score(const ChrfStatistics& corpus, size_t reference_count,
                     const ChrfOptions& options) {
  ChrfScore result;
  result.name =
      fmt::format("chrF{}{}", kChrfBeta, std::string_view("++").substr(0, options.word_order));
  result.score = f_score(corpus);
  result.statistics = corpus;
  result.signature = fmt::format("nrefs:{}|case:{}|eff:yes|nc:{}|nw:{}|space:no|{}",
                                 reference_count, options.lowercase ? "lc" : "mixed",
                                 kChrfCharacterOrder, options.word_order, detail::version_field());
  return result;
}

ChrfScore chrf(const Lines& hypotheses, std::span<const Lines> references,
               const ChrfOptions& options) {
  return chrf_score(detail::sum_of_sentences(chrf_statistics(hypotheses, references, options)),
                    references.size(), options);
}

}  // namespace heed
