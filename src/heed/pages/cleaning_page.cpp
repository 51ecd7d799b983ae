#include "heed/pages/cleaning_page.h"

#include "heed/core/json_text.h"
#include "heed/core/utf8.h"
#include "heed/pages/json_parts.h"
#include "heed/pages/page.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const CleaningReport& counts) {
  Json dropped = Json::object();
  for (const FindingKind kind : dropped_kinds(counts))
    dropped[std::string(text_of(kind).name)] = counts.dropped_for[size_t(kind)];
  return {{"pairs", counts.pairs},
          {"kept", counts.kept},
          {"repaired", counts.repaired},
          {"dropped", dropped}};
}

Json json_of(const RepairedLine& line) {
  return {{"file", line.file}, {"line", line.line}, {"before", line.before}, {"after", line.after}};
}

}  // namespace

void add_repaired(const CleanedPair& pair, CleaningFacts& facts) {
  const auto add = [&](const std::string& file, const std::string& before,
                       const std::string& after) {
    if (before != after && facts.repaired.size() < CleaningFacts::kMaxRepaired)
      facts.repaired.push_back({file, pair.line, excerpt(before), excerpt(after)});
  };
  if (!pair.kept()) return;
  add(pair.source_file, pair.source, pair.clean_source);
  add(pair.target_file, pair.target, pair.clean_target);
}

std::string cleaning_json(const CleaningReport& report) {
  return json_text(json_of(report)) + "\n";
}

std::string cleaning_html(const DataTitle& title, const DataReport& before, const DataReport& after,
                          const CleaningFacts& facts) {
  const auto json = [&](const DataReport& report) {
    return Json::parse(data_json(title, report, ListedLines::examples));
  };
  Json page = json(before);
  page["after"] = json(after);
  page["cleaning"] = json_of(facts.counts);
  page["cleaning"]["lines"] =
      json_list(facts.repaired, [](const RepairedLine& line) { return json_of(line); });
  return page_html({"data", title.source + " and " + title.target, json_text(page)});
}

}  // namespace heed
