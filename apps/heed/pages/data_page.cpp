#include "pages/data_page.h"

#include <algorithm>

#include "console/help.h"
#include "heed/core/options.h"
#include "heed/pages/page.h"
#include "pages/numbers.h"

namespace heed {
namespace {

std::string length_row(const std::string& name, const LengthCounts& lengths) {
  return fmt::format("  {:<22}{:>9.1f}{:>9}{:>9}{:>9}{:>12}\n", name, lengths.mean(),
                     grouped(lengths.quantile(0.5)), grouped(lengths.quantile(0.95)),
                     grouped(lengths.quantile(0.99)), grouped(lengths.max()));
}

std::string lengths_text(const DataReport& report) {
  std::string text = fmt::format("{:<24}{:>9}{:>9}{:>9}{:>9}{:>12}\n", "Lengths", "mean", "median",
                                 "95%", "99%", "longest");
  const auto side = [&](const char* name, const SideReport& side) {
    if (is_spaced(side)) text += length_row(fmt::format("{} words", name), side.words);
    text += length_row(fmt::format("{} characters", name), side.characters);
    if (report.tokenized) text += length_row(fmt::format("{} tokens", name), side.tokens);
  };
  side("source", report.source);
  side("target", report.target);
  return text;
}

std::string facts_text(const DataReport& report) {
  const std::vector<FactRow> rows = fact_rows(report);
  size_t source_width = 23, target_width = 23;
  for (const FactRow& row : rows) {
    source_width = std::max(source_width, row.source.size());
    target_width = std::max(target_width, row.target.size());
  }
  const auto line = [&](const FactRow& row, size_t indent) {
    return fmt::format("{:{}}{:<{}} {:>{}} {:>{}}\n", "", indent, row.name, 32 - indent, row.source,
                       source_width, row.target, target_width);
  };
  std::string text = line({"Vocabulary", "source", "target"}, 0);
  for (const FactRow& row : rows) text += line(row, 2);
  return text;
}

std::string example_text(const FindingExample& example) {
  std::string text = fmt::format("    {}:{}{}\n", example.source_file, example.line,
                                 example.note.empty() ? "" : "  (" + example.note + ")");
  if (example.source.empty() && example.target.empty()) return text;
  return text + fmt::format("      source  {}\n      target  {}\n", example.source, example.target);
}

std::string finding_text(const Finding& finding, const DataReport& report) {
  const FindingText& what = text_of(finding.kind);
  std::string text = fmt::format("\n  {}: {}\n    {}\n", finding_count(finding, report.pairs),
                                 what.title, wrap(advice_for(finding), 4, 4));
  for (const FindingExample& example : finding.examples) text += example_text(example);
  return text;
}

std::string scripts_text(const ScriptCounts& letters) {
  constexpr size_t kNamed = 3;
  const int64_t all = sum(letters);
  std::vector<size_t> common;
  for (size_t i = 0; i < kScripts; ++i)
    if (letters[i] * 100 >= all && letters[i] > 0) common.push_back(i);
  std::stable_sort(common.begin(), common.end(),
                   [&](size_t a, size_t b) { return letters[a] > letters[b]; });
  std::string text;
  for (size_t i = 0; i < std::min(common.size(), kNamed); ++i)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_text(Script(common[i])),
                        percent(letters[common[i]], all));
  if (common.size() > kNamed) text += fmt::format(" and {} more", common.size() - kNamed);
  return text.empty() ? "none" : text;
}

constexpr size_t kShownChanges = 3;  // of normalization

// The facts of one side: {"different words", "12,345"}.
using Facts = std::vector<std::pair<std::string, std::string>>;

void add_words(const SideReport& side, Facts& facts) {
  const VocabularyReport& vocabulary = side.vocabulary;
  const bool spaced = is_spaced(side);
  const auto add = [&](std::string name, std::string value) {
    facts.emplace_back(std::move(name), spaced ? std::move(value) : "-");
  };
  const std::string about = vocabulary.estimated ? "about " : "";
  facts.emplace_back("words", spaced ? grouped(vocabulary.words) : "no spaces between");
  add("different words", about + grouped(vocabulary.types));
  add("words that occur once", fmt::format("{}{} ({})", about, grouped(vocabulary.singletons),
                                           percent(vocabulary.singletons, vocabulary.types)));
  for (size_t i = 0; i + 1 < vocabulary.coverage.size(); ++i) {
    const auto& [types, share] = vocabulary.coverage[i];
    add(fmt::format("covered by the {} commonest", grouped(types)),
        fmt::format("{:.1f}%", 100 * share));
  }
}

Facts facts_of(const SideReport& side) {
  const auto per = [](int64_t whole, int64_t parts) {
    return fmt::format("{:.2f}", double(whole) / double(std::max<int64_t>(1, parts)));
  };
  Facts facts{{"scripts", scripts_text(side.letters)}};
  add_words(side, facts);
  const NormalizationReport& normalization = side.normalization;
  facts.emplace_back(
      fmt::format("changed by {}", normalization.name),
      normalization.changed_lines == 0
          ? "0"
          : fmt::format(
                "{}: {}", grouped(normalization.changed_lines),
                to_string(std::vector(
                    normalization.changes.begin(),
                    normalization.changes.begin() +
                        ptrdiff_t(std::min(kShownChanges, normalization.changes.size()))))));
  const TokenReport& use = side.vocabulary_use;
  if (use.vocabulary > 0) {
    facts.emplace_back("tokens for each word",
                       is_spaced(side) ? per(use.tokens, side.words.sum()) : "-");
    facts.emplace_back("characters for each token", per(side.characters.sum(), use.tokens));
    facts.emplace_back("vocabulary in use",
                       fmt::format("{} of {}", grouped(use.used), grouped(use.vocabulary)));
    facts.emplace_back("unknown tokens", grouped(use.unknown));
  }
  if (side.test.lines > 0) {
    facts.emplace_back("lines of the test", grouped(side.test.lines));
    facts.emplace_back("of these also in training", grouped(side.test.lines_seen));
    facts.emplace_back("words of the test never seen",
                       is_spaced(side) ? percent(side.test.unseen_words, side.test.words) : "-");
  }
  return facts;
}

}  // namespace

std::vector<FactRow> fact_rows(const DataReport& report) {
  std::vector<FactRow> rows;
  for (const auto& [name, value] : facts_of(report.source)) rows.push_back({name, value, "-"});
  for (const auto& fact : facts_of(report.target)) {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const FactRow& other) { return other.name == fact.first; });
    if (row == rows.end()) {
      rows.push_back({fact.first, "-", fact.second});
    } else {
      row->target = fact.second;
    }
  }
  return rows;
}

std::string finding_count(const Finding& finding, int64_t pairs) {
  std::string count = (finding.estimated ? "about " : "") + grouped(finding.pairs);
  // Lines without a partner are not among the pairs.
  if (finding.kind == FindingKind::unequal_lines) return count;
  return fmt::format("{} ({})", count, percent(finding.pairs, pairs));
}

std::string data_html(const DataTitle& title, const DataReport& report) {
  return page_html({"data", title.source + " and " + title.target,
                    data_json(title, report, ListedLines::examples)});
}

std::string data_text(const DataTitle& title, const DataReport& report) {
  std::string text =
      fmt::format("{} and {}: {}{}\n\n", title.source, title.target, grouped(report.pairs, "pair"),
                  report.first_pairs_only ? ", the first of the files" : "");
  text += lengths_text(report);
  text += fmt::format("  target characters for each of the source, typically: {:.2f}\n\n",
                      report.typical_ratio);
  text += facts_text(report) + "\nFindings\n";
  bool clean = true;
  for (const Finding& finding : report.findings) {
    if (finding.pairs == 0) continue;
    text += finding_text(finding, report);
    clean = false;
  }
  return text + (clean ? "  none\n" : "");
}

}  // namespace heed
