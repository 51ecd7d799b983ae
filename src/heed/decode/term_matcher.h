// The terms that the translation of a sentence has, and the one that has begun at its end.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/terms.h"

namespace heed {

// The texts that count as forms of a term: those that are listed and, with TermCase::any, the same
// with a capital first letter, as at the beginning of a sentence.
std::vector<std::string> accepted_forms(const Term& term);

// Searches a translation for the forms of terms, each of which counts for itself: a term that the
// source has twice is there twice. From left to right, at each place the longest form; never
// within a word. All texts write spaces alike.
class TermMatcher {
 public:
  struct Form {
    std::string text;
    std::vector<size_t> terms;  // that accept it, in order
  };
  // Where the search has come to: up to `at` nothing changes, however the text goes on.
  struct State {
    size_t at = 0;
    std::vector<const Form*> found;  // of each term; null: none
  };
  // A form that has begun at the end of the text.
  struct Begun {
    const Form* form;  // of a term that is not found
    size_t bytes;
  };
  struct Result {
    State stable;                    // to continue from, with a longer text
    std::vector<const Form*> found;  // as State, with forms that end with the text
    std::vector<Begun> begun;
    size_t count = 0;  // of the terms that are found
  };

  // The forms of each term.
  explicit TermMatcher(const std::vector<std::vector<std::string>>& terms);
  TermMatcher(const TermMatcher&) = delete;  // its forms are pointed to
  TermMatcher& operator=(const TermMatcher&) = delete;

  size_t terms() const { return terms_; }
  State start() const { return {0, std::vector<const Form*>(terms_)}; }
  Result search(std::string_view text, State from) const;

 private:
  // Adds to `result` the forms at a place within which the text ends. Returns the longest whole
  // one; null if there is none.
  const Form* match_at(std::string_view text, size_t at, Result& result) const;

  size_t terms_;
  std::vector<Form> forms_;              // in the order of their bytes
  std::array<bool, 256> begins_form_{};  // by the first byte
};

}  // namespace heed
