#include "files/lost_sentences.h"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

#include "support/facts.h"

namespace heed {
namespace {

using ::testing::IsEmpty;

using Lines = std::vector<std::pair<const char*, const char*>>;

std::string warning_for(const Lines& lines, TextUnit split = TextUnit::lines) {
  LostSentences lost(split);
  for (const auto& [source, ignored] : lines) lost.add_source(source);
  for (const auto& [ignored, translation] : lines) lost.add_translation(translation);
  return lost.warning();
}

TEST(LostSentences, AParagraphThatBecomesOneSentenceIsWarnedOf) {
  const Lines lines = {{"I see. You go. He stays.", "我明白。"}, {"It rains.", "下雨了。"}};
  EXPECT_THAT(warning_for(lines), HasFacts("1 of 1 --split sentences"));
  EXPECT_THAT(warning_for(lines, TextUnit::sentences), IsEmpty());
  EXPECT_THAT(warning_for({{"我明白。你走。", "I see."}, {"下雨了。他不走。", "It rains."}}),
              HasFacts("2 of 2"));
}

TEST(LostSentences, SentencesThatJoinAreNoLoss) {
  EXPECT_THAT(warning_for({}), IsEmpty());
  EXPECT_THAT(warning_for({{"Hello. I am Tom.", "你好，我是汤姆。"}}), IsEmpty());
  EXPECT_THAT(warning_for({{"A dog. A cat. A cow.", "一只狗，一只猫。一头牛。"}}), IsEmpty());
  const std::pair<const char*, const char*> sound = {"I see. You go.", "我明白。你走。"};
  EXPECT_THAT(
      warning_for({sound, sound, sound, {"Rain fell. Snow fell. He left. We stay.", "下雨了。"}}),
      IsEmpty());
}

}  // namespace
}  // namespace heed
