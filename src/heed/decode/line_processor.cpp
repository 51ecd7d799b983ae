#include "heed/decode/line_processor.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "heed/core/counted.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/decode/confidence_signals.h"
#include "heed/decode/search_constraints.h"

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

// Each once, without white space and invisible characters.
std::vector<std::string> graphemes_of(std::string_view text) {
  std::vector<std::string> graphemes;
  while (!text.empty()) {
    const std::string_view first = text.substr(0, first_grapheme_bytes(text));
    const char32_t character = first_utf8_character(first).value;
    if (!is_whitespace(character) && !is_format_character(character) &&
        std::ranges::find(graphemes, first) == graphemes.end())
      graphemes.emplace_back(first);
    text.remove_prefix(first.size());
  }
  return graphemes;
}

// The symbols among these, such as emoji: letters and punctuation have their own in the target
// language, and other characters show damage or are not seen.
std::vector<std::string> symbols_of(const std::vector<std::string>& graphemes) {
  std::vector<std::string> symbols;
  for (const std::string& grapheme : graphemes) {
    const char32_t first = first_utf8_character(grapheme).value;
    const bool control = first < ' ' || (first >= 0x7F && first < 0xA0) || first == 0xFFFD;
    if (!control && !is_letter(first) && !is_punctuation(first) && !is_whitespace(first) &&
        !is_format_character(first))
      symbols.push_back(grapheme);
  }
  return symbols;
}

// The translation of a line, without any hypothesis yet.
Translation begun(const EncodedLine& line) {
  Translation translation;
  translation.line = line.line;
  translation.status = line.status;
  return translation;
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

// Appends the bytes of consecutive tokens, the first of which begins at `begin`; `ends` count from
// there.
void add_bytes(const std::vector<size_t>& ends, size_t begin, std::vector<ByteRange>& bytes) {
  size_t last = 0;
  for (const size_t end : ends) bytes.push_back({begin + std::exchange(last, end), begin + end});
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

// The number of tokens of a language code.
size_t token_count(const Tokenizer& tokenizer, std::string_view code) {
  return code.empty() ? 0 : tokenizer.encode(code).size();
}

[[noreturn]] void fail_too_long(const Encoding& prefix, int64_t line, int64_t limit) {
  fail(
      "line {} of the prefixes has {}{}, but the translation of that line may have at most {} with "
      "</s> "
      "(--max-length, --extra-length): shorten the prefix or raise the limit",
      line + 1, prefix.truncated ? "at least " : "",
      detail::counted(int64_t(prefix.ids.size()), "token"), limit);
}

[[noreturn]] void fail_long_prompt(const Encoding& prompt, int64_t line, int64_t limit) {
  fail(
      "line {} of the input has {}{}, but with its continuation it may have at most {} with </s> "
      "(--max-length, --extra-length and the model's positions): shorten it or raise the limit",
      line + 1, prompt.truncated ? "at least " : "",
      detail::counted(int64_t(prompt.ids.size()), "token"), limit);
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

SearchOptions EncodedPart::search(SearchOptions of_line, int64_t max_hypotheses) const {
  if (max_length > 0) of_line.max_length = max_length;
  if (min_beam > of_line.hypothesis_count()) of_line.beam = std::min(min_beam, max_hypotheses);
  return of_line;
}

LineProcessor::LineProcessor(const TokenizerPair& tokenizers, const ModelConfig& config,
                             const Confidences& confidence)
    : tokenizers_(tokenizers),
      prefixes_(tokenizers.target()),
      terms_(tokenizers.target()),
      languages_(tokenizers.source().vocabulary()),
      whole_characters_(whole_characters(tokenizers.target().byte_pieces())),
      reads_source_(config.has_encoder()),
      max_positions_(config.max_positions),
      part_limit_(std::max<int64_t>(1, config.max_positions / 2 - 1)),
      confidence_(confidence) {
  if (config.parses()) trees_.emplace(tokenizers, config.max_positions);
}

EncodedLine LineProcessor::preprocess(const TranslationInput& input, int64_t line,
                                      const DecodeOptions& options) const {
  EncodedLine encoded = parses()        ? preprocess_sentence(input, line, options)
                        : reads_source_ ? preprocess_source(input, line, options)
                                        : preprocess_prompt(input, line, options);
  encoded.attention = options.attention && !parses();
  return encoded;
}

EncodedLine LineProcessor::preprocess_source(const TranslationInput& input, int64_t line,
                                             const DecodeOptions& options) const {
  EncodedLine encoded;
  encoded.line = line;
  encoded.sampled = options.search.sample;
  LineStatus& status = encoded.status;
  const std::string text = valid_utf8(input.text, {line, "input", options.strict}, status);
  encoded.characters = count_characters(text);
  encoded.min_confidence = options.min_confidence;
  encoded.reverse = options.reverse;
  if (encoded.reverse) encoded.text = text;
  const std::string prefix = valid_utf8(input.prefix, {line, "prefixes", options.strict}, status);
  SplitDocument split{{{{}, text}}, {}};
  if (options.split == TextUnit::sentences) split = split_document(text, TextUnit::sentences);
  if (options.terms) {
    if (tokenizers_.target().keeps_white_space())
      fail("terms are for models with SentencePiece vocabularies; this one has a byte-level BPE");
    encoded.terms = terms_of_line(*options.terms, text, terms_);
  }
  std::string_view code;  // of the language
  const TextUnits units(options.attention ? std::string_view(text) : std::string_view());
  std::vector<ByteRange> tokens;
  for (const TextSentence& sentence : split.sentences) {
    const std::string_view own = languages_.of(sentence.text, line, "input");
    if (!own.empty()) code = own;
    const std::string_view words = sentence.text.substr(own.size());
    std::vector<TextPart> parts;
    if (!is_blank(words)) parts = encode_parts(code, words, status);
    EncodedSentence& kept = encoded.sentences.emplace_back();
    kept.before = sentence.before;
    // A copy cannot begin with a forced prefix.
    if (note_unknown_characters(words, parts, status) && prefix.empty()) {
      kept.copied = words;
      std::ranges::replace(kept.copied, '\n', ' ');  // it stays one line
      const auto begin = size_t(words.data() - text.data());
      mark_copied(encoded.terms, begin, begin + words.size());
      parts.clear();
    }
    kept.parts = parts.size();
    for (TextPart& part : parts) {
      EncodedPart& last = encoded.parts.emplace_back();
      last.source = std::move(part.ids);
      last.source.push_back(tokenizers_.source().end_id());
      if (whole_characters_) last.constraints.push_back(whole_characters_);
      const auto begin = size_t(part.text.data() - text.data());
      demand(begin, begin + part.text.size(), encoded);
      add_bytes(part.ends, begin, tokens);
      tokens.push_back({tokens.back().end, tokens.back().end});  // of </s>
      if (!options.attention) continue;
      last.words = units.of_tokens(part.ends, begin);
      std::fill_n(last.words.begin(), token_count(tokenizers_.source(), code), UnitRange{});
      last.words.emplace_back();  // of </s>
    }
  }
  encoded.after = split.after;
  status.empty = encoded.parts.empty() && status.unknown_characters.empty();
  const ProtectedKinds kinds = options.protected_kinds
                                   ? *options.protected_kinds
                                   : ProtectedKinds::with_files(options.protect);
  if (!kinds.empty() && prefix.empty())
    encoded.protection = protected_line(text, kinds, symbols_of(status.unknown_characters), tokens);
  if (!prefix.empty()) force_prefix(prefix, options, encoded);
  return encoded;
}

void LineProcessor::demand(size_t begin, size_t end, EncodedLine& line) const {
  std::shared_ptr<const Constraint> demanded = demand_terms(line.terms, begin, end, terms_);
  if (!demanded) return;
  line.parts.back().constraints.push_back(std::move(demanded));
  line.parts.back().min_beam = kLeastTermBeam;
}

void LineProcessor::force_prefix(const std::string& prefix, const DecodeOptions& options,
                                 EncodedLine& encoded) const {
  LineStatus& status = encoded.status;
  const int64_t source =
      encoded.parts.empty() ? max_positions_ : int64_t(encoded.parts.front().source.size());
  const int64_t limit = max_target_length(options.search, source, max_positions_);
  Encoding tokens = tokenizers_.target().encode_prefix(prefix, limit);
  status.prefix_too_long = tokens.truncated || int64_t(tokens.ids.size()) >= limit;
  if (status.prefix_too_long) {
    if (options.strict) fail_too_long(tokens, encoded.line, limit);
    status.split = status.truncated = false;
    encoded.parts.clear();
    encoded.sentences.clear();
    if (tokens.truncated) tokens.ids = tokenizers_.target().encode(prefix);
  }
  if (encoded.parts.empty()) {
    encoded.prefix_tokens = std::move(tokens.ids);
    return;
  }
  force(prefixes_.encode(prefix), encoded.parts.front());
}

void LineProcessor::force(ForcedPrefix prefix, EncodedPart& part) {
  part.prefix = std::move(prefix.ids);
  if (prefix.text) part.constraints.push_back(std::move(prefix.text));
}

EncodedLine LineProcessor::preprocess_prompt(const TranslationInput& input, int64_t line,
                                             const DecodeOptions& options) const {
  EncodedLine encoded;
  encoded.line = line;
  encoded.sampled = options.search.sample;
  LineStatus& status = encoded.status;
  encoded.prompt = valid_utf8(input.text, {line, "input", options.strict}, status);
  const Tokenizer& tokenizer = tokenizers_.target();
  Encoding prompt = tokenizer.encode_prefix(encoded.prompt, max_positions_);
  const auto tokens = int64_t(prompt.ids.size());
  encoded.max_length = max_target_length(options.search, tokens, max_positions_);
  status.unknown_characters = tokenizer.unknown_in(encoded.prompt, prompt.ids).characters;
  status.prefix_too_long = prompt.truncated || tokens >= encoded.max_length;
  EncodedSentence& all = encoded.sentences.emplace_back();
  if (status.prefix_too_long) {
    if (options.strict) fail_long_prompt(prompt, line, encoded.max_length);
    encoded.prefix_tokens = tokenizer.encode(encoded.prompt);
    return encoded;
  }
  encoded.decoded_prompt = tokenizer.decode(prompt.ids);
  all.parts = 1;
  EncodedPart& part = encoded.parts.emplace_back();
  part.max_length = encoded.max_length;
  if (whole_characters_) part.constraints.push_back(whole_characters_);
  ForcedPrefix forced = prefixes_.encode_prompt(encoded.prompt);
  encoded.prompt_ends_in_space = forced.text != nullptr;
  force(std::move(forced), part);
  return encoded;
}

EncodedLine LineProcessor::preprocess_sentence(const TranslationInput& input, int64_t line,
                                               const DecodeOptions& options) const {
  EncodedLine encoded;
  encoded.line = line;
  encoded.sampled = options.search.sample;
  LineStatus& status = encoded.status;
  SentenceParts sentence =
      trees_->split(valid_utf8(input.text, {line, "input", options.strict}, status));
  status.empty = sentence.parts.empty();
  status.split = sentence.parts.size() > 1;
  status.truncated = sentence.truncated;
  status.unknown_characters = std::move(sentence.unknown_characters);
  for (SentencePart& part : sentence.parts) {
    EncodedPart& last = encoded.parts.emplace_back();
    last.constraints.push_back(trees_->constraint(part));
    last.source = std::move(part.source);
    last.words = std::move(part.word_of_token);
    last.max_length = part.max_length;
    std::ranges::move(part.words, std::back_inserter(encoded.tree_words));
  }
  return encoded;
}

// Token ids without </s>, each part with the language code; no parts for a text without tokens.
std::vector<TextPart> LineProcessor::encode_parts(std::string_view code, std::string_view text,
                                                  LineStatus& status) const {
  const Tokenizer& tokenizer = tokenizers_.source();
  // The ends count from the end of the code.
  const auto without_code = [&](Encoding encoding) {
    for (size_t& end : encoding.ends) end -= std::min(end, code.size());
    return encoding;
  };
  const auto with_code = [&](std::string_view part) { return std::string(code).append(part); };
  std::vector<TextPart> parts;
  Encoding encoding = without_code(tokenizer.encode_prefix(with_code(text), part_limit_));
  if (!encoding.truncated && int64_t(encoding.ids.size()) <= part_limit_) {
    parts.push_back({text, std::move(encoding.ids), std::move(encoding.ends)});
  } else {
    status.split = true;
    parts = split_text(text, part_limit_, [&](std::string_view part) {
      return without_code(tokenizer.encode_with_ends(with_code(part)));
    });
  }
  // A single character may still have more tokens than the model has positions.
  for (TextPart& part : parts)
    if (int64_t(part.ids.size()) >= max_positions_) {
      part.ids.resize(size_t(max_positions_) - 1);
      part.ends.resize(part.ids.size());
      status.truncated = true;
    }
  std::erase_if(
      parts, [&](const TextPart& part) { return part.ids.size() <= token_count(tokenizer, code); });
  return parts;
}

bool LineProcessor::note_unknown_characters(std::string_view sentence,
                                            const std::vector<TextPart>& parts,
                                            LineStatus& status) const {
  std::vector<TokenId> ids;
  for (const TextPart& part : parts) ids.insert(ids.end(), part.ids.begin(), part.ids.end());
  UnknownText unknown = tokenizers_.source().unknown_in(sentence, ids);
  // Normalization leaves nothing of damaged text (U+FFFD) and control characters.
  if (parts.empty() && unknown.characters.empty()) {
    unknown.characters = graphemes_of(sentence);
    unknown.alone = !unknown.characters.empty();
  }
  for (std::string& character : unknown.characters)
    if (std::ranges::find(status.unknown_characters, character) == status.unknown_characters.end())
      status.unknown_characters.push_back(std::move(character));
  return unknown.alone;
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
      [&](const Decoding& decoded, size_t begin) { add_bytes(decoded.ends, begin, tokens); });
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
  translation.signals = confidence_signals(line, parts, translation.hypotheses.front());
  const auto& confidence = line.reverse ? confidence_.with_reverse : confidence_.alone;
  if (!confidence) return;
  translation.confidence = confidence->probability(*translation.signals);
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
  only.pieces = target.pieces(line.prefix_tokens);
  if (aligner && line.attention) {
    only.attention.resize(line.prefix_tokens.size());
    only.words.resize(line.prefix_tokens.size());
  }
  note_terms(line, translation);
  // Text that the model did not translate is for a person too.
  translation.status.doubtful = line.min_confidence && !line.status.empty;
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
