#include "heed/text/lines.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "heed/core/descriptor.h"
#include "heed/core/error.h"
#include "heed/text/text_encoding.h"

namespace heed {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;
constexpr char kGzipMagic[] = {'\x1f', '\x8b'};

// The unread bytes of a buffer.
struct Buffer {
  std::vector<char> bytes = std::vector<char>(kBufferBytes);
  size_t begin = 0, end = 0;

  bool empty() const { return begin == end; }
  size_t size() const { return end - begin; }
  const char* data() const { return bytes.data() + begin; }
};

int64_t count_columns(std::string_view line) {
  return 1 + std::count(line.begin(), line.end(), '\t');
}

// Reduces a line to one column, counted from 1; false, and an empty line, if there are fewer.
bool keep_column(std::string& line, int64_t column) {
  size_t begin = 0;
  for (int64_t skipped = 1; skipped < column; ++skipped) {
    const size_t tab = line.find('\t', begin);
    if (tab == line.npos) {
      line.clear();
      return false;
    }
    begin = tab + 1;
  }
  line.resize(std::min(line.find('\t', begin), line.size()));
  line.erase(0, begin);
  return true;
}

}  // namespace

// The text of a file, which may be compressed.
struct LineReader::Input {
  std::string name;
  int descriptor = -1;
  std::shared_ptr<const Descriptor> owner;  // null: it is not closed
  std::optional<int64_t> position;          // where to read next; none: at the descriptor's offset
  bool must_be_gzip = false;
  bool started = false;
  bool input_ended = false;   // the descriptor has no more
  bool ended = false;         // no more text
  bool inside_member = true;  // of a gzip file
  std::unique_ptr<z_stream> inflater;
  Buffer input;  // compressed bytes
  Buffer text;

  ~Input() {
    if (inflater) inflateEnd(inflater.get());
  }

  // Reads once to the end of the buffer, which must have room.
  void fill(Buffer& buffer) {
    ssize_t got;
    char* const end = buffer.bytes.data() + buffer.end;
    const size_t room = buffer.bytes.size() - buffer.end;
    do {
      got = position ? ::pread(descriptor, end, room, *position) : ::read(descriptor, end, room);
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail("cannot read {}: {}", name, detail::reason(errno));
    buffer.end += size_t(got);
    if (position) *position += got;
    input_ended = got == 0;
  }

  // Reads once and distinguishes gzip from text by the first bytes; starts unless only one byte was
  // read, with which both can begin.
  void start() {
    fill(text);
    if (!input_ended && text.size() == 1 && text.data()[0] == kGzipMagic[0]) return;
    started = true;
    const bool gzip = text.size() >= 2 && std::equal(kGzipMagic, kGzipMagic + 2, text.data());
    if (!gzip && must_be_gzip) {
      fail("{} is not gzip although its name ends in .gz; unpack it again or rename it", name);
    }
    if (!gzip) return;
    std::swap(input, text);
    inflater = std::make_unique<z_stream>();
    // 15 bits of window, plus 16 for a gzip header.
    check(inflateInit2(inflater.get(), 15 + 16) == Z_OK, "zlib cannot start");
  }

  // Reads more text; sets `ended` if there is none. Before start() has started there may be more
  // although none was read.
  void refill() {
    if (!started) {
      start();
      if (!inflater) {
        ended = text.empty();
        return;
      }
    }
    text.begin = text.end = 0;
    if (inflater) {
      decompress();
    } else {
      fill(text);
    }
    ended = text.empty();
  }

  // Reads compressed bytes if there are none left; false at the end of the file.
  bool have_input() {
    if (input.empty() && !input_ended) {
      input.begin = input.end = 0;
      fill(input);
    }
    return !input.empty();
  }

  // gzip allows zero bytes after a member (padding on tapes); then another member or the end must
  // follow. inflate() rejects anything else as an invalid header.
  bool next_member() {
    while (have_input() && *input.data() == '\0') ++input.begin;
    if (!have_input()) return false;
    inflateReset(inflater.get());
    inside_member = true;
    return true;
  }

  void decompress() {
    while (text.empty()) {
      if (!inside_member && !next_member()) return;
      if (!have_input()) fail("{} is cut short: its gzip data has no end", name);
      z_stream& stream = *inflater;
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
      stream.avail_in = uInt(input.size());
      stream.next_out = reinterpret_cast<Bytef*>(text.bytes.data());
      stream.avail_out = uInt(text.bytes.size());
      const int result = inflate(&stream, Z_NO_FLUSH);
      input.begin = input.end - stream.avail_in;
      text.end = text.bytes.size() - stream.avail_out;
      if (result == Z_STREAM_END) {
        inside_member = false;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        fail("{} is damaged: its gzip data is not valid ({})", name,
             stream.msg != nullptr ? stream.msg : "no reason given");
      }
    }
  }
};

LineReader::LineReader(const std::filesystem::path& path) : input_(std::make_unique<Input>()) {
  input_->name = path.string();
  input_->must_be_gzip = path.extension() == ".gz";
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("cannot open {}: {}", input_->name, detail::reason(errno));
  input_->descriptor = file.get();
  input_->owner = std::make_shared<const Descriptor>(std::move(file));
  struct stat status {};
  if (::fstat(input_->descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    fail("{} is a directory; expected a text file", input_->name);
  }
}

LineReader::LineReader(int descriptor, std::string name) : input_(std::make_unique<Input>()) {
  input_->name = std::move(name);
  input_->descriptor = descriptor;
}

LineReader::LineReader(std::shared_ptr<const Descriptor> descriptor, int64_t position,
                       std::string name)
    : LineReader(descriptor->get(), std::move(name)) {
  input_->owner = std::move(descriptor);
  input_->position = position;
}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

// Appends text to `line` up to the end of the line, which is removed; false if it is not read yet.
bool LineReader::take_line(std::string& line) {
  Buffer& text = input_->text;
  const void* newline = std::memchr(text.data(), '\n', text.size());
  const size_t length =
      newline != nullptr ? size_t(static_cast<const char*>(newline) - text.data()) : text.size();
  if (int64_t(line.size() + length) > kMaxLineBytes) {
    fail("{}:{}: line longer than {} MiB; is this a text file?", name(), line_number_ + 1,
         kMaxLineBytes >> 20);
  }
  line.append(text.data(), length);
  text.begin += length + (newline != nullptr ? 1 : 0);
  return newline != nullptr;
}

// Removes the byte order mark with which Windows programs begin UTF-8.
void LineReader::take_byte_order_mark(std::string& first_line) const {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
  if (first_line.starts_with(kUtf8Mark) && !keeps_mark_) first_line.erase(0, kUtf8Mark.size());
  const std::string_view wide = refuses_utf16_ ? detail::encoding_of_mark(first_line) : "";
  if (!wide.empty())
    fail("{0} is {1}, and heed reads UTF-8: convert it with iconv -f {1} -t UTF-8 FILE", name(),
         wide);
}

bool LineReader::next(std::string& line) {
  line = std::move(begun_);
  begun_.clear();
  bool any = !line.empty();
  line_ended_ = false;
  while (!input_->ended) {
    if (!input_->started || input_->text.empty()) {
      input_->refill();
      continue;
    }
    any = true;
    if (line_ended_ = take_line(line); line_ended_) break;
  }
  if (any && ++line_number_ == 1) take_byte_order_mark(line);
  if (column_ > 0) {
    columns_ = count_columns(line);
    has_column_ = keep_column(line, column_);
  }
  if (any && conversion_) conversion_(line, name(), line_number_);
  return any;
}

bool LineReader::wait(std::chrono::milliseconds time) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + time;
  while (!input_->ended) {
    const Buffer& text = input_->text;
    if (std::memchr(text.data(), '\n', text.size()) != nullptr) return true;
    if (input_->started && !text.empty()) take_line(begun_);
    if (input_->input.empty() && !input_->input_ended) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
      pollfd polled{input_->descriptor, POLLIN, 0};
      const int ready = ::poll(&polled, 1, int(std::max<int64_t>(0, left)));
      if (ready == 0) return false;
      if (ready < 0 && errno == EINTR) continue;  // interrupted by a signal
    }
    input_->refill();
  }
  return true;
}

const std::string& LineReader::name() const {
  return input_->name;
}

LineReader open_lines(const std::filesystem::path& path) {
  LineReader reader = path == "-" ? LineReader(0, "standard input") : LineReader(path);
  reader.refuse_utf16();
  return reader;
}

std::string read_text(LineReader reader) {
  constexpr size_t kLimit = size_t{1} << 30;
  std::string text;
  for (std::string line; reader.next(line);) {
    text += line;
    if (reader.line_ended()) text += '\n';
    if (text.size() > kLimit) fail("{}: larger than 1 GiB", reader.name());
  }
  return text;
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  LineReader reader = open_lines(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

}  // namespace heed
