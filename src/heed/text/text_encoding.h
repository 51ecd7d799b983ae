// What text is encoded in where it is not UTF-8.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace heed::detail {

// Reads the beginning of a text and some of its lines that are not UTF-8, and guesses the encoding
// from these: UTF-16 and UTF-32 from a byte order mark, UTF-16 also from zero bytes at its lines'
// ends or at every other place, GB18030 from pairs of bytes that are common Chinese characters.
class EncodingSample {
 public:
  // Each line in turn, without its '\n'.
  void add_line(std::string_view line);
  // One that is not UTF-8, beside add_line().
  void add_invalid_line(std::string_view line);

  // The name by which iconv knows the encoding; empty where there is nothing to guess it from.
  std::string_view encoding() const;

 private:
  std::string_view wide_encoding() const;

  std::string mark_;   // the first bytes of the text
  int64_t lines_ = 0;  // read by add_line(), and of them:
  int64_t begun_by_zero_ = 0, ended_by_zero_ = 0;
  int64_t bytes_ = 0;               // read by add_line()
  std::array<int64_t, 2> zeros_{};  // of them zero, at even and at odd places
  // Of the lines that are not UTF-8: bytes looked at, characters of GB18030 beyond ASCII, of them
  // those of GB2312's Chinese characters, of these the ones from 0xC9 on, and bytes that fit
  // nowhere.
  int64_t invalid_bytes_ = 0, characters_ = 0, common_ = 0, later_ = 0, misfits_ = 0;
};

// What the texts look like and how to convert them; empty where neither encoding is known.
std::string conversion_advice(const EncodingSample& source, const EncodingSample& target);

}  // namespace heed::detail
