// Lines of a tagger or a classifier as the parts that its encoder reads.
#include "heed/decode/line_labels.h"

#include <gtest/gtest.h>

#include "heed/decode/classifier.h"
#include "support/folder_test.h"
#include "support/small_task_models.h"

namespace heed {
namespace {

class LineLabelsTest : public FolderTest {
 protected:
  Classifier classifier(ClassesOf of) const {
    testing::write_small_classifier(folder_ / "model", of);
    return Classifier(folder_ / "model", ComputeChoice::fp32);
  }
  static std::string words(size_t count) {
    std::string line;
    for (size_t i = 0; i < count; ++i) line += i % 7 == 3 ? "dog " : "a ";
    return line;
  }
};

TEST_F(LineLabelsTest, PartsFitTheModel) {
  const Classifier tagger = classifier(ClassesOf::words);
  const LineLabels labels(tagger.parts(), tagger.labels());
  const EncodedForLabels encoded = labels.encode(words(100), {3, "input", false});
  EXPECT_EQ(encoded.line.line, 3);
  EXPECT_EQ(encoded.line.status.text(), "split");
  int64_t choices = 0;
  for (const LabelledPart& part : encoded.parts) {
    EXPECT_EQ(part.line, 3);
    EXPECT_LE(part.tokens(), tagger.config().max_positions);
    choices += part.choices();
  }
  EXPECT_EQ(choices, 100);
  EXPECT_TRUE(labels.encode(" ", {0, "input", false}).parts.empty());
  EXPECT_EQ(labels.encode(std::string(100, 'a'), {0, "input", false}).line.status.text(),
            "truncated");
}

TEST_F(LineLabelsTest, MemoryIsBounded) {
  for (const ClassesOf of : {ClassesOf::words, ClassesOf::texts}) {
    const Classifier model = classifier(of);
    const LineLabels labels(model.parts(), model.labels());
    constexpr int64_t kTokens = 400;
    const int64_t bound = labelling_memory(model.config(), model.backend(), kTokens);
    for (const size_t length : {1, 5, 18}) {
      std::vector<LabelledPart> parts;
      for (int64_t tokens = 0;;) {
        LabelledPart part = labels.encode(words(length), {0, "input", false}).parts.front();
        tokens += part.tokens();
        if (tokens > kTokens) break;
        parts.push_back(std::move(part));
      }
      TensorPool pool(model.backend().memory());
      labels.choose(parts, pool);
      EXPECT_LE(pool.bytes_held(), bound) << length;
      EXPECT_GT(8 * pool.bytes_held(), bound) << length;
    }
  }
}

}  // namespace
}  // namespace heed
