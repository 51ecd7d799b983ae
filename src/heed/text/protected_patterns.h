// Regular expressions of parts of a text that its translation has as they are.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

// Const once built: any number of threads may use one. Copies share the expressions.
class ProtectedPatterns {
 public:
  static constexpr size_t kMaxPatterns = 1000;

  // An expression in the syntax of RE2 in each line; blank lines and those that begin with # are
  // left out. Error, which names the line of `name`, for one that is not valid or that matches an
  // empty text, and if there is none.
  static ProtectedPatterns parse(std::string_view text, const std::string& name);
  // The same of a file, plain or .gz.
  static ProtectedPatterns load(const std::filesystem::path& path);

  // Appends the bytes [begin, end) of every match, of each expression from left to right without
  // overlaps. The time is linear in the length of the text, which is valid UTF-8.
  void find(std::string_view text, std::vector<std::pair<size_t, size_t>>& matches) const;

 private:
  struct Expressions;
  explicit ProtectedPatterns(std::shared_ptr<const Expressions> expressions)
      : expressions_(std::move(expressions)) {}

  std::shared_ptr<const Expressions> expressions_;
};

}  // namespace heed
