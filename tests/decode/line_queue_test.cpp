#include "heed/decode/line_queue.h"

#include <gtest/gtest.h>

#include "heed/core/error.h"

namespace heed {
namespace {

using IfNone = LineQueue::IfNone;

Translation translation_of(int64_t line) {
  Translation translation;
  translation.line = line;
  return translation;
}

TEST(LineQueue, EmitsInOrder) {
  std::vector<int64_t> emitted;
  const EmitTranslation emit = [&](const Translation& t) { emitted.push_back(t.line); };
  LineQueue queue(emit, 1);
  queue.add_worker();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.push(TranslationInput("x")));
  const std::vector<QueuedLine> lines = queue.pop(IfNone::wait);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[2].number, 2);
  queue.complete(translation_of(2));
  queue.complete(translation_of(1));
  EXPECT_TRUE(emitted.empty());
  queue.complete(translation_of(0));
  EXPECT_EQ(emitted, (std::vector<int64_t>{0, 1, 2}));
  queue.close();
  EXPECT_TRUE(queue.pop(IfNone::wait).empty());
}

TEST(LineQueue, AWorkerLeavesLinesToWorkersThatAreStarting) {
  const EmitTranslation emit = [](const Translation&) {};
  LineQueue queue(emit, 2);
  queue.add_worker();
  queue.push(TranslationInput("x"));
  queue.push(TranslationInput("y"));
  EXPECT_EQ(queue.pop(IfNone::wait).size(), 1u) << "its share";
  EXPECT_TRUE(queue.pop(IfNone::return_empty).empty()) << "the other worker's";
  queue.push(TranslationInput("z"));
  EXPECT_EQ(queue.pop(IfNone::return_empty).size(), 1u);
  queue.add_worker();
  EXPECT_EQ(queue.pop(IfNone::return_empty).size(), 1u) << "all workers are busy";
}

TEST(LineQueue, AnErrorEndsReaderAndWorkers) {
  const EmitTranslation emit = [](const Translation&) { fail("stdout is closed"); };
  LineQueue queue(emit, 1);
  queue.add_worker();
  queue.push(TranslationInput("x"));
  queue.push(TranslationInput("y"));
  queue.complete(translation_of(0));
  EXPECT_TRUE(queue.failed());
  EXPECT_FALSE(queue.push(TranslationInput("z")));
  EXPECT_TRUE(queue.pop(IfNone::wait).empty());
  EXPECT_THROW(queue.rethrow(), Error);
}

}  // namespace
}  // namespace heed
