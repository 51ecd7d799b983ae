#include "heed/data/corpus_facts.h"

#include "heed/core/json_text.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const SideFacts& side) {
  Json changes = Json::array(), unknown = Json::array();
  for (const CharacterChange& change : side.changes)
    changes.push_back({change.before, change.after, change.count});
  for (const UnknownExample& example : side.unknown)
    unknown.push_back({example.line, example.texts});
  return {{"characters", side.characters.ranges()},
          {"changed_lines", side.changed_lines},
          {"changes", changes},
          {"unknown_lines", side.unknown_lines},
          {"unknown", unknown}};
}

// Throws what nlohmann::json throws where the facts are not as json_of() writes them.
std::optional<SideFacts> side_of(const Json& json) {
  SideFacts side;
  auto characters = CharacterSet::from_ranges(json.at("characters").get<std::string>());
  if (!characters) return {};
  side.characters = std::move(*characters);
  side.changed_lines = json.at("changed_lines").get<int64_t>();
  for (const Json& change : json.at("changes"))
    side.changes.push_back({change.at(0).get<std::string>(), change.at(1).get<std::string>(),
                            change.at(2).get<int64_t>()});
  side.unknown_lines = json.at("unknown_lines").get<int64_t>();
  for (const Json& example : json.at("unknown"))
    side.unknown.push_back(
        {example.at(0).get<int64_t>(), example.at(1).get<std::vector<std::string>>()});
  return side;
}

}  // namespace

std::string CorpusFacts::json() const {
  const Json json = {{"source", json_of(source)},
                     {"target", json_of(target)},
                     {"tokens", tokens},
                     {"unused_tokens", unused_tokens}};
  return json_text(json);
}

std::optional<CorpusFacts> CorpusFacts::from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    auto source = side_of(json.at("source")), target = side_of(json.at("target"));
    if (!source || !target) return {};
    return CorpusFacts{std::move(*source), std::move(*target), json.at("tokens").get<int64_t>(),
                       json.at("unused_tokens").get<int64_t>()};
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace heed
