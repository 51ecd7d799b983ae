#include "heed/text/linear_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heed/core/error.h"
#include "heed/text/words.h"

namespace heed {
namespace {

constexpr std::string_view kTraceTag = "-NONE-";
constexpr size_t kWordSymbolBytes = 3;  // most of the end of a word of several characters

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// Inserts the ends of words: that of the first word at the beginning, others behind a tag.
std::vector<std::string> with_words(std::vector<std::string> symbols,
                                    const std::vector<std::string>& words) {
  std::vector<std::string> all;
  all.reserve(symbols.size() + words.size());
  auto word = words.begin();
  const auto add_word = [&] {
    if (word != words.end()) all.push_back(word_symbol(*word++));
  };
  add_word();
  for (std::string& symbol : symbols) {
    all.push_back(std::move(symbol));
    if (kind_of_symbol(all.back()) == SymbolKind::tag) add_word();
  }
  return all;
}

// NP of NP-SBJ=2. A label that begins with - is one word, such as -LRB-.
std::string_view without_function_tags(std::string_view label) {
  const size_t end = label.find_first_of("-=");
  return end == 0 ? label : label.substr(0, end);
}

LinearTree linear_tree_of_line(std::string_view line, const std::string& place,
                               FunctionTags function_tags) {
  const Tree tree = parse_tree(line, place);
  if (!tree.empty() && tree.nodes().front().has_word())
    fail("{}: the tree is one word with its tag: expected a constituent around it, as in (ROOT {})",
         place, to_line(tree));
  for (const TreeNode& node : tree.nodes())
    if (node.has_word() && node.label.empty())
      fail("{}: the word '{}' has no tag: expected one, as in (NN cat)", place, node.word);
  return linear_tree(tree, function_tags);
}

}  // namespace

LinearTree linear_tree(const Tree& tree, FunctionTags function_tags) {
  struct Constituent {
    size_t end;  // the first node behind it
    std::string_view label;
  };
  std::vector<Constituent> open;
  size_t written = 0;  // of the open constituents: those that have a word
  LinearTree linear;
  const std::vector<TreeNode>& nodes = tree.nodes();
  for (size_t i = 0; i < nodes.size(); ++i) {
    const TreeNode& node = nodes[i];
    if (!node.has_word()) {
      const bool whole = function_tags == FunctionTags::keep;
      open.push_back({i + node.nodes, whole ? node.label : without_function_tags(node.label)});
    } else if (node.label != kTraceTag) {
      for (; written < open.size(); ++written)
        linear.symbols.push_back(fmt::format("({}", open[written].label));
      linear.symbols.push_back(node.label);
      linear.words.push_back(node.word);
    }
    for (; !open.empty() && open.back().end == i + 1; open.pop_back()) {
      if (written < open.size()) continue;
      linear.symbols.push_back(fmt::format("){}", open.back().label));
      --written;
    }
  }
  linear.symbols = with_words(std::move(linear.symbols), linear.words);
  return linear;
}

std::string word_symbol(std::string_view word) {
  size_t begin = word.size() - std::min(word.size(), kWordSymbolBytes);
  while (begin < word.size() && continues_character(word[begin])) ++begin;
  if (begin == word.size())  // the last character has more bytes
    while (begin > 0 && continues_character(word[--begin])) continue;
  return fmt::format("(){}", word.substr(begin));
}

SymbolKind kind_of_symbol(std::string_view symbol) {
  if (symbol.starts_with("()")) return SymbolKind::word;
  if (symbol.starts_with('(')) return SymbolKind::opening;
  return symbol.starts_with(')') ? SymbolKind::closing : SymbolKind::tag;
}

Tree tree_of(const std::vector<std::string>& symbols, const std::vector<std::string>& words) {
  Tree tree;
  auto word = words.begin();
  for (const std::string& symbol : symbols) {
    switch (kind_of_symbol(symbol)) {
      case SymbolKind::word:
        break;
      case SymbolKind::opening:
        tree.open(symbol.substr(1));
        break;
      case SymbolKind::closing:
        tree.close();
        break;
      case SymbolKind::tag:
        check(word != words.end(), "fewer words than tags");
        tree.add_word(symbol, *word++);
    }
  }
  check(word == words.end() && tree.depth() == 0, "symbols that are no tree over the words");
  return tree;
}

std::string tree_line(std::string_view symbols, std::string_view words) {
  const auto strings = [](std::string_view line) {
    const std::vector<std::string_view> parts = detail::words_of(line);
    return std::vector<std::string>(parts.begin(), parts.end());
  };
  return to_line(tree_of(strings(symbols), strings(words)));
}

std::string treebank_word(std::string_view word) {
  std::string written;
  for (const char c : word) {
    if (c == '(')
      written += "-LRB-";
    else if (c == ')')
      written += "-RRB-";
    else
      written += c;
  }
  return written;
}

std::pair<TextFile, TextFile> words_and_symbols(const TextFile& trees, FunctionTags function_tags) {
  const auto side = [&](std::vector<std::string> LinearTree::*part) {
    return trees.converted([=](std::string& line, const std::string& name, int64_t number) {
      const LinearTree linear =
          linear_tree_of_line(line, fmt::format("{}:{}", name, number), function_tags);
      line = fmt::format("{}", fmt::join(linear.*part, " "));
    });
  };
  return {side(&LinearTree::words), side(&LinearTree::symbols)};
}

}  // namespace heed
