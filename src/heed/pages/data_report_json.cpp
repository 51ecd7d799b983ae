#include "heed/pages/data_report_json.h"

#include <algorithm>

#include "heed/core/json_text.h"
#include "heed/core/options.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

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
  return {{"histogram", histogram(lengths, width)},
          {"mean", lengths.mean()},
          {"median", lengths.quantile(0.5)},
          {"p95", lengths.quantile(0.95)},
          {"p99", lengths.quantile(0.99)},
          {"longest", lengths.max()},
          {"sum", lengths.sum()}};
}

Json json_of(const VocabularyReport& vocabulary) {
  Json object{{"words", vocabulary.words},
              {"types", vocabulary.types},
              {"singletons", vocabulary.singletons},
              {"estimated", vocabulary.estimated},
              {"coverage", Json::array()}};
  for (const auto& [types, share] : vocabulary.coverage) {
    object["coverage"].push_back({{"types", types}, {"share", share}});
  }
  return object;
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
                             {"changes", Json::array()}};
  for (const CharacterChange& change : side.normalization.changes)
    object["normalization"]["changes"].push_back(
        {{"before", change.before}, {"after", change.after}, {"count", change.count}});
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

Json lines_of(const Finding& finding) {
  Json files = Json::array();
  for (const FindingLines& file : finding.lines) {
    files.push_back({{"source_file", file.source_file},
                     {"target_file", file.target_file},
                     {"lines", file.lines}});
  }
  return files;
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
              {"examples", Json::array()}};
  for (const FindingExample& example : finding.examples) {
    object["examples"].push_back({{"source_file", example.source_file},
                                  {"target_file", example.target_file},
                                  {"line", example.line},
                                  {"source", example.source},
                                  {"target", example.target},
                                  {"note", example.note}});
  }
  if (lines == ListedLines::all) {
    object["lines"] = lines_of(finding);
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
  Json page{{"source_file", title.source},
            {"target_file", title.target},
            {"pairs", report.pairs},
            {"first_pairs_only", report.first_pairs_only},
            {"typical_ratio", report.typical_ratio},
            {"ratios", report.ratios},
            {"tokenized", report.tokenized},
            {"source", json_of(source, widths, report.tokenized)},
            {"target", json_of(target, widths, report.tokenized)},
            {"findings", Json::array()}};
  for (const Finding& finding : report.findings)
    page["findings"].push_back(json_of(finding, report, lines));
  return json_text(page, 2) + "\n";
}

}  // namespace heed
