#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "heed/core/options.h"
#include "heed/pages/run_page.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

constexpr const char* kMissing = "-";
constexpr TableColumn kTextColumn{TableColumn::Side::left};

std::string number(std::optional<double> value, int decimals) {
  return value && std::isfinite(*value) ? fmt::format("{:.{}f}", *value, decimals) : kMissing;
}

// The scores that any of the runs has, as places in kScoreNames.
std::vector<size_t> scores_of(std::span<const RunHistory> runs) {
  std::vector<size_t> scores;
  for (const RunHistory& run : runs) {
    const RunSummary found = summary(run.metrics);
    for (size_t i = 0; i < kScoreNames.size(); ++i) {
      if (found.highest[i] && std::ranges::count(scores, i) == 0) scores.push_back(i);
    }
  }
  std::ranges::sort(scores);
  return scores;
}

// The columns of the table of runs: their headings, and the cells of one run, whose scores are
// those of the validation with the highest of the first.
std::vector<std::pair<const char*, std::string>> columns_of(const RunHistory& run,
                                                            const std::vector<size_t>& scores) {
  const RunSummary found = summary(run.metrics);
  const TrainReport& last = *found.last;
  const ValidationReport *loss = found.lowest_loss, *scored = nullptr;
  for (const size_t i : scores)
    if (scored == nullptr) scored = found.highest[i];
  const ValidationReport none, &best = loss ? *loss : none;
  std::vector<std::pair<const char*, std::string>> columns = {
      {"Run", one_line(run.name)},
      {"State", to_text(run.status)},
      {"Steps", grouped(last.step)},
      {"Epochs", number(last.epoch, 2)},
      {"Time", std::isfinite(last.seconds) ? clock_text(last.seconds) : kMissing},
      {"Tokens/s", number(last.tokens_per_second, 0)},
      {"Train loss", number(last.loss, 4)},
      {"Loss", number(best.loss, 4)},
      {"Perplexity", number(best.perplexity, 3)},
      {"at step", loss ? grouped(loss->step) : kMissing}};
  for (const size_t i : scores) {
    const auto& [name, title] = kScoreNames[i];
    columns.emplace_back(title, number(scored ? scored->score(name) : std::nullopt, 2));
  }
  if (!scores.empty()) columns.emplace_back("at step", scored ? grouped(scored->step) : kMissing);
  return columns;
}

// "; BLEU and chrF: of that with the highest BLEU"
std::string scores_note(const std::vector<size_t>& scores) {
  if (scores.empty()) return "";
  std::vector<std::string> titles;
  titles.reserve(scores.size());
  for (const size_t i : scores) titles.emplace_back(kScoreNames[i].title);
  return fmt::format("; {}: of that with the highest {}", fmt::join(titles, " and "), titles[0]);
}

std::string option_of(const RunHistory& run, const std::string& name) {
  for (const auto& [option, value] : run.options)
    if (option == name) return one_line(value);
  return "none";
}

// The runs without options, whose training state was deleted or cannot be read.
std::vector<std::string> runs_without_options(std::span<const RunHistory> runs) {
  std::vector<std::string> names;
  for (const RunHistory& run : runs)
    if (run.options.empty()) names.push_back(one_line(run.name));
  return names;
}

// The names of the options that any of the runs has.
std::vector<std::string> option_names(std::span<const RunHistory> runs) {
  std::vector<std::string> names;
  for (const RunHistory& run : runs)
    for (const auto& [name, value] : run.options)
      if (std::ranges::count(names, name) == 0) names.push_back(name);
  return names;
}

// Whether an option names files of text which all of these runs have in common, whatever its value.
bool names_one_text(const std::string& option, std::span<const RunHistory> runs) {
  const auto is_one_of = [&](std::initializer_list<const char*> names) {
    return std::ranges::find(names, option) != names.end();
  };
  const auto equal = [&](std::string RunHistory::*text) {
    const RunHistory* first = nullptr;
    for (const RunHistory& run : runs) {
      if (run.options.empty()) continue;
      if (first == nullptr) first = &run;
      if ((run.*text).empty() || run.*text != first->*text) return false;
    }
    return true;
  };
  if (is_one_of({"valid_source", "valid_target", "valid_tsv"}))
    return equal(&RunHistory::validation_text);
  return is_one_of({"source", "target", "tsv"}) && equal(&RunHistory::training_text);
}

// A row for each option and a column for each run that has options.
std::string options_text(std::span<const RunHistory> runs, const std::vector<std::string>& names) {
  std::vector<TableRow> rows{{"Option"}};
  for (const std::string& name : names) rows.push_back({name});
  for (const RunHistory& run : runs) {
    if (run.options.empty()) continue;
    rows[0].push_back(one_line(run.name));
    for (size_t i = 0; i < names.size(); ++i) rows[i + 1].push_back(option_of(run, names[i]));
  }
  return table_text(rows, {kTextColumn});
}

// The examples that the run has drawn of each corpus.
std::string corpora_text(const RunHistory& run) {
  const TrainReport& last = run.metrics.reports.back();
  if (last.corpora.empty()) return "";
  int64_t all = 0;
  for (const CorpusCount& corpus : last.corpora) all += corpus.examples;
  std::vector<TableRow> rows{{"Corpus", "Examples", "Share"}};
  for (const CorpusCount& corpus : last.corpora)
    rows.push_back({one_line(corpus.name), grouped(corpus.examples),
                    fmt::format("{:.1f}%", 100 * double(corpus.examples) /
                                               double(std::max<int64_t>(1, all)))});
  return fmt::format("\n{}: what was learned from, up to stage {}\n{}", one_line(run.name),
                     last.stage.value_or(1), table_text(rows, {kTextColumn, {}}));
}

}  // namespace

std::vector<std::string> differing_options(std::span<const RunHistory> runs) {
  std::vector<std::string> names = option_names(runs);
  std::erase_if(names, [&](const std::string& name) {
    if (names_one_text(name, runs)) return true;
    std::vector<std::string> values;
    for (const RunHistory& run : runs)
      if (!run.options.empty()) values.push_back(option_of(run, name));
    return std::ranges::all_of(values, [&](const std::string& v) { return v == values[0]; });
  });
  return names;
}

std::string runs_text(std::span<const RunHistory> runs) {
  const std::vector<size_t> scores = scores_of(runs);
  std::vector<TableRow> rows(1);
  for (const auto& [heading, cell] : columns_of(runs[0], scores)) rows[0].push_back(heading);
  for (const RunHistory& run : runs) {
    TableRow& row = rows.emplace_back();
    for (auto& [heading, cell] : columns_of(run, scores)) row.push_back(std::move(cell));
  }
  std::string text = table_text(rows, {kTextColumn, kTextColumn, {}}) +
                     "\nSteps to train loss: of the last report. Loss and perplexity: of the "
                     "validation with the lowest loss" +
                     scores_note(scores) + ".\n";
  for (const RunHistory& run : runs) text += corpora_text(run);
  const std::vector<std::string> unknown = runs_without_options(runs);
  if (!unknown.empty() && runs.size() > 1)
    text += fmt::format("\nOptions unknown, without a training state to read them from: {}.\n",
                        fmt::join(unknown, ", "));
  // Two are compared; of one alone all options are shown.
  const size_t known = runs.size() - unknown.size();
  if (known < std::min<size_t>(2, runs.size())) return text;
  const bool several = runs.size() > 1;
  const std::vector<std::string> names = several ? differing_options(runs) : option_names(runs);
  if (several && names.empty())
    return text + (unknown.empty() ? "\nAll options are equal.\n"
                                   : "\nThe options of the other runs are equal.\n");
  return text + (several ? "\nOptions that differ\n" : "\n") + options_text(runs, names);
}

}  // namespace heed
