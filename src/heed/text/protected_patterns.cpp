#include "heed/text/protected_patterns.h"

#include <re2/re2.h>

#include "heed/core/error.h"
#include "heed/core/utf8.h"
#include "heed/text/entry_lines.h"
#include "heed/text/lines.h"

namespace heed {

struct ProtectedPatterns::Expressions {
  std::vector<std::unique_ptr<const RE2>> all;
};

ProtectedPatterns ProtectedPatterns::parse(std::string_view text, const std::string& name) {
  RE2::Options options(RE2::Quiet);
  options.set_never_nl(true);
  auto expressions = std::make_shared<Expressions>();
  detail::for_each_entry(text, [&](std::string_view line, size_t number) {
    auto one = std::make_unique<RE2>(re2::StringPiece(line.data(), line.size()), options);
    if (!one->ok())
      fail("{}, line {}: '{}' is not a regular expression: {}", name, number, excerpt(line, 80),
           one->error());
    if (RE2::FullMatch("", *one))
      fail("{}, line {}: '{}' matches an empty text", name, number, excerpt(line, 80));
    expressions->all.push_back(std::move(one));
    if (expressions->all.size() > kMaxPatterns)
      fail("{} has more than {} expressions", name, kMaxPatterns);
  });
  if (expressions->all.empty())
    fail("{} has no regular expressions: expected one in each line", name);
  return ProtectedPatterns(std::move(expressions));
}

ProtectedPatterns ProtectedPatterns::load(const std::filesystem::path& path) {
  LineReader reader = open_lines(path);
  const std::string name = reader.name();
  return parse(read_text(std::move(reader)), name);
}

void ProtectedPatterns::find(std::string_view text,
                             std::vector<std::pair<size_t, size_t>>& matches) const {
  const re2::StringPiece all(text.data(), text.size());
  for (const auto& expression : expressions_->all) {
    re2::StringPiece found;
    for (size_t at = 0; at < text.size();) {
      if (!expression->Match(all, at, text.size(), RE2::UNANCHORED, &found, 1)) break;
      const auto begin = size_t(found.data() - text.data());
      if (!found.empty()) matches.emplace_back(begin, begin + found.size());
      // Behind an empty match, such as a word boundary, by one character.
      at = begin + found.size();
      if (found.empty()) at += at < text.size() ? first_utf8_character(text.substr(at)).bytes : 1;
    }
  }
}

}  // namespace heed
