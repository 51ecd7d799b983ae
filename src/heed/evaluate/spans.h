// Spans of words that labels mark, such as names: B-PER I-PER O. Precision, recall and F1 equal to
// those of seqeval's classification_report, which are those of conlleval in its default mode.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/evaluate/labels.h"

namespace heed {

enum class SpanScheme {
  conlleval,  // B, I, E and S in any order: I-X begins a span where none of X is open
  iob2,       // a span is B-X and the I-X that follow; other I are none
};
constexpr std::array<std::pair<std::string_view, SpanScheme>, 2> enum_names(SpanScheme) {
  return {{{"conlleval", SpanScheme::conlleval}, {"iob2", SpanScheme::iob2}}};
}

struct SpanOptions {
  SpanScheme scheme = SpanScheme::conlleval;
};

struct LabelledSpan {
  std::string_view type;  // "PER"; "_" of B or I alone
  size_t begin, end;      // words

  bool operator==(const LabelledSpan& other) const = default;
};

// Whether a label may occur in text of this scheme: O, or B, I, E or S with a hyphen and a type or
// alone; of iob2 O, B and I.
bool is_span_label(std::string_view label, SpanScheme scheme);

// The spans of one line in their order. Every label satisfies is_span_label(); types point into
// the labels.
std::vector<LabelledSpan> spans_of(const std::vector<std::string_view>& labels, SpanScheme scheme);

// The counts of spans by type, of every sentence, system after system. Errors are those of
// label_statistics(), and a label that does not satisfy is_span_label().
ClassStatistics span_statistics(std::span<const Lines> systems, std::span<const Lines> references,
                                const SpanOptions& options = {});

ClassReport span_report(const Lines& hypotheses, std::span<const Lines> references,
                        const SpanOptions& options = {});

// F1 of all spans: "span F1 = 90.10 (precision = ... macro_f1 = ... spans = 5648)".
MetricScore span_metric(const ClassReport& report, const SpanOptions& options = {});

}  // namespace heed
