// Terms: what words of a source text must be called in its translation.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

// How the letters of a term are compared with those of a text.
enum class TermCase { any, exact };
constexpr std::array<std::pair<std::string_view, TermCase>, 2> enum_names(TermCase) {
  return {{{"any", TermCase::any}, {"exact", TermCase::exact}}};
}

struct Term {
  std::string source;
  std::vector<std::string> targets;  // forms, of which a translation has one; at least one
  // any: the source in capital or small letters, and the forms also with a capital first letter.
  TermCase matching = TermCase::any;
  std::string note;  // for people
};

// A term in a text: the bytes [begin, end).
struct TermPlace {
  size_t begin = 0, end = 0;
  size_t term = 0;  // in TermList::terms()
};

// Whether the place between two bytes of a text is inside a word: letters, marks and digits stand
// on both sides, of scripts that separate words by spaces.
bool is_inside_word(std::string_view text, size_t at);

// The terms that a translation must use. Const once built: any number of threads may use one.
class TermList {
 public:
  static constexpr size_t kMaxForms = 30, kMaxBytes = 1000;  // of a term, of each text of it

  // Terms with equal sources, compared alike, become one with the forms of both. Error, which names
  // the term, if a text is empty, too long, or not UTF-8.
  explicit TermList(std::vector<Term> terms);

  // Tab-separated lines: the source, its forms separated by |, and optionally how letters are
  // compared (any, exact), the kind (hard) and a note. Blank lines and those that begin with # are
  // left out. Error, which names the line of `name`, if it is of another form, or there is none.
  static TermList parse(std::string_view text, const std::string& name);
  // The same of a file, plain or .gz; - is standard input.
  static TermList load(const std::filesystem::path& path);

  const std::vector<Term>& terms() const { return terms_; }
  // In order, none of which overlaps another: at each place the longest term. Neither within a
  // word, nor within a placeholder or an address. Runs of white space are equal.
  std::vector<TermPlace> find(std::string_view text) const;

 private:
  void add(Term term);

  std::vector<Term> terms_;
  // A tree of the sources, word by word (or character, where it belongs to no word), in small
  // letters: the node that follows one by a word, and the terms that end at each node, exact ones
  // first. Node 0 is the root.
  std::map<std::pair<size_t, std::string>, size_t> next_;
  std::vector<std::vector<size_t>> ends_{1};
};

// The text with its first character as a capital.
std::string with_first_capital(std::string_view text);

}  // namespace heed
