// Comparing translations.
#pragma once

#include <gtest/gtest.h>

#include "heed/decode/translation.h"

namespace heed::testing {

// Everything but the number of the line.
inline void expect_same_translation(const Translation& a, const Translation& b) {
  EXPECT_EQ(a.status.text(), b.status.text());
  EXPECT_EQ(a.source_pieces, b.source_pieces);
  ASSERT_EQ(a.hypotheses.size(), b.hypotheses.size());
  for (size_t i = 0; i < a.hypotheses.size(); ++i) {
    EXPECT_EQ(a.hypotheses[i].text, b.hypotheses[i].text);
    EXPECT_EQ(a.hypotheses[i].score, b.hypotheses[i].score);
    EXPECT_EQ(a.hypotheses[i].pieces, b.hypotheses[i].pieces);
    EXPECT_EQ(a.hypotheses[i].attention, b.hypotheses[i].attention);
    EXPECT_EQ(a.hypotheses[i].log_probabilities, b.hypotheses[i].log_probabilities);
  }
}

}  // namespace heed::testing
