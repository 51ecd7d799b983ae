#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heed/core/json_text.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/pages/evaluation_page.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Cell = std::vector<std::string>;  // its lines

Json json_of(const std::vector<MetricReport>& metrics, size_t system) {
  Json scores = Json::array();
  for (const MetricReport& metric : metrics) {
    const MetricScore& found = metric.scores[system];
    Json& score = scores.emplace_back(
        Json{{"name", found.name}, {"score", found.score}, {"signature", found.signature}});
    for (const auto& [name, value] : found.details) score["details"][name] = value;
    for (const ClassScore& of_class : found.classes) {
      score["classes"].push_back({{"name", of_class.name},
                                  {"precision", of_class.precision},
                                  {"recall", of_class.recall},
                                  {"f1", of_class.f1},
                                  {"support", of_class.support}});
    }
    if (metric.tests.empty()) continue;
    const auto& [ignored, p_value, interval] = metric.tests[system];
    score["p_value"] = p_value ? Json(*p_value) : Json();
    if (!interval) continue;
    score["mean"] = interval->mean;
    score["ci"] = interval->half_width;
  }
  return scores;
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

// The classes of a metric below its score.
std::string class_table(const std::vector<ClassScore>& classes) {
  constexpr size_t kMaxNameColumns = 40;
  size_t width = std::string_view("class").size();
  std::vector<std::string> names;
  for (const ClassScore& of_class : classes) {
    names.push_back(excerpt(of_class.name, kMaxNameColumns));
    width = std::max(width, size_t(terminal_width(names.back())));
  }
  const auto padded = [&](const std::string& name) {
    return name + std::string(width - size_t(terminal_width(name)), ' ');
  };
  std::string text = fmt::format("  {}  precision  recall      F1  support\n", padded("class"));
  for (size_t i = 0; i < classes.size(); ++i) {
    text += fmt::format("  {}  {:9.2f}  {:6.2f}  {:6.2f}  {:7}\n", padded(names[i]),
                        classes[i].precision, classes[i].recall, classes[i].f1, classes[i].support);
  }
  return text;
}

// A line of the table between two rows, of these four characters.
std::string rule(const std::vector<size_t>& widths, const std::array<const char*, 4>& marks) {
  std::vector<std::string> parts;
  for (const size_t width : widths) {
    std::string& part = parts.emplace_back();
    for (size_t i = 0; i < width + 2; ++i) part += marks[1];
  }
  return fmt::format("{}{}{}\n", marks[0], fmt::join(parts, marks[2]), marks[3]);
}

std::string row_text(const std::vector<Cell>& row, const std::vector<size_t>& widths) {
  size_t height = 0;
  for (const Cell& cell : row) height = std::max(height, cell.size());
  std::string text;
  for (size_t line = 0; line < height; ++line) {
    for (size_t column = 0; column < row.size(); ++column) {
      const std::string content = line < row[column].size() ? row[column][line] : "";
      const size_t space = widths[column] - characters(content);
      const size_t before = column == 0 ? space : space / 2;
      text += "│ " + std::string(before, ' ') + content + std::string(space - before + 1, ' ');
    }
    text += "│\n";
  }
  return text;
}

// Cells of equal columns, the first row being the heading. The first column is aligned right,
// the others in the middle.
std::string grid_text(const std::vector<std::vector<Cell>>& rows) {
  std::vector<size_t> widths;
  for (const Cell& heading : rows[0]) widths.push_back(characters(heading[0]) + 2);
  for (const std::vector<Cell>& row : rows)
    for (size_t column = 0; column < row.size(); ++column)
      for (const std::string& line : row[column])
        widths[column] = std::max(widths[column], characters(line));
  std::string text = rule(widths, {"╒", "═", "╤", "╕"}) + row_text(rows[0], widths) +
                     rule(widths, {"╞", "═", "╪", "╡"});
  for (size_t row = 1; row < rows.size(); ++row) {
    if (row > 1) text += rule(widths, {"├", "─", "┼", "┤"});
    text += row_text(rows[row], widths);
  }
  return text + rule(widths, {"╘", "═", "╧", "╛"});
}

std::string systems_table(const std::vector<std::string>& systems,
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
  return grid_text(rows);
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

int64_t count_changed(const CopiedModel& before, const CopiedModel& after) {
  int64_t changed = 0;
  for (size_t i = 0; i < before.translations.size(); ++i)
    changed += before.translations[i] != after.translations[i];
  return changed;
}

}  // namespace

// A path may hold bytes that are no UTF-8.
std::string json_scores(const std::vector<MetricReport>& metrics,
                        const std::vector<std::string>& systems) {
  if (systems.size() < 2) return json_text(json_of(metrics, 0)) + "\n";
  Json list = Json::array();
  for (size_t system = 0; system < systems.size(); ++system)
    list.push_back({{"system", systems[system]}, {"scores", json_of(metrics, system)}});
  return json_text(list) + "\n";
}

std::string text_scores(const std::vector<MetricReport>& metrics,
                        const std::vector<std::string>& systems,
                        const std::optional<PairedTestOptions>& test) {
  std::string text;
  if (systems.size() < 2) {
    for (const MetricReport& metric : metrics) {
      const MetricScore& score = metric.scores[0];
      text += fmt::format("{}\n  {}\n", score.line, score.signature);
      if (!score.classes.empty()) text += class_table(score.classes);
    }
    return text;
  }
  text = systems_table(systems, metrics) + "\n";
  if (test) text += test_text(systems[0], *test);
  text += heading("Metric signatures");
  for (const MetricReport& metric : metrics)
    text += fmt::format(" - {:<10} {}\n", metric.scores[0].name, metric.scores[0].signature);
  return text;
}

std::string text_of_copy(const CopiedModel& before, const CopiedModel& after) {
  std::string text = fmt::format("model.safetensors: {:.1f} MiB, before {:.1f}\n",
                                 double(after.bytes) / 1048576, double(before.bytes) / 1048576);
  if (const size_t lines = before.translations.size(); lines > 0)
    text +=
        fmt::format("translations that changed: {} of {}\n", count_changed(before, after), lines);
  if (before.bleu)
    text += fmt::format("BLEU: {:.2f}, before {:.2f}\n  {}\n", after.bleu->score,
                        before.bleu->score, after.bleu->signature);
  return text;
}

std::string json_of_copy(const CopiedModel& before, const CopiedModel& after) {
  Json object = {{"bytes_before", before.bytes}, {"bytes", after.bytes}};
  if (const size_t lines = before.translations.size(); lines > 0)
    object.update({{"lines", lines}, {"changed", count_changed(before, after)}});
  if (before.bleu)
    object.update({{"bleu_before", before.bleu->score},
                   {"bleu", after.bleu->score},
                   {"bleu_signature", after.bleu->signature}});
  return json_text(object) + "\n";
}

Reliability EvaluatedConfidence::reliability() const {
  std::vector<Prediction> predictions;
  predictions.reserve(sentences.size());
  for (const auto& one : sentences)
    if (one) predictions.push_back(*one);
  return heed::reliability(predictions);
}

std::string text_of_confidence(const EvaluatedConfidence& confidence) {
  const Reliability found = confidence.reliability();
  size_t good = 0, count = 0;
  for (const auto& one : confidence.sentences) {
    good += one && one->good ? 1 : 0;
    count += one ? 1 : 0;
  }
  return fmt::format(
      "confidence: {}, calibration error {:.3f}; {} of {} lines are good (chrF of at least {:.1f})",
      auc_text(found), found.error, good, count, confidence.good_chrf);
}

}  // namespace heed
