// The results of the parts of a line as its translation.
#include <algorithm>
#include <set>

#include "heed/core/unicode.h"
#include "heed/decode/confidence_signals.h"
#include "heed/decode/line_processor.h"

namespace heed {
namespace {

// The prompt of a language model, byte for byte, and the continuation in `text`, which begins with
// the prompt as its tokens have it.
std::string with_prompt(const EncodedLine& line, const std::string& text) {
  if (!text.starts_with(line.decoded_prompt)) return text;
  std::string_view rest = std::string_view(text).substr(line.decoded_prompt.size());
  if (line.prompt_ends_in_space && rest.starts_with(' ')) rest.remove_prefix(1);
  return std::string(line.prompt).append(rest);
}

// The translations of all parts as one line; of a prompt, itself and its continuation.
std::string join_text(const EncodedLine& line, const std::vector<std::string>& parts) {
  if (line.max_length > 0) return with_prompt(line, parts.front());
  std::vector<std::string> texts;
  auto part = parts.begin();
  for (const EncodedSentence& sentence : line.sentences) {
    if (part == parts.end() && parts.size() < line.parts.size()) break;  // the first parts alone
    const auto end = part + std::min(std::ptrdiff_t(sentence.parts), parts.end() - part);
    texts.push_back(sentence.copied.empty() ? join_parts({part, end}) : sentence.copied);
    part = end;
  }
  std::vector<TextSentence> translations;
  for (size_t i = 0; i < texts.size(); ++i)
    translations.push_back({line.sentences[i].before, texts[i]});
  return join_sentences(translations, parts.size() == line.parts.size() ? line.after : "");
}

// The prefix of the line's translation that stays the same however the last of these texts goes on.
// Whether a space stands before that text may depend on a character that follows, so the line is
// joined with a letter and with a Chinese character at its end, and what both have is kept.
std::string join_final_text(const EncodedLine& line, const std::vector<std::string>& first_parts) {
  const auto followed_by = [&](std::string_view character) {
    std::vector<std::string> texts = first_parts;
    texts.back() += character;
    return join_text(line, texts);
  };
  std::string text = followed_by("a");
  const std::string other = followed_by("\u4E2D");
  const auto end = text.begin() + std::ptrdiff_t(std::min(text.size(), other.size()));
  text.erase(std::mismatch(text.begin(), end, other.begin()).first, text.end());
  return text;
}

// The translation of a line, without any hypothesis yet.
Translation begun(const EncodedLine& line) {
  Translation translation;
  translation.line = line.line;
  translation.status = line.status;
  return translation;
}

// The translation with the accelerator of the line.
std::string accelerated(const EncodedLine& line, std::string text) {
  return with_accelerator(std::move(text), *line.accelerator);
}

// Notes the terms of the line, and their forms in its best translation.
void note_terms(const EncodedLine& line, Translation& translation) {
  const TextHypothesis& best = translation.hypotheses.front();
  translation.terms =
      term_uses(line.terms, best.text, best.ended ? TermMiss::restored : TermMiss::length);
  translation.status.terms_missed = std::ranges::any_of(
      translation.terms, [](const TermUse& use) { return use.miss != TermMiss::none; });
}

// The joined hypotheses of this rank of all parts, without text and attention.
TextHypothesis join_tokens(const Tokenizer& target, const std::vector<SearchResult>& parts,
                           size_t rank) {
  TextHypothesis joined;
  joined.number = int64_t(rank);
  for (const SearchResult& part : parts) {
    const Hypothesis& hypothesis = hypothesis_at(part, rank);
    joined.score += hypothesis.score;
    joined.ended = joined.ended && hypothesis.ended;
    const std::vector<std::string> pieces = target.pieces(hypothesis.ids);
    joined.pieces.insert(joined.pieces.end(), pieces.begin(), pieces.end());
    // Without that of </s>.
    check(hypothesis.log_probabilities.size() >= pieces.size(),
          "fewer log-probabilities than tokens");
    joined.log_probabilities.insert(
        joined.log_probabilities.end(), hypothesis.log_probabilities.begin(),
        hypothesis.log_probabilities.begin() + ptrdiff_t(pieces.size()));
  }
  const Hypothesis& last = hypothesis_at(parts.back(), rank);
  if (last.ended) joined.log_probabilities.push_back(last.log_probabilities.back());
  return joined;
}

std::vector<std::string> texts_of(const Tokenizer& target, const std::vector<SearchResult>& parts,
                                  size_t rank) {
  std::vector<std::string> texts;
  texts.reserve(parts.size());
  for (const SearchResult& part : parts)
    texts.push_back(target.decode(hypothesis_at(part, rank).ids));
  return texts;
}

// Calls use(decoding, begin) for the tokens of the hypothesis of this rank of each part, and where
// their text begins in that of the line.
template <class Use>
void for_each_part(const Tokenizer& target, const EncodedLine& line,
                   const std::vector<SearchResult>& parts, size_t rank, const std::string& joined,
                   const Use& use) {
  size_t end = 0;  // of the texts so far, between which only white space stands
  const auto begin_of = [&](const std::string& text) {
    const size_t begin = joined.find(text, end);
    check(begin != std::string::npos, "a part's translation is not in that of its line");
    end = begin + text.size();
    return begin;
  };
  auto part = parts.begin();
  for (const EncodedSentence& sentence : line.sentences) {
    if (!sentence.copied.empty()) begin_of(sentence.copied);
    for (size_t i = 0; i < sentence.parts; ++i, ++part) {
      const Decoding decoded = target.decode_with_ends(hypothesis_at(*part, rank).ids);
      use(decoded, begin_of(decoded.text));
    }
  }
}

// Appends to `hypothesis.words` the words that each token belongs to: the tokens of the hypotheses
// of this rank of all parts.
void add_words(const Tokenizer& target, const EncodedLine& line,
               const std::vector<SearchResult>& parts, size_t rank, TextHypothesis& hypothesis) {
  const TextUnits units(hypothesis.text);
  for_each_part(target, line, parts, rank, hypothesis.text,
                [&](const Decoding& decoded, size_t begin) {
                  const std::vector<UnitRange> words = units.of_tokens(decoded.ends, begin);
                  hypothesis.words.insert(hypothesis.words.end(), words.begin(), words.end());
                });
}

// Adds the attention of all hypotheses of the line, which are in the order of those of its parts.
void align(const TokenizerPair& tokenizers, const EncodedLine& line,
           const std::vector<SearchResult>& parts, Aligner& aligner, Translation& translation) {
  std::vector<std::string>& source_pieces = translation.source_pieces;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::vector<TokenId>& source = line.parts[i].source;
    const size_t before = source_pieces.size();
    const std::vector<std::string> pieces = tokenizers.source().pieces(source);
    source_pieces.insert(source_pieces.end(), pieces.begin(), pieces.end());
    const std::vector<UnitRange>& words = line.parts[i].words;
    translation.source_words.insert(translation.source_words.end(), words.begin(), words.end());
    std::vector<std::vector<TokenId>> targets;
    for (size_t rank = 0; rank < translation.hypotheses.size(); ++rank)
      targets.push_back(hypothesis_at(parts[i], rank).ids);
    std::vector<AttentionWeights> weights = aligner.weights(source, targets);
    for (size_t rank = 0; rank < targets.size(); ++rank)
      detail::append(translation.hypotheses[rank].attention, std::move(weights[rank]), before);
  }
  for (size_t rank = 0; rank < translation.hypotheses.size(); ++rank)
    add_words(tokenizers.target(), line, parts, rank, translation.hypotheses[rank]);
}

}  // namespace

size_t line_hypothesis_count(const std::vector<SearchResult>& parts) {
  size_t count = 0;
  for (const SearchResult& part : parts) {
    if (part.hypotheses.empty()) return 0;
    count = std::max(count, part.hypotheses.size());
  }
  return count;
}

const Hypothesis& hypothesis_at(const SearchResult& part, size_t rank) {
  return part.hypotheses[std::min(rank, part.hypotheses.size() - 1)];
}

std::string LineProcessor::text_of(const EncodedLine& line, const std::vector<SearchResult>& parts,
                                   size_t rank) const {
  if (!trees_) return join_text(line, texts_of(tokenizers_.target(), parts, rank));
  std::vector<std::vector<TokenId>> ids;
  ids.reserve(parts.size());
  for (const SearchResult& part : parts) ids.push_back(hypothesis_at(part, rank).ids);
  return trees_->tree(ids, line.tree_words);
}

bool LineProcessor::restore(const EncodedLine& line, const std::vector<SearchResult>& parts,
                            size_t rank, Aligner* aligner, TextHypothesis& hypothesis) const {
  std::vector<ByteRange> tokens;
  for_each_part(
      tokenizers_.target(), line, parts, rank, hypothesis.text,
      [&](const Decoding& decoded, size_t begin) { add_token_bytes(decoded.ends, begin, tokens); });
  const auto attention = [&] {
    if (!hypothesis.attention.empty()) return hypothesis.attention;  // computed already
    AttentionWeights all;
    if (aligner == nullptr || !aligner->can_align()) return all;
    size_t before = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      const std::vector<TokenId>& source = line.parts[i].source;
      std::vector<AttentionWeights> of_part =
          aligner->weights(source, {hypothesis_at(parts[i], rank).ids});
      detail::append(all, std::move(of_part.front()), before);
      before += source.size();
    }
    return all;
  };
  std::optional<RestoredText> found = restored(line.protection, hypothesis.text, tokens, attention);
  if (!found) return false;
  hypothesis.text = std::move(found->text);
  if (!hypothesis.words.empty()) {
    const TextUnits units(hypothesis.text);
    for (size_t t = 0; t < found->tokens.size(); ++t) {
      const auto [begin, end] = found->tokens[t];
      hypothesis.words[t] = begin < end ? units.of(begin, end) : UnitRange();
    }
  }
  return true;
}

void LineProcessor::judge(const EncodedLine& line, const std::vector<SearchResult>& parts,
                          Translation& translation) const {
  if (!reads_source_ || parses() || line.sampled || translation.hypotheses.empty()) return;
  // A loop up to the maximum length has probable tokens, and is never good.
  const bool ended = translation.hypotheses.front().ended;
  if (ended) translation.signals = confidence_signals(line, parts, translation.hypotheses.front());
  const auto& confidence = line.reverse ? confidence_.with_reverse : confidence_.alone;
  if (!confidence) return;
  translation.confidence = ended ? confidence->probability(*translation.signals) : 0;
  translation.status.doubtful =
      line.min_confidence && *translation.confidence < *line.min_confidence;
}

Translation LineProcessor::joined(const EncodedLine& line, const std::vector<SearchResult>& parts,
                                  Aligner* aligner) const {
  Translation translation = begun(line);
  std::vector<TextHypothesis>& all = translation.hypotheses;
  for (size_t rank = 0; rank < line_hypothesis_count(parts); ++rank) {
    all.push_back(join_tokens(tokenizers_.target(), parts, rank));
    all.back().text = text_of(line, parts, rank);
  }
  if (aligner && line.attention) align(tokenizers_, line, parts, *aligner, translation);
  std::vector<bool> restored(all.size());
  for (size_t rank = 0; rank < all.size() && !line.protection.spans.empty(); ++rank)
    restored[rank] = restore(line, parts, rank, aligner, all[rank]);
  if (line.accelerator)
    for (TextHypothesis& one : all) one.text = accelerated(line, std::move(one.text));
  // Samples come in the order of their numbers, not of their scores.
  std::stable_sort(all.begin(), all.end(), [](const TextHypothesis& a, const TextHypothesis& b) {
    return a.score > b.score;
  });
  if (!all.empty()) {
    translation.status.restored = restored[size_t(all.front().number)];
    note_terms(line, translation);
  }
  // Different texts of the parts of a line may still join to one text.
  std::set<std::string> texts;
  if (!line.sampled)
    std::erase_if(all, [&](const TextHypothesis& h) { return !texts.insert(h.text).second; });
  if (!all.empty() && !all.front().ended) translation.status.unfinished = true;
  judge(line, parts, translation);
  return translation;
}

Translation LineProcessor::postprocess(const EncodedLine& line,
                                       const std::vector<SearchResult>& parts,
                                       Aligner* aligner) const {
  check(parts.size() == line.parts.size(), "parts and results of a line differ in number");
  if (!parts.empty()) return joined(line, parts, aligner);
  Translation translation = begun(line);
  const Tokenizer& target = tokenizers_.target();
  TextHypothesis& only = translation.hypotheses.emplace_back();
  const bool copied = std::ranges::any_of(
      line.sentences, [](const EncodedSentence& sentence) { return !sentence.copied.empty(); });
  only.text = copied ? join_text(line, {}) : target.decode(line.prefix_tokens) + line.after;
  if (line.max_length > 0) only.text = line.prompt;
  if (line.accelerator) only.text = accelerated(line, std::move(only.text));
  only.pieces = target.pieces(line.prefix_tokens);
  if (aligner && line.attention) {
    only.attention.resize(line.prefix_tokens.size());
    only.words.resize(line.prefix_tokens.size());
  }
  note_terms(line, translation);
  // Text that the model did not translate is for a person too.
  translation.status.doubtful = line.min_confidence.value_or(0) > 0 && !line.status.empty;
  return translation;
}

Translation LineProcessor::postprocess_first(const EncodedLine& line,
                                             const std::vector<SearchResult>& parts) const {
  Translation translation = begun(line);
  translation.status.unfinished = true;
  // In beam search the unfinished part of the line has one hypothesis, that of Search::partial().
  const size_t count = line_hypothesis_count(parts);
  for (size_t rank = 0; rank < (line.sampled ? count : std::min<size_t>(count, 1)); ++rank) {
    TextHypothesis& first =
        translation.hypotheses.emplace_back(join_tokens(tokenizers_.target(), parts, rank));
    first.text = join_final_text(line, texts_of(tokenizers_.target(), parts, rank));
  }
  return translation;
}

}  // namespace heed
