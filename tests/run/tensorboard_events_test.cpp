#include "heed/run/tensorboard_events.h"

#include <fmt/format.h>
#include <unistd.h>

#include "run/event_reader.h"

namespace heed::detail {
namespace {

// tools/make_tensorboard_goldens.py wrote the file by TensorBoard's own library.
TEST(TensorBoardEventsTest, TheirBytesAreThoseOfTensorBoard) {
  const std::vector<Scalar> scalars{{"train/loss", 2.5}, {"train/nll", 0.1}};
  const std::string file = version_record(1700000000.25) + session_record({1700000000.25, 301}) +
                           scalars_record({1700000001.5, 300}, scalars) +
                           text_record({1700000002, 0}, "configuration", "    seed = 1\n");
  EXPECT_EQ(file, read_file(HEED_TESTS "/run/data/tensorboard.events"));
}

TEST(TensorBoardEventsTest, ARecordIsItsLengthItsDataAndTheirChecksums) {
  const std::string record = version_record(0);
  ASSERT_EQ(record.size(), 8u + 4 + 9 + 15 + 4);
  EXPECT_EQ(record.substr(0, 8), std::string("\x18\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(record.substr(8, 4), "\xA3\x7F\x4B\x22");
  EXPECT_EQ(record.substr(21, 15),
            "\x1A\x0D"
            "brain.Event:2");
}

TEST(TensorBoardEventsTest, LongTextsAndLateStepsAreReadBack) {
  const std::string text(100'000, 'x');
  const int64_t step = 1'000'000'000;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("heed-events-{}", ::getpid());
  write_file_atomically(path, text_record({2.5, step}, "a tag", text));
  const std::vector<testing::Event> events = testing::read_events(path);
  std::filesystem::remove(path);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].wall_time, 2.5);
  EXPECT_EQ(events[0].step, step);
  EXPECT_EQ(events[0].texts.at("a tag"), text);
}

}  // namespace
}  // namespace heed::detail
