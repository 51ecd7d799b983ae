#include "heed/evaluate/spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

struct SpanLabel {
  char prefix;
  std::string_view type;
};

// seqeval: a type keeps its hyphens in the default mode and loses those at its ends in IOB2.
SpanLabel read_span_label(std::string_view label, SpanScheme scheme) {
  std::string_view type = label.substr(std::min<size_t>(label.size(), 2));
  if (scheme == SpanScheme::iob2) {
    type.remove_prefix(std::min(type.find_first_not_of('-'), type.size()));
    type = type.substr(0, type.find_last_not_of('-') + 1);
  }
  return {label[0], type.empty() ? "_" : type};
}

bool is_prefix(char prefix, std::string_view set) {
  return set.find(prefix) != set.npos;
}

// Whether a span ends between two labels, and whether one begins there: conlleval's rules.
bool ends_between(SpanLabel before, SpanLabel after) {
  if (is_prefix(before.prefix, "ES")) return true;
  if (is_prefix(before.prefix, "BI") && is_prefix(after.prefix, "BSO")) return true;
  return before.prefix != 'O' && before.type != after.type;
}
bool begins_between(SpanLabel before, SpanLabel after) {
  if (is_prefix(after.prefix, "BS")) return true;
  if (is_prefix(before.prefix, "ESO") && is_prefix(after.prefix, "EI")) return true;
  return after.prefix != 'O' && before.type != after.type;
}

std::vector<LabelledSpan> conlleval_spans(const std::vector<std::string_view>& labels) {
  std::vector<LabelledSpan> spans;
  SpanLabel before{'O', "_"};
  size_t begin = 0;
  for (size_t i = 0; i <= labels.size(); ++i) {
    const SpanLabel after = i == labels.size() ? SpanLabel{'O', "_"}
                                               : read_span_label(labels[i], SpanScheme::conlleval);
    if (ends_between(before, after)) spans.push_back({before.type, begin, i});
    if (begins_between(before, after)) begin = i;
    before = after;
  }
  return spans;
}

std::vector<LabelledSpan> iob2_spans(const std::vector<std::string_view>& labels) {
  std::vector<LabelledSpan> spans;
  bool open = false;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto [prefix, type] = read_span_label(labels[i], SpanScheme::iob2);
    if (prefix == 'B') {
      spans.push_back({type, i, i + 1});
      open = true;
    } else if (open && prefix == 'I' && type == spans.back().type) {
      spans.back().end = i + 1;
    } else {
      open = false;
    }
  }
  return spans;
}

void expect_span_labels(const std::vector<std::string_view>& labels, SpanScheme scheme,
                        std::string_view side, size_t line) {
  for (const std::string_view label : labels) {
    if (is_span_label(label, scheme)) continue;
    fail(
        "line {} of the {}: '{}' is no label of spans: expected O, or {} with a type such as "
        "B-PER",
        line, side, excerpt(label, 60), scheme == SpanScheme::iob2 ? "B or I" : "B, I, E or S");
  }
}

}  // namespace

bool is_span_label(std::string_view label, SpanScheme scheme) {
  if (label == "O") return true;
  const std::string_view prefixes = scheme == SpanScheme::iob2 ? "BI" : "BIES";
  if (label.empty() || !is_prefix(label[0], prefixes)) return false;
  return label.size() == 1 || label[1] == '-';
}

std::vector<LabelledSpan> spans_of(const std::vector<std::string_view>& labels, SpanScheme scheme) {
  return scheme == SpanScheme::iob2 ? iob2_spans(labels) : conlleval_spans(labels);
}

ClassStatistics span_statistics(std::span<const Lines> systems, std::span<const Lines> references,
                                const SpanOptions& options) {
  ClassStatistics statistics;
  detail::for_each_line(
      systems, references, [&](const auto& hypothesis, const auto& reference, size_t line) {
        expect_span_labels(hypothesis, options.scheme, "hypotheses", line);
        expect_span_labels(reference, options.scheme, "reference", line);
        const std::vector<LabelledSpan> got = spans_of(hypothesis, options.scheme);
        const std::vector<LabelledSpan> expected = spans_of(reference, options.scheme);
        statistics.add_sentence();
        for (const LabelledSpan& span : got) ++statistics.of(span.type).hypothesis;
        for (const LabelledSpan& span : expected) ++statistics.of(span.type).reference;
        // The spans of a line are in order and do not overlap.
        for (size_t i = 0, j = 0; i < got.size() && j < expected.size();) {
          if (got[i] == expected[j]) ++statistics.of(got[i].type).matched;
          const size_t begin = got[i].begin, other = expected[j].begin;
          i += begin <= other;
          j += other <= begin;
        }
      });
  return statistics;
}

ClassReport span_report(const Lines& hypotheses, std::span<const Lines> references,
                        const SpanOptions& options) {
  return span_statistics({&hypotheses, 1}, references, options).report(F1Formula::harmonic_mean);
}

MetricScore span_metric(const ClassReport& report, const SpanOptions& options) {
  const auto& [classes, micro, macro, weighted] = report;
  return {.name = "span F1",
          .score = micro.f1,
          .signature = fmt::format("nrefs:1|case:mixed|unit:span|average:micro|scheme:{}|{}",
                                   to_text(options.scheme), detail::version_field()),
          .line = fmt::format("span F1 = {:.2f} (precision = {:.2f} recall = {:.2f} macro_f1 = "
                              "{:.2f} weighted_f1 = {:.2f} spans = {})",
                              micro.f1, micro.precision, micro.recall, macro.f1, weighted.f1,
                              micro.support),
          .details = {{"precision", micro.precision},
                      {"recall", micro.recall},
                      {"macro_f1", macro.f1},
                      {"weighted_f1", weighted.f1},
                      {"spans", double(micro.support)}},
          .classes = classes};
}

}  // namespace heed
