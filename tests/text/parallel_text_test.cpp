#include "heed/text/parallel_text.h"

#include <gmock/gmock.h>

#include "test_files.h"

namespace heed {
namespace {

using ::testing::HasSubstr;

using ParallelTextTest = FolderTest;

TEST_F(ParallelTextTest, ReadsPairsThroughAllFiles) {
  const ParallelText text({write("a.zh", "1\n2\n"), write("b.zh", ""), write("c.zh", "3")},
                          {write("a.en", "one\ntwo"), write("b.en", ""), write("c.en", "three\n")});
  EXPECT_EQ(text.pairs(), 3);
  PairReader reader(text);
  std::string source, target, all;
  while (reader.next(source, target)) all += source + "=" + target + ";";
  EXPECT_EQ(all, "1=one;2=two;3=three;");
}

TEST_F(ParallelTextTest, FingerprintIsOfTheLinesAlone) {
  const auto target = write("en", "one\ntwo\n");
  const ParallelText plain({write("zh", "1\n2\n")}, {target});
  EXPECT_EQ(ParallelText({write("zh.gz", gzip("1\n2"))}, {target}).fingerprint(),
            plain.fingerprint());
  for (const std::string other : {"1\n3\n", "12\n\n", "\n12\n", "1 \n2\n"}) {
    EXPECT_NE(ParallelText({write("other", other)}, {target}).fingerprint(), plain.fingerprint())
        << other;
  }
  EXPECT_NE(ParallelText({target}, {folder_ / "zh"}).fingerprint(), plain.fingerprint());
}

TEST_F(ParallelTextTest, TellsEveryDefectAtOnce) {
  const auto good = write("good", "a\nb\nc\n"), shorter = write("short", "a\nb\n");
  const auto open = [](ParallelText::Paths source, ParallelText::Paths target) {
    return error_of([&] { ParallelText text(source, target); });
  };
  EXPECT_THAT(open({good}, {shorter}),
              ::testing::AllOf(HasSubstr("good has 3 lines"), HasSubstr("short has 2")));
  EXPECT_THAT(open({shorter, good}, {shorter, shorter}), HasSubstr("good has 3 lines"));
  EXPECT_THAT(open({good}, {write("bad", "a\nb\nc \xe6\xb0\n")}),
              HasSubstr("bad:3: byte 3 of the line (0xe6) is not UTF-8"));
  EXPECT_THAT(open({write("empty", "")}, {write("empty2", "")}), HasSubstr("are empty"));
  EXPECT_THAT(open({folder_ / "none"}, {good}), HasSubstr("none: No such file"));
  EXPECT_THAT(open({write("cut.gz", gzip("a\nb\nc\n").substr(0, 20))}, {good}),
              HasSubstr("cut.gz is cut short"));
  EXPECT_THROW(ParallelText({good, good}, {good}), UsageError);
  EXPECT_THROW(ParallelText({}, {}), UsageError);
}

TEST_F(ParallelTextTest, NoticesAFileThatChangesWhileItIsRead) {
  const ParallelText text({write("zh", "1\n2\n")}, {write("en", "one\ntwo\n")});
  write("en", "one\n");
  PairReader reader(text);
  std::string source, target;
  EXPECT_TRUE(reader.next(source, target));
  EXPECT_THAT(error_of([&] { reader.next(source, target); }), HasSubstr("changed while"));
}

}  // namespace
}  // namespace heed
