#include "heed/decode/line_processor.h"

#include <algorithm>
#include <iterator>

#include "heed/core/counted.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/decode/search_constraints.h"

namespace heed {
namespace {

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
  std::string text = valid_utf8(input.text, {line, "input", options.strict}, status);
  const ProtectedKinds kinds = options.protected_kinds
                                   ? *options.protected_kinds
                                   : ProtectedKinds::with_files(options.protect);
  if (kinds.has(ProtectedKind::accelerators) && input.prefix.empty())
    encoded.accelerator = take_accelerator(text);
  const std::string_view bare = detail::trimmed(text);
  encoded.characters = count_characters(bare);
  encoded.min_confidence = options.min_confidence;
  encoded.reverse = options.reverse;
  if (encoded.reverse) encoded.text = bare;
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
      add_token_bytes(part.ends, begin, tokens);
      tokens.push_back({tokens.back().end, tokens.back().end});  // of </s>
      if (!options.attention) continue;
      last.words = units.of_tokens(part.ends, begin);
      std::fill_n(last.words.begin(), token_count(tokenizers_.source(), code), UnitRange{});
      last.words.emplace_back();  // of </s>
    }
  }
  encoded.after = split.after;
  status.empty = encoded.parts.empty() && status.unknown_characters.empty();
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

}  // namespace heed
