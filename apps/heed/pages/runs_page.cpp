#include "pages/runs_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "console/console.h"
#include "heed/core/json_text.h"
#include "heed/core/options.h"
#include "heed/core/unicode.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<std::string>;

constexpr const char* kMissing = "-";

std::string number(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : kMissing;
}

// The rows of a table, the first its heading. The first `texts` columns are aligned left, the
// others, which have numbers, right.
std::string table_text(const std::vector<Cells>& rows, size_t texts) {
  std::vector<int64_t> widths(rows[0].size(), 0);
  for (const Cells& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], terminal_width(row[i]));
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(size_t(widths[i] - terminal_width(row[i])), ' ');
      line += (i > 0 ? "  " : "") + (i < texts ? row[i] + space : space + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// The columns of the table of runs: their headings, and the cells of one run.
std::vector<std::pair<const char*, std::string>> columns_of(const RunHistory& run) {
  const RunSummary found = summary(run.metrics);
  const TrainReport& last = *found.last;
  const ValidationReport *loss = found.lowest_loss, *bleu = found.highest_bleu;
  const bool timed = std::isfinite(last.seconds);
  return {{"Run", one_line(run.name)},
          {"State", to_text(run.status)},
          {"Steps", grouped(last.step)},
          {"Epochs", number(last.epoch, 2)},
          {"Time", timed ? clock_text(last.seconds) : kMissing},
          {"Tokens/s", number(last.tokens_per_second, 0)},
          {"Train loss", number(last.loss, 4)},
          {"Loss", loss ? number(*loss->loss, 4) : kMissing},
          {"Perplexity", loss && loss->perplexity ? number(*loss->perplexity, 3) : kMissing},
          {"at step", loss ? grouped(loss->step) : kMissing},
          {"BLEU", bleu ? number(*bleu->score("bleu"), 2) : kMissing},
          {"chrF", bleu ? number(*bleu->score("chrf"), 2) : kMissing},
          {"at step", bleu ? grouped(bleu->step) : kMissing}};
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

// The names of the options whose values differ, in the order of the runs' options, but for other
// names of the same text. Runs without options are not compared.
std::vector<std::string> differing_options(std::span<const RunHistory> runs) {
  std::vector<std::string> names;
  for (const RunHistory& run : runs)
    for (const auto& [name, value] : run.options)
      if (std::ranges::count(names, name) == 0) names.push_back(name);
  std::erase_if(names, [&](const std::string& name) {
    if (names_one_text(name, runs)) return true;
    std::vector<std::string> values;
    for (const RunHistory& run : runs)
      if (!run.options.empty()) values.push_back(option_of(run, name));
    return std::ranges::all_of(values, [&](const std::string& v) { return v == values[0]; });
  });
  return names;
}

// A row for each option and a column for each run that has options.
std::string options_text(std::span<const RunHistory> runs, const std::vector<std::string>& names) {
  std::vector<Cells> rows{{"Option"}};
  for (const std::string& name : names) rows.push_back({name});
  for (const RunHistory& run : runs) {
    if (run.options.empty()) continue;
    rows[0].push_back(one_line(run.name));
    for (size_t i = 0; i < names.size(); ++i) rows[i + 1].push_back(option_of(run, names[i]));
  }
  return table_text(rows, rows[0].size());
}

Json validation_json(const ValidationReport* r) {
  if (r == nullptr) return nullptr;
  Json json = {{"step", r->step},
               {"loss", json_number(r->loss)},
               {"perplexity", json_number(r->perplexity)}};
  for (const Score& score : r->scores) json[score.name] = score.value;
  if (!r->scores.empty()) json["bleu_tokenize"] = r->scores[0].tokenize;
  return json;
}

Json run_json(const RunHistory& run) {
  const RunSummary found = summary(run.metrics);
  Json options = Json::object();
  for (const auto& [name, value] : run.options) options[name] = value;
  return {{"name", run.name},
          {"state", to_text(run.status)},
          {"step", found.last->step},
          {"epoch", json_number(found.last->epoch)},
          {"seconds", json_number(found.last->seconds)},
          {"tokens_per_second", json_number(found.last->tokens_per_second)},
          {"train_loss", json_number(found.last->loss)},
          {"parameters", run.parameters ? Json(*run.parameters) : Json(nullptr)},
          {"lowest_loss", validation_json(found.lowest_loss)},
          {"lowest_perplexity", validation_json(found.lowest_perplexity)},
          {"highest_bleu", validation_json(found.highest_bleu)},
          {"highest_chrf", validation_json(found.highest_chrf)},
          {"average", validation_json(found.average)},
          {"options", options}};
}

}  // namespace

std::string runs_text(std::span<const RunHistory> runs) {
  std::vector<Cells> rows(1);
  for (const auto& [heading, cell] : columns_of(runs[0])) rows[0].push_back(heading);
  for (const RunHistory& run : runs) {
    Cells& row = rows.emplace_back();
    for (auto& [heading, cell] : columns_of(run)) row.push_back(std::move(cell));
  }
  std::string text = table_text(rows, 2) +
                     "\nSteps to train loss: of the last report. Loss and perplexity: of the "
                     "validation with the lowest loss; BLEU and chrF: of that with the highest "
                     "BLEU.\n";
  const std::vector<std::string> unknown = runs_without_options(runs);
  if (!unknown.empty() && runs.size() > 1)
    text += fmt::format("\nOptions unknown, without a training state to read them from: {}.\n",
                        fmt::join(unknown, ", "));
  // Two are compared; of one alone all options are shown.
  const size_t known = runs.size() - unknown.size();
  if (known < std::min<size_t>(2, runs.size())) return text;
  if (runs.size() > 1) {
    const std::vector<std::string> names = differing_options(runs);
    if (names.empty())
      return text + (unknown.empty() ? "\nAll options are equal.\n"
                                     : "\nThe options of the other runs are equal.\n");
    return text + "\nOptions that differ\n" + options_text(runs, names);
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : runs[0].options) names.push_back(name);
  return text + "\n" + options_text(runs, names);
}

std::string runs_json(std::span<const RunHistory> runs) {
  Json json = {{"runs", Json::array()}, {"differing_options", differing_options(runs)}};
  for (const RunHistory& run : runs) json["runs"].push_back(run_json(run));
  return json_text(json) + "\n";
}

}  // namespace heed
