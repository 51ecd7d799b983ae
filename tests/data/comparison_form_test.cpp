#include "heed/data/comparison_form.h"

#include <gtest/gtest.h>

#include "heed/core/hash.h"
#include "heed/text/normalizer.h"

namespace heed::detail {
namespace {

TEST(ComparisonForm, FoldsWhatTheModelDoesNotSee) {
  const std::pair<const char*, const char*> same[] = {{"cafe\u0301", "café"},
                                                      {"Ａ１，ｂ！", "A1,b!"},
                                                      {"a\u3000b\u00A0c", "a b c"},
                                                      {"  a \t b  ", "a b"},
                                                      {"ﬁn", "fin"},
                                                      {"a\u200Bb", "a b"},
                                                      {"\uFEFFa", "a"},
                                                      {"한글", "한글"},
                                                      {"x\u2075", "x5"},
                                                      {"a\x02"
                                                       "b",
                                                       "ab"}};
  const Normalizer model(Normalization::nmt_nfkc, false);
  for (const auto& [line, form] : same) {
    EXPECT_EQ(comparison_form(line), form) << line;
    EXPECT_EQ(model.normalize(line), form) << line;
  }
}

TEST(ComparisonForm, KeepsTheRest) {
  for (const char* line : {"plain text", "Größe – „schön“", "你好。世界、《书》", "Привет ёлка",
                           "かな カナ", "한국어", "İstanbul",
                           "a\xFF"
                           "b"})
    EXPECT_EQ(comparison_form(line), line);
  EXPECT_NE(comparison_form("Haus"), comparison_form("haus"));
  EXPECT_EQ(line_fingerprint("the dog"), hash_of("the dog")) << "held-out lines keep their hash";
}

}  // namespace
}  // namespace heed::detail
