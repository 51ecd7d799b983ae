// copy_documents FORMAT FILE...: reads documents, "translates" each text to itself and to its words
// in reverse order, and prints how many came back with the same bytes, and how many others were
// well-formed with the same texts in them. A line for each file that did not.
#include <fmt/core.h>

#include <fstream>
#include <sstream>

#include "documents/documents.h"
#include "heed/core/error.h"

namespace heed {
namespace {

struct Counts {
  int64_t files = 0, bytes = 0, texts = 0, tags = 0, same = 0, filled = 0, refused = 0, lost = 0;
};

// PO and XLIFF come back with more than they had: as a copy, which has nothing left to fill.
bool is_complete(const std::string& copy, DocumentFormat format) {
  return texts_of(copy, format).empty();
}

void count_file(const char* path, DocumentFormat format, Counts& counts) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  const std::string bytes = text.str();
  ++counts.files;
  const FormattedDocument document(bytes, format, path);
  counts.bytes += int64_t(bytes.size());
  counts.texts += int64_t(document.texts().size());
  for (const MarkedText& one : document.texts()) counts.tags += int64_t(one.spans.size());
  const std::string copy = copied(bytes, format);
  const bool fills = format == DocumentFormat::po || format == DocumentFormat::xliff;
  if (copy == bytes)
    ++counts.same;
  else if (fills && is_complete(copy, format))
    ++counts.filled;
  else
    fmt::print("{}: a copy has other bytes\n", path);
  const std::string other = reversed(bytes, format);
  const size_t texts = texts_of(other, format).size();
  if (texts == (fills ? 0 : document.texts().size())) return;
  ++counts.lost;
  fmt::print("{}: {} texts, and {} with their words reversed\n", path, document.texts().size(),
             texts);
}

int run(int count, char** arguments) {
  const auto format = document_format(count > 1 ? arguments[1] : "");
  if (!format) {
    fmt::print(stderr, "copy_documents FORMAT FILE...: FORMAT is one of {}\n",
               document_format_names());
    return 2;
  }
  Counts counts;
  for (int i = 2; i < count; ++i) {
    try {
      count_file(arguments[i], *format, counts);
    } catch (const Error& error) {
      ++counts.refused;
      fmt::print("{}\n", error.what());
    }
  }
  fmt::print(
      "{} files, {} bytes, {} texts with {} tags: {} with the same bytes, {} filled, {} "
      "refused, {} with other texts when reversed\n",
      counts.files, counts.bytes, counts.texts, counts.tags, counts.same, counts.filled,
      counts.refused, counts.lost);
  return counts.same + counts.filled + counts.refused == counts.files ? 0 : 1;
}

}  // namespace
}  // namespace heed

int main(int count, char** arguments) {
  return heed::run(count, arguments);
}
