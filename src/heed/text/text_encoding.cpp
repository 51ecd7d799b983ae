#include "heed/text/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>

namespace heed::detail {
namespace {

constexpr int64_t kSampleBytes = 1 << 16;  // of the beginning, and of lines that are not UTF-8
constexpr size_t kMarkBytes = 4;           // of the longest byte order mark

uint8_t byte_at(std::string_view text, size_t at) {
  return at < text.size() ? uint8_t(text[at]) : 0;
}

bool within(uint8_t byte, uint8_t least, uint8_t most) {
  return byte >= least && byte <= most;
}

// The bytes of the GB18030 character that begins the text; 0 where none does.
size_t gb18030_character(std::string_view text) {
  const uint8_t second = byte_at(text, 1);
  if (!within(byte_at(text, 0), 0x81, 0xFE)) return 0;
  if (within(second, 0x40, 0xFE) && second != 0x7F) return 2;
  const bool four = within(second, 0x30, 0x39) && within(byte_at(text, 2), 0x81, 0xFE) &&
                    within(byte_at(text, 3), 0x30, 0x39);
  return four ? 4 : 0;
}

}  // namespace

void EncodingSample::add_line(std::string_view line) {
  if (bytes_ >= kSampleBytes) return;
  if (bytes_ == 0)
    mark_ = line.substr(0, kMarkBytes);
  else
    lines_starting_with_zero_ += line.starts_with('\0');
  lines_ending_with_zero_ += line.ends_with('\0');
  ++lines_;
  const size_t looked_at = std::min(line.size(), size_t(kSampleBytes));
  for (size_t i = 0; i < looked_at; ++i)
    if (line[i] == '\0') ++zeros_[size_t(bytes_ + int64_t(i)) % 2];
  bytes_ += int64_t(line.size()) + 1;
}

void EncodingSample::add_invalid_line(std::string_view line) {
  line = line.substr(0, size_t(std::max<int64_t>(0, kSampleBytes - invalid_bytes_)));
  invalid_bytes_ += int64_t(line.size());
  for (size_t at = 0; at < line.size();) {
    const std::string_view rest = line.substr(at);
    const uint8_t first = byte_at(rest, 0);
    const size_t bytes = first < 0x80 ? 1 : gb18030_character(rest);
    at += std::max<size_t>(1, bytes);
    if (first < 0x80) continue;
    if (bytes == 0) {
      if (rest.size() >= kMarkBytes) ++undecodable_;  // else the sample may end within it
      continue;
    }
    ++characters_;
    const bool common = bytes == 2 && within(first, 0xB0, 0xF7) && byte_at(rest, 1) >= 0xA1;
    gb2312_characters_ += common;
    gb2312_level2_ += common && first >= 0xC9;
  }
}

std::string_view encoding_of_mark(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return "UTF-16";
  return {};
}

std::string_view EncodingSample::wide_encoding() const {
  if (const std::string_view marked = encoding_of_mark(mark_); !marked.empty()) return marked;
  // Letters of ASCII have a zero byte, always on the same side.
  const auto all_at = [&](size_t parity) {
    const int64_t here = zeros_[parity], elsewhere = zeros_[1 - parity];
    return here >= 2 && here >= 16 * elsewhere && 4 * here >= bytes_;
  };
  if (all_at(1)) return "UTF-16LE";
  if (all_at(0)) return "UTF-16BE";
  // Other text has only the zero bytes of its line ends: before the next line, or at its own end.
  const auto most = [&](int64_t lines) { return lines >= 2 && 2 * lines >= lines_ - 1; };
  if (most(lines_starting_with_zero_)) return "UTF-16LE";
  if (most(lines_ending_with_zero_)) return "UTF-16BE";
  return {};
}

// Pairs of letters beyond ASCII are rare in Latin scripts, and Cyrillic words with an odd number of
// letters give an undecodable byte. Korean (EUC-KR) has almost no pairs from 0xC9 on, with which
// about half of the characters of Chinese text begin; in Japanese (EUC-JP) most characters are
// kana, below 0xB0.
std::string_view EncodingSample::encoding() const {
  if (const std::string_view wide = wide_encoding(); !wide.empty()) return wide;
  const bool chinese = gb2312_characters_ >= 4 && 50 * undecodable_ <= characters_ &&
                       2 * gb2312_characters_ >= characters_ &&
                       8 * gb2312_level2_ >= gb2312_characters_;
  return chinese ? "GB18030" : "";
}

std::string conversion_advice(const EncodingSample& source, const EncodingSample& target) {
  const std::string_view left = source.encoding(), right = target.encoding();
  const auto advice = [](std::string_view side, std::string_view encoding) {
    return fmt::format("{} like {}: convert {} with iconv -f {} -t UTF-8 FILE", side, encoding,
                       side.starts_with("the texts") ? "them" : "it", encoding);
  };
  if (left.empty() && right.empty()) return "";
  if (left == right) return advice("the texts look", left);
  if (right.empty()) return advice("the source looks", left);
  if (left.empty()) return advice("the target looks", right);
  return advice("the source looks", left) + ", " + advice("the target looks", right);
}

}  // namespace heed::detail
