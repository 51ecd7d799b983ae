#include "heed/text/data_report_json.h"

#include <nlohmann/json.hpp>

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const LengthCounts& lengths) {
  return {{"mean", lengths.mean()},        {"median", lengths.quantile(0.5)},
          {"p95", lengths.quantile(0.95)}, {"p99", lengths.quantile(0.99)},
          {"longest", lengths.max()},      {"sum", lengths.sum()}};
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

Json json_of(const SideReport& side, bool tokenized) {
  Json object{{"words", json_of(side.words)}, {"characters", json_of(side.characters)}};
  if (tokenized) {
    object["tokens"] = json_of(side.tokens);
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

Json json_of(const Finding& finding) {
  const FindingText& what = text_of(finding.kind);
  Json object{
      {"kind", what.name},   {"pairs", finding.pairs},        {"estimated", finding.estimated},
      {"title", what.title}, {"advice", advice_for(finding)}, {"examples", Json::array()}};
  for (const FindingExample& example : finding.examples) {
    object["examples"].push_back({{"source_file", example.source_file},
                                  {"target_file", example.target_file},
                                  {"line", example.line},
                                  {"source", example.source},
                                  {"target", example.target},
                                  {"note", example.note}});
  }
  return object;
}

}  // namespace

std::string data_json(const DataTitle& title, const DataReport& report) {
  Json page{{"source_file", title.source},
            {"target_file", title.target},
            {"pairs", report.pairs},
            {"first_pairs_only", report.first_pairs_only},
            {"typical_ratio", report.typical_ratio},
            {"source", json_of(report.source, report.tokenized)},
            {"target", json_of(report.target, report.tokenized)},
            {"findings", Json::array()}};
  for (const Finding& finding : report.findings) page["findings"].push_back(json_of(finding));
  return page.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace heed
