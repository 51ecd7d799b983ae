#include "heed/decode/term_constraint.h"

#include <algorithm>

#include "heed/text/byte_pieces.h"

namespace heed {
namespace {

std::vector<std::vector<std::string>> texts_of(
    const std::vector<std::vector<TermSpeller::Spelling>>& terms) {
  std::vector<std::vector<std::string>> texts;
  texts.reserve(terms.size());
  for (const auto& forms : terms) {
    texts.emplace_back();
    for (const TermSpeller::Spelling& form : forms) texts.back().push_back(form.text);
  }
  return texts;
}

void add_once(std::vector<TokenId>& ids, TokenId id) {
  if (id != kNoToken && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
}

}  // namespace

TermSpeller::TermSpeller(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {
  for (TokenId id = 0; id < tokenizer.vocabulary().output_size(); ++id)
    longest_ = std::max(longest_, tokenizer.vocabulary().piece(id).size());
}

TokenId TermSpeller::longest_piece(std::string_view text) const {
  const Vocabulary& vocabulary = tokenizer_.vocabulary();
  for (size_t bytes = std::min(text.size(), longest_); bytes > 0; --bytes) {
    const std::optional<TokenId> id = vocabulary.find(text.substr(0, bytes));
    if (id && *id != vocabulary.end_id() && *id != vocabulary.unknown_id() &&
        *id < vocabulary.output_size())
      return *id;
  }
  return kNoToken;
}

std::optional<TermSpeller::Written> TermSpeller::write(const std::string& text) const {
  Written written;
  for (const TokenId id : tokenizer_.encode(text)) {
    if (id == tokenizer_.unknown_id()) return std::nullopt;
    written.pieces.emplace_back(written.text.size(), id);
    append(written.text, id);
  }
  return written;
}

void TermSpeller::append(std::string& text, TokenId id) const {
  if (id == tokenizer_.end_id()) return;
  const std::string& piece = tokenizer_.vocabulary().piece(id);
  if (const auto byte = byte_of(piece))
    text += char(*byte);
  else
    text += piece;
}

std::optional<TermSpeller::Spelling> TermSpeller::spell(const std::string& form) const {
  const std::optional<Written> own = write(form);
  if (!own || own->text.empty() || own->text == kSpaceSymbol) return std::nullopt;
  Spelling spelling;
  const size_t space = own->text.starts_with(kSpaceSymbol) ? kSpaceSymbol.size() : 0;
  spelling.text = own->text.substr(space);
  spelling.after_space = longest_piece(std::string(kSpaceSymbol) + spelling.text);
  for (const auto& [before, id] : own->pieces) {
    if (before >= space)
      add_once(spelling.next[before - space], id);
    else
      spelling.after_space = id;
  }
  // Without a space before it.
  const std::optional<Written> joined = write("(" + form);
  if (!joined || !joined->text.ends_with(spelling.text)) return spelling;
  const size_t begin = joined->text.size() - spelling.text.size();
  for (const auto& [before, id] : joined->pieces)
    if (before >= begin) add_once(spelling.next[before - begin], id);
  return spelling;
}

TermConstraint::TermConstraint(const std::vector<std::vector<TermSpeller::Spelling>>& terms,
                               const TermSpeller& speller)
    : speller_(speller), terms_(terms), matcher_(texts_of(terms)) {
  for (const auto& forms : terms)
    for (const TermSpeller::Spelling& form : forms) spellings_.emplace(form.text, form);
}

std::vector<TokenId> TermConstraint::suggested(const std::string& text,
                                               const TermMatcher::Result& found) const {
  constexpr size_t kMost = 64;  // beside the most probable tokens; more would only take time
  std::vector<TokenId> ids;
  // The pieces after the first bytes of a form.
  const auto continue_form = [&](const TermSpeller::Spelling& form, size_t bytes) {
    const auto known = form.next.find(bytes);
    if (known != form.next.end())
      for (const TokenId id : known->second) add_once(ids, id);
    else
      add_once(ids, speller_.longest_piece(std::string_view(form.text).substr(bytes)));
  };
  for (const TermMatcher::Begun& begun : found.begun) {
    if (ids.size() >= kMost) break;
    continue_form(spellings_.at(begun.form->text), begun.bytes);
  }
  // All that the model would write may make a longer word of the form at the end.
  if (found.count == matcher_.terms() && found.stable.at < text.size())
    ids.push_back(speller_.tokenizer().end_id());
  const bool after_space = text.ends_with(kSpaceSymbol);
  for (size_t term = 0; term < terms_.size(); ++term) {
    if (found.found[term]) continue;
    for (const TermSpeller::Spelling& form : terms_[term]) {
      if (ids.size() >= kMost) return ids;
      if (!after_space) add_once(ids, form.after_space);
      if (!text.empty() && !is_inside_word(text + form.text, text.size())) continue_form(form, 0);
    }
  }
  return ids;
}

void TermConstraint::update(std::span<const ConstrainedHypothesis> hypotheses) const {
  const TokenId end = speller_.tokenizer().end_id();
  for (const ConstrainedHypothesis& h : hypotheses) {
    std::string text;
    for (const TokenId id : h.ids) speller_.append(text, id);
    const TermMatcher::Result found = matcher_.search(text, matcher_.start());
    if (found.count < matcher_.terms()) h.next.ban({&end, 1});
    const auto progress = [this, text, stable = found.stable](TokenId id) {
      std::string longer = text;
      speller_.append(longer, id);
      const TermMatcher::Result result = matcher_.search(longer, stable);
      size_t bytes = 0;
      for (const TermMatcher::Begun& begun : result.begun) bytes = std::max(bytes, begun.bytes);
      return DemandProgress{int64_t(result.count), int64_t(bytes), longer.ends_with(kSpaceSymbol)};
    };
    h.next.set_demand({suggested(text, found), progress});
  }
}

}  // namespace heed
