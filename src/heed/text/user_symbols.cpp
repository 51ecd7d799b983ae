#include "heed/text/user_symbols.h"

#include <algorithm>

#include "heed/core/error.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/text/lines.h"
#include "heed/text/normalizer.h"
#include "heed/text/vocabulary.h"

namespace heed {

void check_user_symbol(const std::string& symbol, const std::string& where) {
  constexpr size_t kMaxBytes = 1000;
  if (symbol.empty()) fail_usage("{}: expected a symbol, got an empty text", where);
  if (find_invalid_utf8(symbol)) fail_usage("{}: the symbol is not UTF-8", where);
  if (symbol.size() > kMaxBytes)
    fail_usage("{}: '{}' has {} bytes, expected at most {}", where, excerpt(symbol), symbol.size(),
               kMaxBytes);
  for (const std::string_view own : {kEndPiece, kUnknownPiece, kPadPiece})
    if (symbol == own)
      fail_usage("{}: every vocabulary has {} with a meaning of its own", where, own);
  bool has_space = symbol.find(kSpaceSymbol) != symbol.npos || symbol.find('\0') != symbol.npos;
  for (std::string_view rest = symbol; !rest.empty();) {
    const Utf8Character character = first_utf8_character(rest);
    has_space |= is_whitespace(character.value);
    rest.remove_prefix(character.bytes);
  }
  if (has_space)
    fail_usage("{}: '{}' has white space, which separates pieces", where, excerpt(symbol));
}

std::vector<std::string> read_user_symbols(const std::filesystem::path& path) {
  std::vector<std::string> symbols;
  LineReader lines(path);
  for (std::string line; lines.next(line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    check_user_symbol(line, fmt::format("{}:{}", path.string(), lines.line_number()));
    symbols.push_back(line);
  }
  if (symbols.empty()) fail("{}: no symbol; expected one on each line", path.string());
  std::ranges::sort(symbols);
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  return symbols;
}

}  // namespace heed
