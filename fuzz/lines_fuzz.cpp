// Text files, plain or gzip: the lines of a plain one are its bytes, whole or by column, in one
// piece or as a pipe brings them; and the pairs of two files.
#include <fcntl.h>

#include <optional>
#include <vector>

#include "fuzz.h"
#include "heed/core/descriptor.h"
#include "heed/core/utf8.h"
#include "heed/text/lines.h"
#include "heed/text/parallel_text.h"

namespace {

using namespace heed;

constexpr size_t kEnough = size_t{1} << 22;  // of what little gzip may become

// The last byte of the input is also a number for what else there is to choose.
unsigned choice_of(std::string_view text) {
  return text.empty() ? 0 : static_cast<unsigned char>(text.back());
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// One column, counted from 1.
std::optional<std::string_view> column_of(std::string_view line, unsigned column) {
  for (; column > 1; --column) {
    const size_t tab = line.find('\t');
    if (tab == line.npos) return std::nullopt;
    line.remove_prefix(tab + 1);
  }
  return line.substr(0, line.find('\t'));
}

void read_columns(const TextFile& file, const std::vector<std::string>& expected, unsigned column) {
  LineReader reader = file.column(column).lines();
  std::string line;
  for (const std::string& whole : expected) {
    fuzzing::require(reader.next(line));
    const auto part = column_of(whole, column);
    fuzzing::require(reader.has_column() == part.has_value() && line == part.value_or(""));
  }
  fuzzing::require(!reader.next(line) && line.empty());
}

// The bytes come through a pipe, `chunk` at a time. It does not block: next() then fails where
// wait() let it wait for input.
void read_pipe(std::string_view text, const std::vector<std::string>& expected, size_t chunk) {
  int ends[2];
  fuzzing::require(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  LineReader reader(from.get(), "pipe");
  std::string line;
  size_t count = 0;
  const auto read = [&] {
    bool more = true;
    while (more && reader.wait(std::chrono::milliseconds(0))) {
      more = reader.next(line);
      if (!more) continue;
      fuzzing::require(count < expected.size() && line == expected[count++]);
    }
  };
  for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size()))) {
    const std::string_view some = text.substr(0, chunk);
    fuzzing::require(::write(to.get(), some.data(), some.size()) == ssize_t(some.size()));
    read();
  }
  to.close();
  read();
  fuzzing::require(count == expected.size());
}

// What is accepted can be read to its last pair.
void read_pairs(const ParallelText& text) {
  const int64_t usable = text.pairs() - text.faults().count();
  fuzzing::require(usable > 0);
  PairReader reader(text);
  std::string source, target;
  int64_t count = 0;
  for (int64_t before = -1; reader.next(source, target); before = reader.line(), ++count) {
    fuzzing::require(!find_invalid_utf8(source) && !find_invalid_utf8(target));
    fuzzing::require(reader.line() > before && reader.line() < text.pairs());
  }
  fuzzing::require(count == usable);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzzing::MemoryFile file, other;
  const std::string_view text = fuzzing::text_of(data, size);
  const unsigned choice = choice_of(text);
  file.hold(text);
  fuzzing::read_or_refuse([&] {
    LineReader reader(file.path());
    std::string line, all;
    while (all.size() < kEnough && reader.next(line)) all += line + "\n";
    if (text.starts_with("\x1f\x8b")) return;
    fuzzing::require(all == text || all == std::string(text) + "\n");
  });
  if (!text.starts_with("\x1f\x8b")) {
    const std::vector<std::string> lines = lines_of(text);
    read_columns(file.path(), lines, 1 + choice % 4);
    read_pipe(text, lines, 1 + choice);
  }
  fuzzing::read_or_refuse([&] { survey(file.path()); });
  const TextFile tabular(file.path());
  fuzzing::read_or_refuse([&] {
    read_pairs({{tabular.column(1)}, {tabular.column(2 + choice % 3)}});
  });
  const auto [source, target] = fuzzing::two_files(text);
  file.hold(source);
  other.hold(target);
  fuzzing::read_or_refuse([&] { read_pairs({{file.path()}, {other.path()}}); });
  return 0;
}
