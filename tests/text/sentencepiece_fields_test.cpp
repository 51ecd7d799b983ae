#include "heed/text/sentencepiece_fields.h"

#include <gtest/gtest.h>

#include <string>

#include "support/bytes.h"

namespace heed::detail {
namespace {

TEST(SentencePieceFields, LeavesOutTheFieldsOfANumber) {
  const std::string kept = message_field(1, message_field(1, "a")) + message_field(2, "t");
  EXPECT_EQ(without_field(kept + message_field(4, "examples"), 4), kept);
  EXPECT_EQ(without_field(message_field(4, "") + kept, 4), kept);
  EXPECT_EQ(without_field("", 4), "");
}

TEST(SentencePieceFields, ReplacesTheNormalizer) {
  const std::string rest = message_field(1, message_field(1, "a")) + message_field(2, "t");
  const std::string first = message_field(1, "nmt_nfkc"), longer(300, 'x');
  const std::string model = message_field(3, first) + rest;
  EXPECT_EQ(normalizer_of(model), first);
  EXPECT_EQ(with_normalizer(model, longer), rest + message_field(3, longer));
  EXPECT_EQ(normalizer_of(with_normalizer(model, longer)), longer);
  EXPECT_EQ(normalizer_of(rest), "");
  // The parts of a message that occurs twice are one message.
  EXPECT_EQ(normalizer_of(model + message_field(3, longer)), first + longer);
}

}  // namespace
}  // namespace heed::detail
