// The parts of a text that its translation must have byte for byte: placeholders, addresses and
// characters that a model cannot write.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/text/protected_patterns.h"

namespace heed {

// `accelerators` are no spans: they move (text/accelerator.h). `patterns` are those of expressions,
// which have no name.
enum class ProtectedKind {
  placeholders,
  urls,
  emails,
  unknown,
  numbers,
  paths,
  code,
  accelerators,
  patterns
};
constexpr std::array<std::pair<std::string_view, ProtectedKind>, 8> enum_names(ProtectedKind) {
  return {{{"placeholders", ProtectedKind::placeholders},
           {"urls", ProtectedKind::urls},
           {"emails", ProtectedKind::emails},
           {"unknown", ProtectedKind::unknown},
           {"numbers", ProtectedKind::numbers},
           {"paths", ProtectedKind::paths},
           {"code", ProtectedKind::code},
           {"accelerators", ProtectedKind::accelerators}}};
}

// The kinds that are protected: the values of the option --protect.
class ProtectedKinds {
 public:
  // None.
  ProtectedKinds() = default;
  // UsageError unless these are names of kinds, or "none" alone; commas may stand between them.
  explicit ProtectedKinds(const std::vector<std::string>& list);
  // Names of kinds, and files of regular expressions (ProtectedPatterns), which are opened.
  static ProtectedKinds with_files(const std::vector<std::string>& list);

  bool has(ProtectedKind kind) const { return (bits_ >> int(kind) & 1) != 0; }
  bool empty() const { return bits_ == 0 && patterns_.empty(); }
  const std::vector<ProtectedPatterns>& patterns() const { return patterns_; }

 private:
  // Whether it is the name of a kind, which is added.
  bool add(const std::string& name);
  // Accelerators alone, which are no parts that stay, come with the default kinds.
  void complete();

  uint32_t bits_ = 0;
  std::vector<ProtectedPatterns> patterns_;
};

// The bytes [begin, end) of a text.
struct ProtectedSpan {
  size_t begin = 0, end = 0;
  ProtectedKind kind = ProtectedKind::placeholders;
  friend bool operator==(const ProtectedSpan&, const ProtectedSpan&) = default;
};

// In order, none of which overlaps another. `unknown` are the characters (grapheme clusters) that
// are of the kind of this name, each of which is a span.
std::vector<ProtectedSpan> protected_spans(std::string_view text, const ProtectedKinds& kinds,
                                           const std::vector<std::string>& unknown);

}  // namespace heed
