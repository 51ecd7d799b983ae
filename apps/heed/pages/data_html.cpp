#include <algorithm>
#include <cstdlib>

#include "heed/core/options.h"
#include "pages/data_page.h"
#include "pages/html_page.h"
#include "pages/numbers.h"
#include "pages/svg_charts.h"

namespace heed {
namespace {

std::string paragraph(std::string_view kind, std::string_view text) {
  return fmt::format("<p class=\"{}\">{}</p>\n", kind, html_text(text));
}

// Lengths of both sides in equal steps, in what the axis says; the last bar has all that are longer
// than 99.5% are.
std::string lengths_chart(ChartAxis axis, const LengthCounts& source, const LengthCounts& target) {
  constexpr int64_t kBars = 24;
  const int64_t reach = std::max(source.quantile(0.995), target.quantile(0.995)) + 1;
  const int64_t step = std::max<int64_t>(1, (reach + kBars - 1) / kBars);
  for (int64_t bar = 0; bar < kBars; ++bar) {
    axis.labels.push_back(bar % 4 == 0 ? grouped(bar * step) : "");
  }
  const auto bars_of = [&](const LengthCounts& lengths) {
    std::vector<double> bars(kBars);
    for (size_t length = 0; length < lengths.bins().size(); ++length) {
      bars[size_t(std::min(int64_t(length) / step, kBars - 1))] += double(lengths.bins()[length]);
    }
    return bars;
  };
  return bar_chart(axis, {{"source", bars_of(source)}, {"target", bars_of(target)}});
}

std::string lengths_chart(const std::string& what, const LengthCounts& source,
                          const LengthCounts& target) {
  return lengths_chart({"Sentences by " + what, what + " in a sentence", {}}, source, target);
}

// In words; in characters on a side without spaces between words. Nothing where both are so and the
// chart of characters is next to it.
std::string words_chart(const DataReport& report) {
  const SideReport &source = report.source, &target = report.target;
  if (is_spaced(source) && is_spaced(target))
    return lengths_chart("words", source.words, target.words);
  if (!is_spaced(source) && !is_spaced(target))
    return report.tokenized ? lengths_chart("characters", source.characters, target.characters)
                            : "";
  const std::string unspaced = is_spaced(source) ? "target" : "source";
  return lengths_chart({"Sentences by words (" + unspaced + ": characters)",
                        "words in a sentence (" + unspaced + ": characters)",
                        {}},
                       is_spaced(source) ? source.words : source.characters,
                       is_spaced(target) ? target.words : target.characters);
}

std::string ratio_chart(const DataReport& report) {
  ChartAxis axis{"Pairs by ratio of lengths", "target characters for each of the source", {}};
  for (int bin = 0; bin < DataReport::kRatioBins; ++bin) {
    const int power = (bin - DataReport::kRatioBins / 2) / 5;  // of two, where it is whole
    const std::string ratio = fmt::format("{}{}", power < 0 ? "1/" : "", 1 << std::abs(power));
    axis.labels.push_back(bin % 10 == 0 ? ratio : "");
  }
  return bar_chart(axis, {{"pairs", {report.ratios.begin(), report.ratios.end()}}});
}

std::string scripts_chart(const DataReport& report) {
  ChartAxis axis{"Letters by script", "share of the side's letters", {}};
  ChartSeries source{"source", {}}, target{"target", {}};
  const auto share = [](const ScriptCounts& letters, size_t script) {
    return double(letters[script]) / double(std::max<int64_t>(1, sum(letters)));
  };
  for (size_t i = 0; i < kScripts; ++i) {
    const double left = share(report.source.letters, i), right = share(report.target.letters, i);
    if (std::max(left, right) < 0.001) continue;
    axis.labels.push_back(to_text(Script(i)));
    source.values.push_back(100 * left);
    target.values.push_back(100 * right);
  }
  return axis.labels.size() < 2 ? "" : bar_chart(axis, {source, target});
}

// How much of the text the commonest words make up: steps that both sides have.
std::string coverage_chart(const DataReport& report) {
  ChartAxis axis{"Words covered by the commonest", "different words", {}};
  std::vector<ChartSeries> series;
  size_t steps = SIZE_MAX;
  for (const auto& [name, side] :
       {std::pair{"source", &report.source}, {"target", &report.target}}) {
    if (!is_spaced(*side) || side->vocabulary.coverage.empty()) continue;
    ChartSeries& one = series.emplace_back(ChartSeries{name, {}});
    for (const auto& [types, share] : side->vocabulary.coverage) one.values.push_back(share);
    steps = std::min(steps, one.values.size() - 1);  // the last one is all of its own words
    axis.labels.clear();
    for (size_t i = 0; i < steps; ++i) {
      axis.labels.push_back(grouped(side->vocabulary.coverage[i].types));
    }
  }
  if (axis.labels.empty()) return "";
  for (ChartSeries& one : series) one.values.resize(steps);
  if (series.size() == 1) axis.title += " (" + series[0].name + ")";
  return share_chart(axis, series);
}

std::string charts(const DataReport& report) {
  std::string html = "<div class=\"charts\">\n";
  html += words_chart(report);
  html += report.tokenized
              ? lengths_chart("tokens", report.source.tokens, report.target.tokens)
              : lengths_chart("characters", report.source.characters, report.target.characters);
  return html + ratio_chart(report) + coverage_chart(report) + scripts_chart(report) + "</div>\n";
}

std::string lengths_table(const DataReport& report) {
  std::string html = "<div class=\"wide\"><table>\n";
  html += table_row({"Lengths", "mean", "median", "95%", "99%", "longest"}, "th");
  const auto add = [&](const std::string& name, const LengthCounts& lengths) {
    html += table_row(
        {name, fmt::format("{:.1f}", lengths.mean()), grouped(lengths.quantile(0.5)),
         grouped(lengths.quantile(0.95)), grouped(lengths.quantile(0.99)), grouped(lengths.max())},
        "td");
  };
  for (const auto& [name, side] :
       {std::pair{"source", &report.source}, {"target", &report.target}}) {
    if (is_spaced(*side)) add(fmt::format("{} words", name), side->words);
    add(fmt::format("{} characters", name), side->characters);
    if (report.tokenized) add(fmt::format("{} tokens", name), side->tokens);
  }
  return html + "</table></div>\n";
}

std::string facts_table(const DataReport& report) {
  std::string html =
      "<div class=\"wide\"><table>\n" + table_row({"Words", "source", "target"}, "th");
  for (const auto& [name, source, target] : fact_rows(report))
    html += table_row({name, source, target}, "td");
  return html + "</table></div>\n";
}

std::string finding_html(const Finding& finding, int64_t pairs) {
  const FindingText& what = text_of(finding.kind);
  std::string html = fmt::format("<details id=\"{}\">\n<summary><b>{}</b> {}</summary>\n",
                                 what.name, finding_count(finding, pairs), html_text(what.title));
  html += paragraph("advice", advice_for(finding));
  for (const FindingExample& example : finding.examples) {
    html += "<div class=\"example\">\n";
    html += paragraph("place", fmt::format("line {} of {}{}", example.line, example.source_file,
                                           example.note.empty() ? "" : ": " + example.note));
    // Either side may be written from the right.
    html += fmt::format("<p dir=\"auto\">{}</p>\n<p dir=\"auto\">{}</p>\n</div>\n",
                        html_text(example.source), html_text(example.target));
  }
  return html + "</details>\n";
}

std::string findings_html(const DataReport& report) {
  std::string html = "<h2>Findings</h2>\n", clean;
  for (const Finding& finding : report.findings) {
    if (finding.pairs > 0) {
      html += finding_html(finding, report.pairs);
    } else if (looked_for(finding.kind, report)) {
      clean += fmt::format("{}{}", clean.empty() ? "" : "; ", text_of(finding.kind).title);
    }
  }
  return html +
         (clean.empty() ? "" : paragraph("none", "Looked for and not found: " + clean + "."));
}

}  // namespace

std::string data_html(const DataTitle& title, const DataReport& report) {
  std::string html =
      fmt::format("<p>{}{}. Typically {:.2f} target characters for each of the source.</p>\n",
                  grouped(report.pairs, "pair"),
                  report.first_pairs_only ? ", the first of the files" : "", report.typical_ratio);
  html += findings_html(report) + "<h2>Lengths and words</h2>\n" + charts(report);
  return html_page(title.source + " and " + title.target,
                   html + lengths_table(report) + facts_table(report));
}

}  // namespace heed
