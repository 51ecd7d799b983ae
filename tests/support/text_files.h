// What the tests of text and of training data share.
#pragma once

#include <string>
#include <vector>

#include "support/bytes.h"
#include "support/folder_test.h"

namespace heed {

// Sentences of a small made-up language pair, enough to learn a vocabulary from.
struct Sentences {
  std::vector<std::string> source, target;
  static std::string text(const std::vector<std::string>& lines) {
    std::string all;
    for (const auto& line : lines) all += line + "\n";
    return all;
  }
};
inline Sentences sentences(int count) {
  const std::vector<std::vector<std::string>> chinese = {
      {"我", "你", "老师", "医生", "他的朋友", "孩子们"},
      {"昨天", "今天", "明天", "现在", "常常"},
      {"买了", "看见", "喜欢", "忘记了", "带来"},
      {"三本书", "一只猫", "苹果", "新房子", "火车票", "水"}};
  const std::vector<std::vector<std::string>> german = {
      {"Ich", "Du", "Der Lehrer", "Die Ärztin", "Sein Freund", "Die Kinder"},
      {"gestern", "heute", "morgen", "jetzt", "oft"},
      {"kaufen", "sehen", "mögen", "vergaßen", "bringen"},
      {"drei Bücher", "eine Katze", "Äpfel", "das neue Häuschen", "Fahrkarten", "Wasser"}};
  Sentences result;
  for (int i = 0; i < count; ++i) {
    int rest = i * 7;
    std::string source, target;
    for (size_t part = 0; part < 4; ++part) {
      const size_t choice = size_t(rest) % chinese[part].size();
      rest = rest / int(chinese[part].size()) + i;
      source += chinese[part][choice];
      target += (part > 0 ? " " : "") + german[part][choice];
    }
    result.source.push_back(source + "。");
    result.target.push_back(target + ".");
  }
  return result;
}

}  // namespace heed
