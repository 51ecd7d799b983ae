#include "heed/evaluate/bleu_tokenizer_choice.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

BleuTokenizer chosen(const Lines& lines) {
  return suitable_bleu_tokenizer(std::span(&lines, 1));
}

TEST(BleuTokenizerChoice, FollowsTheScriptOfTheReferences) {
  EXPECT_EQ(chosen({"昨天我的老师买了三本书。", "你好。"}), BleuTokenizer::chinese);
  EXPECT_EQ(chosen({"昨日、先生は本を三冊買いました。"}), BleuTokenizer::character);
  EXPECT_EQ(chosen({"カタカナ"}), BleuTokenizer::character);
  EXPECT_EQ(chosen({"เมื่อวานครูของฉันซื้อหนังสือสามเล่ม"}), BleuTokenizer::character);
  EXPECT_EQ(chosen({"ຂ້ອຍມັກອ່ານປຶ້ມ"}), BleuTokenizer::character);
  EXPECT_EQ(chosen({"ខ្ញុំចូលចិត្តអានសៀវភៅ"}), BleuTokenizer::character);
  EXPECT_EQ(chosen({"ကျွန်တော်စာအုပ်ဖတ်ရတာကြိုက်တယ်"}), BleuTokenizer::character);
  for (const char* spaced : {"Yesterday my teacher bought three books.", "Вчера он купил книгу.",
                             "어제 선생님이 책을 샀다.", "كتاب", "123 !"})
    EXPECT_EQ(chosen({spaced}), BleuTokenizer::mteval_13a) << spaced;
  EXPECT_EQ(chosen({}), BleuTokenizer::mteval_13a);
  EXPECT_EQ(chosen({"\xFF"}), BleuTokenizer::mteval_13a);
}

TEST(BleuTokenizerChoice, MixedTextGoesByItsGreaterPart) {
  EXPECT_EQ(chosen({"用 PyTorch 训练 Transformer 模型"}), BleuTokenizer::chinese);
  EXPECT_EQ(chosen({"The word 书 means book, and 老师 means teacher."}), BleuTokenizer::mteval_13a);
  EXPECT_EQ(chosen({"优の良品是一家公司，很多人喜欢那里的东西。"}), BleuTokenizer::chinese);
  // All references count.
  const std::vector<Lines> two{{"book"}, {"三本书"}};
  EXPECT_EQ(suitable_bleu_tokenizer(two), BleuTokenizer::chinese);
}

}  // namespace
}  // namespace heed
