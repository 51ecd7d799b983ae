#include "heed/pages/data_page.h"

#include <algorithm>

#include "heed/core/json_text.h"
#include "heed/core/options.h"
#include "heed/pages/json_parts.h"
#include "heed/pages/page.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// The quantiles of lengths that a report shows: their names in JSON and in a table.
struct LengthQuantile {
  const char *name, *title;
  double share;
};
constexpr std::array<LengthQuantile, 3> kQuantiles{
    {{"median", "median", 0.5}, {"p95", "95%", 0.95}, {"p99", "99%", 0.99}}};

std::string lengths_text(const DataReport& report) {
  std::string text = fmt::format("{:<24}{:>9}", "Lengths", "mean");
  for (const LengthQuantile& q : kQuantiles) text += fmt::format("{:>9}", q.title);
  text += fmt::format("{:>12}\n", "longest");
  const auto row = [&](const char* side, const char* unit, const LengthCounts& lengths) {
    text += fmt::format("  {:<22}{:>9.1f}", fmt::format("{} {}", side, unit), lengths.mean());
    for (const LengthQuantile& q : kQuantiles)
      text += fmt::format("{:>9}", grouped(lengths.quantile(q.share)));
    text += fmt::format("{:>12}\n", grouped(lengths.max()));
  };
  const auto side = [&](const char* name, const SideReport& side) {
    if (is_spaced(side)) row(name, "words", side.words);
    row(name, "characters", side.characters);
    if (report.tokenized) row(name, "tokens", side.tokens);
  };
  side("source", report.source);
  side("target", report.target);
  return text;
}

std::string example_text(const FindingExample& example) {
  std::string text = fmt::format("    {}:{}{}\n", example.source_file, example.line,
                                 example.note.empty() ? "" : "  (" + example.note + ")");
  if (example.source.empty() && example.target.empty()) return text;
  return text + fmt::format("      source  {}\n      target  {}\n", example.source, example.target);
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
  std::vector<CharacterChange> changes = normalization.changes;
  if (changes.size() > kShownChanges) changes.resize(kShownChanges);
  const int64_t lines = normalization.changed_lines;
  facts.emplace_back(fmt::format("changed by {}", normalization.name),
                     lines == 0 ? "0" : fmt::format("{}: {}", grouped(lines), to_string(changes)));
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

// The facts about the sides, except lengths; "-" where one does not apply.
std::string facts_text(const DataReport& report) {
  std::vector<TableRow> rows{{"Vocabulary", "source", "target"}};
  for (const auto& [name, value] : facts_of(report.source))
    rows.push_back({"  " + name, value, "-"});
  for (const auto& [name, value] : facts_of(report.target)) {
    auto row = std::ranges::find(rows, "  " + name, [](const auto& other) { return other[0]; });
    if (row == rows.end()) row = rows.insert(row, {"  " + name, "-", ""});
    (*row)[2] = value;
  }
  return table_text(rows, {{TableColumn::Side::left, 32}, {.width = 24, .gap = 1}});
}

// The number of pairs with a finding and their share of `pairs`: "12 (0.4%)", "about 12 (0.4%)".
std::string finding_count(const Finding& finding, int64_t pairs) {
  std::string count = (finding.estimated ? "about " : "") + grouped(finding.pairs);
  // Lines without a partner are not among the pairs.
  if (finding.kind == FindingKind::unequal_lines) return count;
  return fmt::format("{} ({})", count, percent(finding.pairs, pairs));
}

std::string finding_text(const Finding& finding, const DataReport& report) {
  const FindingText& what = text_of(finding.kind);
  std::string text = fmt::format("\n  {}: {}\n    {}\n", finding_count(finding, report.pairs),
                                 what.title, wrap(advice_for(finding), 4));
  for (const FindingExample& example : finding.examples) text += example_text(example);
  return text;
}

// A chart of lengths has this many bars, the last one with all longer sentences.
constexpr int64_t kBars = 24;

// The width of a bar, such that both sides fit but for their 0.5% longest sentences.
int64_t bar_width(const LengthCounts& source, const LengthCounts& target) {
  const int64_t reach = std::max(source.quantile(0.995), target.quantile(0.995)) + 1;
  return std::max<int64_t>(1, (reach + kBars - 1) / kBars);
}

Json histogram(const LengthCounts& lengths, int64_t width) {
  std::vector<int64_t> counts(kBars);
  for (size_t length = 0; length < lengths.bins().size(); ++length)
    counts[size_t(std::min(int64_t(length) / width, kBars - 1))] += lengths.bins()[length];
  return {{"width", width}, {"counts", counts}};
}

Json json_of(const LengthCounts& lengths, int64_t width) {
  Json object{{"histogram", histogram(lengths, width)}, {"mean", lengths.mean()}};
  for (const LengthQuantile& q : kQuantiles) object[q.name] = lengths.quantile(q.share);
  object["longest"] = lengths.max();
  object["sum"] = lengths.sum();
  return object;
}

Json json_of(const VocabularyReport::Coverage& coverage) {
  return {{"types", coverage.types}, {"share", coverage.share}};
}

Json json_of(const CharacterChange& change) {
  return {{"before", change.before}, {"after", change.after}, {"count", change.count}};
}

Json json_of(const FindingExample& example) {
  return {{"source_file", example.source_file},
          {"target_file", example.target_file},
          {"line", example.line},
          {"source", example.source},
          {"target", example.target},
          {"note", example.note}};
}

Json json_of(const FindingLines& file) {
  return {
      {"source_file", file.source_file}, {"target_file", file.target_file}, {"lines", file.lines}};
}

template <class Item>
Json list_of(const std::vector<Item>& items) {
  return json_list(items, [](const Item& item) { return json_of(item); });
}

Json json_of(const VocabularyReport& vocabulary) {
  return {{"words", vocabulary.words},
          {"types", vocabulary.types},
          {"singletons", vocabulary.singletons},
          {"estimated", vocabulary.estimated},
          {"coverage", list_of(vocabulary.coverage)}};
}

// The widths of bars that both sides have in common.
struct BarWidths {
  int64_t words, characters, tokens;
};

Json json_of(const SideReport& side, const BarWidths& widths, bool tokenized) {
  Json object{{"spaced", is_spaced(side)},
              {"words", json_of(side.words, widths.words)},
              {"characters", json_of(side.characters, widths.characters)}};
  object["normalization"] = {{"rules", side.normalization.name},
                             {"changed_lines", side.normalization.changed_lines},
                             {"changes", list_of(side.normalization.changes)}};
  if (tokenized) {
    object["tokens"] = json_of(side.tokens, widths.tokens);
    object["vocabulary_use"] = {{"vocabulary", side.vocabulary_use.vocabulary},
                                {"used", side.vocabulary_use.used},
                                {"tokens", side.vocabulary_use.tokens},
                                {"unknown", side.vocabulary_use.unknown}};
  }
  object["vocabulary"] = json_of(side.vocabulary);
  object["letters"] = Json::object();
  for (size_t i = 0; i < kScripts; ++i) {
    if (side.letters[i] > 0) object["letters"][to_text(Script(i))] = side.letters[i];
  }
  if (side.test.lines > 0) {
    object["test"] = {{"lines", side.test.lines},
                      {"lines_seen", side.test.lines_seen},
                      {"words", side.test.words},
                      {"unseen_words", side.test.unseen_words}};
  }
  return object;
}

Json json_of(const Finding& finding, const DataReport& report, ListedLines lines) {
  const FindingText& what = text_of(finding.kind);
  Json object{{"kind", what.name},
              {"pairs", finding.pairs},
              {"looked_for", looked_for(finding.kind, report)},
              {"estimated", finding.estimated},
              {"title", what.title},
              {"advice", advice_for(finding)},
              {"command", finding.command},
              {"examples", list_of(finding.examples)}};
  if (lines == ListedLines::all) {
    object["lines"] = list_of(finding.lines);
    object["all_lines"] = finding.all_listed();
  }
  return object;
}

}  // namespace

std::string data_json(const DataTitle& title, const DataReport& report, ListedLines lines) {
  const SideReport &source = report.source, &target = report.target;
  const BarWidths widths{bar_width(source.words, target.words),
                         bar_width(source.characters, target.characters),
                         bar_width(source.tokens, target.tokens)};
  const auto of = [&](const Finding& finding) { return json_of(finding, report, lines); };
  return json_text({{"source_file", title.source},
                    {"target_file", title.target},
                    {"pairs", report.pairs},
                    {"first_pairs_only", report.first_pairs_only},
                    {"typical_ratio", report.typical_ratio},
                    {"ratios", report.ratios},
                    {"tokenized", report.tokenized},
                    {"source", json_of(source, widths, report.tokenized)},
                    {"target", json_of(target, widths, report.tokenized)},
                    {"findings", json_list(report.findings, of)}},
                   2) +
         "\n";
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
