// Guesses the encoding of text that is not UTF-8.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace heed::detail {

// The name for iconv of the encoding whose byte order mark a text begins with: "UTF-16", "UTF-32";
// empty for any other text.
std::string_view encoding_of_mark(std::string_view text);

// Guesses the encoding from the beginning of a text and some of its lines that are not UTF-8:
// UTF-16 and UTF-32 from a byte order mark, UTF-16 also from zero bytes at line ends or in every
// other byte, GB18030 from pairs of bytes that are common Chinese characters.
class EncodingSample {
 public:
  // Every line, in order, without its '\n'.
  void add_line(std::string_view line);
  // A line that is not UTF-8, in addition to add_line().
  void add_invalid_line(std::string_view line);

  // The name of the encoding for iconv; empty if unknown.
  std::string_view encoding() const;

 private:
  std::string_view wide_encoding() const;

  std::string mark_;  // the first bytes of the text
  // Counts of add_line():
  int64_t lines_ = 0;
  int64_t lines_starting_with_zero_ = 0, lines_ending_with_zero_ = 0;
  int64_t bytes_ = 0;
  std::array<int64_t, 2> zeros_{};  // zero bytes at even and at odd positions
  // Counts of add_invalid_line(), which reads GB18030:
  int64_t invalid_bytes_ = 0;      // bytes read
  int64_t characters_ = 0;         // characters beyond ASCII
  int64_t gb2312_characters_ = 0;  // of these, Chinese characters of GB2312
  int64_t gb2312_level2_ = 0;      // of these, the rare ones (from 0xC9 on)
  int64_t undecodable_ = 0;        // bytes that are part of no character
};

// The likely encodings of the texts and how to convert them; empty if neither is known.
std::string conversion_advice(const EncodingSample& source, const EncodingSample& target);

}  // namespace heed::detail
