#include "heed/text/gzip.h"

#include <gmock/gmock.h>

#include "heed/core/files.h"
#include "heed/core/rng.h"
#include "heed/text/lines.h"
#include "support/folder_test.h"

namespace heed {
namespace {

class GzipTest : public FolderTest {
 protected:
  // Written in pieces of these sizes, one after the other.
  std::string compressed(const std::string& text, size_t piece) const {
    std::string bytes;
    GzipWriter writer([&](std::string_view b) { bytes += b; });
    for (size_t i = 0; i < text.size(); i += piece)
      writer.write(std::string_view(text).substr(i, piece));
    writer.finish();
    return bytes;
  }
};

TEST_F(GzipTest, WhatIsWrittenIsReadBack) {
  std::string random;
  Random numbers(1);
  for (int i = 0; i < 300'000; ++i) random += char('a' + numbers.below(26));
  random += '\n';
  for (const std::string& text : {std::string(), std::string("one\ntwo\n"), random}) {
    for (const size_t piece : {size_t(1), size_t(1000), size_t(1) << 20}) {
      write_file_atomically(folder_ / "file.gz", compressed(text, piece));
      std::string lines;
      for (const std::string& line : read_lines(folder_ / "file.gz")) lines += line + "\n";
      EXPECT_TRUE(lines == text) << text.size() << " bytes in pieces of " << piece;
    }
  }
}

TEST_F(GzipTest, WhatTheSinkThrowsPassesThrough) {
  GzipWriter writer([](std::string_view bytes) {
    if (!bytes.empty()) fail("full");
  });
  EXPECT_THROW(
      {
        writer.write("text");
        writer.finish();
      },
      Error);
}

}  // namespace
}  // namespace heed
