#include "heed/text/parallel_text.h"

#include <gmock/gmock.h>

#include "support/facts.h"
#include "support/text_files.h"

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

// Training states hold it: those of every version are resumed.
TEST_F(ParallelTextTest, FingerprintIsThatOfEarlierVersions) {
  const ParallelText text({write("first.zh", "1\n2\n"), write("last.zh", "3\n")},
                          {write("first.en", "one\ntwo\n"), write("last.en", "three\n")});
  EXPECT_EQ(text.fingerprint(), 0x2ba35ec41ab364e6U);
}

TEST_F(ParallelTextTest, TellsEveryDefectAtOnce) {
  const auto good = write("good", "a\nb\nc\n"), shorter = write("short", "a\nb\n");
  const auto open = [](const TextFiles& source, const TextFiles& target) {
    return error_of([&] { ParallelText text(source, target); });
  };
  EXPECT_THAT(open({good}, {shorter}),
              ::testing::AllOf(HasSubstr("good has 3 lines"), HasSubstr("short has 2")));
  EXPECT_THAT(open({shorter, good}, {shorter, shorter}), HasSubstr("good has 3 lines"));
  EXPECT_THAT(open({write("empty", "")}, {write("empty2", "")}), HasSubstr("are empty"));
  EXPECT_THAT(open({folder_ / "none"}, {good}), HasSubstr("none: No such file"));
  EXPECT_THAT(open({write("cut.gz", gzip("a\nb\nc\n").substr(0, 20))}, {good}),
              HasSubstr("cut.gz is cut short"));
  EXPECT_THROW(ParallelText({good, good}, {good}), UsageError);
  EXPECT_THROW(ParallelText({}, {}), UsageError);
}

TEST_F(ParallelTextTest, ABrokenTextIsNamedByItsEncoding) {
  const TextFile chinese =
      write("s", "\xbd\xf1\xcc\xec\xcf\xc2\xd3\xea\xa1\xa3\n\xb9\xb7\xbf\xb4\xc3\xa8\xa1\xa3\n");
  const TextFile target = write("t", "A\nB\n");
  for (const InvalidLines broken : {InvalidLines::drop, InvalidLines::refuse})
    EXPECT_THAT(error_of([&] { ParallelText({chinese}, {target}, broken); }),
                HasFacts("s:1 source iconv -f GB18030"));
  EXPECT_THAT(ParallelText({chinese, target}, {target, target}).faults().conversion,
              HasFacts("GB18030"));
}

TEST_F(ParallelTextTest, BrokenLinesAreLeftOutOrRefused) {
  const TextFile source = write("s", "a\nb \xe6\xb0\nc\nd\n"),
                 target = write("t", "A\nB\xff\nC\n\xff\n");
  const ParallelText text({source}, {target});
  EXPECT_EQ(text.pairs(), 4);
  EXPECT_EQ(text.faults().invalid_utf8, 2);  // one of them on both sides
  EXPECT_EQ(text.faults().count(), 2);
  EXPECT_THAT(text.faults().first, HasSubstr("s:2: byte 3 of the line (0xe6)"));
  PairReader reader(text);
  std::string left, right, all;
  while (reader.next(left, right)) all += fmt::format("{}{}{} ", reader.line(), left, right);
  EXPECT_EQ(all, "0aA 2cC ");
  const std::string refused =
      error_of([&] { ParallelText({source}, {target}, InvalidLines::refuse); });
  EXPECT_THAT(refused, HasFacts("s:2 3 0xe6"));
  EXPECT_THAT(error_of([&] { ParallelText({write("x", "\xff\n")}, {write("y", "a\n")}); }),
              HasSubstr("x:1:"));
  EXPECT_EQ(ParallelText({source}, {target}).fingerprint(), text.fingerprint());
  EXPECT_NE(ParallelText({source}, {write("t2", "A\nB\xfe\nC\n\xff\n")}).fingerprint(),
            text.fingerprint());
}

TEST_F(ParallelTextTest, TabSeparatedTextIsItsColumns) {
  const TextFile file = write("t.tsv", "a\tA\tcc\nb\nc\tC\n");
  const ParallelText text({file.column(1)}, {file.column(2)});
  EXPECT_EQ(text.pairs(), 3);
  EXPECT_EQ(text.faults().missing_column, 1);
  EXPECT_THAT(text.faults().first, HasSubstr("t.tsv:2:"));
  PairReader reader(text);
  std::string left, right, all;
  while (reader.next(left, right)) all += left + right + " ";
  EXPECT_EQ(all, "aA cC ");
  EXPECT_THAT(
      error_of([&] { ParallelText({file.column(1)}, {file.column(2)}, InvalidLines::refuse); }),
      HasSubstr("t.tsv:2:"));
  EXPECT_THAT(error_of([&] { ParallelText({file.column(1)}, {file.column(4)}); }),
              HasSubstr("t.tsv:1:"));
  const TextFile whole = write("w.tsv", "a\tA\tcc\nc\tC\n");
  EXPECT_EQ(ParallelText({whole.column(1)}, {whole.column(2)}).fingerprint(),
            ParallelText({write("1", "a\nc\n")}, {write("2", "A\nC\n")}).fingerprint());
}

TEST_F(ParallelTextTest, RowsWithMoreColumnsThanTheOthersAreCounted) {
  const TextFile cut = write("cut.tsv", "a\tA\nb\tB\neins zwei\teen twee\tdrie\nc\nd\tD\n");
  const ParallelText text({cut.column(1)}, {cut.column(2)});
  EXPECT_EQ(text.faults().extra_columns, 1);
  EXPECT_THAT(text.faults().first_extra, HasFacts("cut.tsv:3 columns 2"));
  EXPECT_EQ(text.faults().count(), 1) << "the row is used, unlike that without a column";
  const TextFile other = write("other.tsv", "a\tA\nb\tB\teen\tdrie\nc\tC\n");
  EXPECT_THAT(
      error_of([&] { ParallelText({other.column(2)}, {other.column(1)}, InvalidLines::refuse); }),
      HasFacts("other.tsv:2 columns 2 --strict"));
  // A column of remarks that every row has, and whole lines with tabs.
  const TextFile remarks = write("r.tsv", "a\tA\tcc\nb\tB\tcc\nc\tC\t\n");
  EXPECT_EQ(ParallelText({remarks.column(1)}, {remarks.column(2)}).faults().extra_columns, 0);
  EXPECT_EQ(ParallelText({cut}, {cut}).faults().extra_columns, 0);
}

TEST_F(ParallelTextTest, NoticesAFileThatChangesWhileItIsRead) {
  const ParallelText text({write("zh", "1\n2\n")}, {write("en", "one\ntwo\n")});
  write("en", "one\n");
  PairReader reader(text);
  std::string source, target;
  EXPECT_TRUE(reader.next(source, target));
  EXPECT_THAT(error_of([&] { reader.next(source, target); }), HasSubstr("changed while"));
}

TEST(ColumnCounts, RowsWithMoreThanTheUsualColumnsAreWider) {
  detail::ColumnCounts counts;
  EXPECT_EQ(counts.wider().count, 0);
  EXPECT_EQ(counts.wider().first_line, 0);
  int64_t line = 0;
  for (const int64_t columns : {2, 2, 7, 3, 2, 1, 1000}) counts.add(columns, ++line);
  EXPECT_EQ(counts.usual(), 2);
  EXPECT_EQ(counts.wider().count, 3);
  EXPECT_EQ(counts.wider().first_line, 3);
  detail::ColumnCounts even;
  for (const int64_t columns : {3, 2}) even.add(columns, 1);
  EXPECT_EQ(even.usual(), 2) << "of equally many, the fewer";
}

TEST_F(ParallelTextTest, ATextWithoutSourcesHasItsLinesAsTargets) {
  const TextFiles files{write("a", "one\nb\xff\ntwo\n"), write("b", ""), write("c", "three")};
  const ParallelText text = ParallelText::without_source(files);
  EXPECT_FALSE(text.has_source());
  EXPECT_EQ(text.pairs(), 4);
  EXPECT_EQ(text.faults().invalid_utf8, 1);
  PairReader reader(text);
  std::string source = "left over", target, all;
  while (reader.next(source, target)) all += fmt::format("{}{}={};", source, reader.line(), target);
  EXPECT_EQ(all, "0=one;2=two;3=three;");
  EXPECT_EQ(
      ParallelText::without_source({write("a.gz", gzip("one\nb\xff\ntwo")), files[1], files[2]})
          .fingerprint(),
      text.fingerprint());
  EXPECT_NE(ParallelText::without_source({files[0]}).fingerprint(), text.fingerprint());
  const auto refused = [](const TextFiles& of, InvalidLines invalid) {
    return error_of([&] { ParallelText::without_source(of, invalid); });
  };
  EXPECT_THAT(refused(files, InvalidLines::refuse), HasFacts("a:2 byte 2 UTF-8 drop such lines"));
  EXPECT_THAT(refused({write("broken", "\xff\n")}, InvalidLines::drop),
              HasFacts("no line can be used"));
  EXPECT_EQ(refused({files[1]}, InvalidLines::drop).find(" and "), std::string::npos);
  EXPECT_THAT(refused({files[1]}, InvalidLines::drop), HasSubstr("b is empty"));
}

}  // namespace
}  // namespace heed
