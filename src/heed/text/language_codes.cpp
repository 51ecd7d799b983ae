#include "heed/text/language_codes.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "heed/core/ascii.h"
#include "heed/core/error.h"

namespace heed {

std::string_view leading_language_code(std::string_view text) {
  constexpr std::string_view kBegin = ">>", kEnd = "<<";
  constexpr size_t kMaxLetters = 32;
  if (!text.starts_with(kBegin)) return {};
  const auto is_part = [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || c == '_' || c == '-';
  };
  size_t end = kBegin.size();
  while (end < text.size() && is_part(text[end])) ++end;
  const size_t letters = end - kBegin.size();
  if (letters == 0 || letters > kMaxLetters || !text.substr(end).starts_with(kEnd)) return {};
  return text.substr(0, end + kEnd.size());
}

LanguageCodes::LanguageCodes(const Vocabulary& source) {
  for (TokenId id = 0; id < source.output_size(); ++id) {
    const std::string& piece = source.piece(id);
    if (piece.starts_with('>') && leading_language_code(piece).size() == piece.size())
      codes_.push_back(piece);
  }
  std::sort(codes_.begin(), codes_.end());
}

std::string_view LanguageCodes::of(std::string_view text, int64_t line, const char* side) const {
  if (codes_.empty()) return {};
  const std::string_view code = leading_language_code(text);
  if (code.empty()) return {};
  if (!std::binary_search(codes_.begin(), codes_.end(), code))
    fail("line {} of the {} begins with {}, a language that the model does not know: expected {}",
         line + 1, side, code,
         codes_.size() == 1 ? codes_.front() : fmt::format("one of {}", fmt::join(codes_, ", ")));
  return text.substr(0, std::min(text.find_first_not_of(' ', code.size()), text.size()));
}

}  // namespace heed
