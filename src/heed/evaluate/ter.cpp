#include "heed/evaluate/ter.h"

#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "heed/core/dense_ids.h"
#include "heed/core/utf8.h"
#include "heed/evaluate/translation_edits.h"

namespace heed {
namespace {

// Counts one sentence after the other, keeping its memory between them.
class TerCounter {
 public:
  explicit TerCounter(const TerOptions& options) : options_(options) {}

  TerStatistics count(const Lines& hypotheses, std::span<const Lines> references, size_t i) {
    TerStatistics statistics;
    size_t reference_words = 0;
    for (size_t r = 0; r < references.size(); ++r) {
      numbers_.clear();
      read(hypotheses[i], hypothesis_);
      read(references[r][i], reference_);
      if (options_.normalized) read_again(reference_);
      // Numbered only now: the table's keys point into the texts.
      numbers_.ids_of(hypothesis_.words, hypothesis_.numbers);
      numbers_.ids_of(reference_.words, reference_.numbers);
      reference_words += reference_.numbers.size();
      const int64_t edits = edits_.count(hypothesis_.numbers, reference_.numbers);
      if (r == 0 || edits < statistics.edits) statistics.edits = edits;
    }
    statistics.reference_length = double(reference_words) / double(references.size());
    return statistics;
  }

 private:
  struct Line {
    std::string text;
    std::vector<std::string_view> words;  // pointing into the text
    std::vector<uint32_t> numbers;        // of the words
  };

  void read(const std::string& text, Line& line) {
    line.text = replace_invalid_utf8(text);
    tokenize_for_ter(options_, line.text, line.words);
  }

  // sacreBLEU normalizes references twice, which changes some: "x..5" to "x . .5" to "x . . 5".
  void read_again(Line& line) {
    again_.clear();
    for (const std::string_view word : line.words) again_.append(word).push_back(' ');
    read(again_, line);
  }

  TerOptions options_;
  std::string again_;
  Line hypothesis_, reference_;
  detail::DenseIds<std::string_view, std::hash<std::string_view>> numbers_;
  detail::TranslationEdits edits_;
};

double score(const TerStatistics& corpus) {
  if (corpus.reference_length > 0) {
    return 100 * (double(corpus.edits) / corpus.reference_length);
  }
  return corpus.edits > 0 ? 100 : 0;
}

std::string_view yes_or_no(bool value) {
  return value ? "yes" : "no";
}

}  // namespace

TerStatistics& TerStatistics::operator+=(const TerStatistics& other) {
  edits += other.edits;
  reference_length += other.reference_length;
  return *this;
}

std::string TerScore::line() const {
  return fmt::format("TER = {:.2f}", score);
}

std::vector<TerStatistics> ter_statistics(const Lines& hypotheses,
                                          std::span<const Lines> references,
                                          const TerOptions& options) {
  return detail::statistics_of_sentences(hypotheses, references, TerCounter(options));
}

TerScore ter_score(const TerStatistics& corpus, size_t reference_count, const TerOptions& options) {
  TerScore result;
  result.score = score(corpus);
  result.statistics = corpus;
  result.signature = fmt::format("nrefs:{}|case:{}|tok:tercom|norm:{}|punct:{}|asian:{}|{}",
                                 reference_count, options.case_sensitive ? "mixed" : "lc",
                                 yes_or_no(options.normalized), yes_or_no(!options.no_punctuation),
                                 yes_or_no(options.asian_support), detail::version_field());
  return result;
}

TerScore ter(const Lines& hypotheses, std::span<const Lines> references,
             const TerOptions& options) {
  return ter_score(detail::sum_of_sentences(ter_statistics(hypotheses, references, options)),
                   references.size(), options);
}

}  // namespace heed
