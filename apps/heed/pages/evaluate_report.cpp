#include "pages/evaluate_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/core/json_text.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Cell = std::vector<std::string>;  // its lines

Json json_score(const MetricScore& score) {
  return {{"name", score.name}, {"score", score.score}, {"signature", score.signature}};
}

Json json_score(const MetricReport& metric, size_t system) {
  Json score = json_score(metric.scores[system]);
  if (metric.tests.empty()) return score;
  const PairedResult& result = metric.tests[system];
  score["p_value"] = result.p_value ? Json(*result.p_value) : Json();
  if (result.interval) {
    score["mean"] = result.interval->mean;
    score["ci"] = result.interval->half_width;
  }
  return score;
}

// A path may hold bytes that are no UTF-8.
std::string dump(const Json& json) {
  return json_text(json) + "\n";
}

Cell score_cell(const MetricReport& metric, size_t system) {
  std::string score = fmt::format("{:.2f}", metric.scores[system].score);
  if (metric.tests.empty()) return {score};
  const PairedResult& result = metric.tests[system];
  if (result.interval) {
    score += fmt::format(" ({:.2f} ± {:.2f})", result.interval->mean, result.interval->half_width);
  }
  if (!result.p_value) return {score};
  return {score, fmt::format("(p = {:.4f}){}", *result.p_value, *result.p_value > 0.05 ? "" : "*")};
}

size_t characters(const std::string& text) {
  return decode_utf8(text).size();
}

// Cells of equal columns, the first row being the heading. The first column is aligned right,
// the others in the middle.
class Table {
 public:
  explicit Table(std::vector<std::vector<Cell>> rows) : rows_(std::move(rows)) {
    widths_.resize(rows_[0].size());
    for (size_t column = 0; column < widths_.size(); ++column) {
      widths_[column] = characters(rows_[0][column][0]) + 2;
      for (const std::vector<Cell>& row : rows_) {
        for (const std::string& line : row[column]) {
          widths_[column] = std::max(widths_[column], characters(line));
        }
      }
    }
  }

  std::string text() const {
    std::string text = rule("╒", "═", "╤", "╕");
    for (size_t row = 0; row < rows_.size(); ++row) {
      if (row > 0) {
        text += row == 1 ? rule("╞", "═", "╪", "╡") : rule("├", "─", "┼", "┤");
      }
      text += row_text(rows_[row]);
    }
    return text + rule("╘", "═", "╧", "╛");
  }

 private:
  std::string rule(std::string_view left, std::string_view line, std::string_view cross,
                   std::string_view right) const {
    std::string text(left);
    for (size_t column = 0; column < widths_.size(); ++column) {
      if (column > 0) text += cross;
      for (size_t i = 0; i < widths_[column] + 2; ++i) text += line;
    }
    return text.append(right) + "\n";
  }

  std::string row_text(const std::vector<Cell>& row) const {
    size_t height = 0;
    for (const Cell& cell : row) height = std::max(height, cell.size());
    std::string text;
    for (size_t line = 0; line < height; ++line) {
      for (size_t column = 0; column < row.size(); ++column) {
        const std::string content = line < row[column].size() ? row[column][line] : "";
        const size_t space = widths_[column] - characters(content);
        const size_t before = column == 0 ? space : space / 2;
        text += "│ " + std::string(before, ' ') + content + std::string(space - before + 1, ' ');
      }
      text += "│\n";
    }
    return text;
  }

  std::vector<std::vector<Cell>> rows_;
  std::vector<size_t> widths_;
};

std::string table_text(const std::vector<std::string>& systems,
                       const std::vector<MetricReport>& metrics) {
  std::vector<std::vector<Cell>> rows{{{"System"}}};
  for (const MetricReport& metric : metrics) {
    const bool interval = !metric.tests.empty() && metric.tests[0].interval;
    rows[0].push_back({metric.scores[0].name + (interval ? " (μ ± 95% CI)" : "")});
  }
  for (size_t system = 0; system < systems.size(); ++system) {
    const bool baseline = system == 0 && !metrics[0].tests.empty();
    rows.push_back({{(baseline ? "Baseline: " : "") + systems[system]}});
    for (const MetricReport& metric : metrics) rows.back().push_back(score_cell(metric, system));
  }
  return Table(std::move(rows)).text();
}

std::string heading(const std::string& text) {
  const std::string line(text.size(), '-');
  return fmt::format("{0}\n{1}\n{0}\n", line, text);
}

std::string test_text(const std::string& baseline, const PairedTestOptions& test) {
  const bool bootstrap = test.test == PairedTest::bootstrap;
  const std::string what =
      bootstrap
          ? fmt::format("Paired bootstrap resampling test with {} resampling trials", test.trials)
          : fmt::format("Paired approximate randomization test with {} trials", test.trials);
  std::string text = heading(what);
  text += fmt::format(" - Each system is compared with the baseline, {}.\n", baseline);
  if (bootstrap) {
    text +=
        " - In brackets: the mean score over corpora drawn from the sentences, and half the width\n"
        "   of the interval that holds 95% of them.\n";
  }
  text +=
      " - p: how often chance alone would make a difference as great, were the two systems the\n"
      "   same. Up to 0.05 (marked *) the difference is called significant; that does not make a\n"
      "   system better, only its difference likely to be seen again.\n\n";
  return text;
}

}  // namespace

std::string json_scores(const std::vector<MetricScore>& scores) {
  Json list = Json::array();
  for (const MetricScore& score : scores) list.push_back(json_score(score));
  return dump(list);
}

std::string text_scores(const std::vector<MetricScore>& scores) {
  std::string text;
  for (const MetricScore& score : scores) {
    text += fmt::format("{}\n  {}\n", score.line, score.signature);
  }
  return text;
}

std::string json_systems(const std::vector<std::string>& systems,
                         const std::vector<MetricReport>& metrics) {
  Json list = Json::array();
  for (size_t system = 0; system < systems.size(); ++system) {
    Json scores = Json::array();
    for (const MetricReport& metric : metrics) scores.push_back(json_score(metric, system));
    list.push_back({{"system", systems[system]}, {"scores", scores}});
  }
  return dump(list);
}

std::string text_systems(const std::vector<std::string>& systems,
                         const std::vector<MetricReport>& metrics,
                         const std::optional<PairedTestOptions>& test) {
  std::string text = table_text(systems, metrics) + "\n";
  if (test) text += test_text(systems[0], *test);
  text += heading("Metric signatures");
  for (const MetricReport& metric : metrics) {
    text += fmt::format(" - {:<10} {}\n", metric.scores[0].name, metric.scores[0].signature);
  }
  return text;
}

}  // namespace heed
