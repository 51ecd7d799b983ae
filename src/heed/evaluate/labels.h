// Labels of words or of whole lines against those of a reference: counts by class, accuracy,
// precision, recall and F1 equal to scikit-learn's classification_report, and which labels are
// taken for which others. A line has its labels separated by whitespace: one for each word, or one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/evaluate/metric.h"

namespace heed {

// A class is a label, or a type of spans.
struct ClassCounts {
  int64_t matched = 0;     // in both, at the same place
  int64_t hypothesis = 0;  // in the hypothesis
  int64_t reference = 0;   // in the reference: the support

  ClassCounts& operator+=(const ClassCounts& other);
};

// scikit-learn computes F1 from counts, seqeval from precision and recall: the last bits differ.
enum class F1Formula { counts, harmonic_mean };

// The scores of classes, in per cent; 0 where nothing can be divided.
struct ClassReport {
  std::vector<ClassScore> classes;    // sorted by their bytes
  ClassScore micro, macro, weighted;  // averages: of all counts, of classes, by support
};

// The counts of sentences by class, from which any choice of sentences can be scored.
class ClassStatistics {
 public:
  // Begins the next sentence.
  void add_sentence();
  // The counts of a class in the sentence that was added last.
  ClassCounts& of(std::string_view name);

  size_t sentences() const { return sentences_.size(); }
  // The report of sentences, which may repeat; it has the classes that occur in them.
  ClassReport report(std::span<const uint32_t> sentences, F1Formula formula) const;
  // The report of all sentences.
  ClassReport report(F1Formula formula) const;

 private:
  std::map<std::string, uint32_t, std::less<>> numbers_;  // each class has one
  std::vector<std::vector<std::pair<uint32_t, ClassCounts>>> sentences_;
  // By class: the last sentence that has it, and its place in the sentence's counts.
  std::vector<std::pair<size_t, size_t>> places_;
};

// The counts of labels of every sentence, system after system. Error naming the line if a line has
// not as many labels as the reference, or if the counts of lines differ or are 0; UsageError unless
// there is one reference.
ClassStatistics label_statistics(std::span<const Lines> systems, std::span<const Lines> references);

// accuracy is the recall of `micro`.
ClassReport label_report(const Lines& hypotheses, std::span<const Lines> references);

// The share of labels that are right: "accuracy = 97.75 (labels = 2400)".
MetricScore accuracy_metric(const ClassReport& report);
// F1, the mean of all classes: "macro F1 = 81.20 (precision = ... weighted_f1 = ... classes = 9)".
MetricScore label_f1_metric(const ClassReport& report);

// Counts of pairs of labels at the same place: that of the reference, and that of the hypothesis.
class ConfusionTable {
 public:
  struct Cell {
    std::string reference, hypothesis;
    int64_t count;
  };

  void add(std::string_view reference, std::string_view hypothesis);
  // All labels, sorted by their bytes.
  std::vector<std::string> labels() const;
  int64_t count(std::string_view reference, std::string_view hypothesis) const;
  // All pairs that occur, sorted by their bytes.
  std::vector<Cell> cells() const;
  // The most frequent errors, at most `limit` of them, by their number.
  std::vector<Cell> confusions(size_t limit) const;

 private:
  std::map<std::string, std::map<std::string, int64_t, std::less<>>, std::less<>> rows_;
};

// Errors are those of label_statistics().
ConfusionTable confusion_table(const Lines& hypotheses, std::span<const Lines> references);

namespace detail {

// The labels of a line of valid UTF-8; they point into it.
std::vector<std::string_view> labels_of(std::string_view line);

// Calls count(hypothesis, reference, line) with the labels of every line of the systems and of the
// reference. Errors are those of label_statistics().
void for_each_line(
    std::span<const Lines> systems, std::span<const Lines> references,
    const std::function<void(const std::vector<std::string_view>& hypothesis,
                             const std::vector<std::string_view>& reference, size_t line)>& count);

}  // namespace detail
}  // namespace heed
