// Before and after the search: lines of text to token ids, hypotheses to translations.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/decode/forced_prefix.h"
#include "heed/decode/line_terms.h"
#include "heed/decode/options.h"
#include "heed/decode/protection.h"
#include "heed/decode/search.h"
#include "heed/decode/split.h"
#include "heed/decode/translation.h"
#include "heed/decode/tree_lines.h"
#include "heed/model/config.h"
#include "heed/text/accelerator.h"
#include "heed/text/language_codes.h"
#include "heed/text/tokenizer.h"

namespace heed {

// A part of a sentence that is short enough for the model.
struct EncodedPart {
  std::vector<TokenId> source;  // ends with </s>; empty for a language model
  // The fields of SearchRequest; only the first part may have a prefix.
  std::vector<TokenId> prefix;
  Constraints constraints;
  // With DecodeOptions::attention, for each source token: the words of the line that it covers. A
  // language code and </s> have none.
  std::vector<UnitRange> words;
  // The search has at least this beam size.
  int64_t min_beam = 1;
  // Maximum length of the part's hypotheses; 0: by the options of the search.
  int64_t max_length = 0;

  // The options of the line, as the search of this part has them: with at most this number of
  // hypotheses, if the line has no more.
  SearchOptions search(SearchOptions of_line, int64_t max_hypotheses) const;
};

// The unit that is translated at a time (DecodeOptions::split): a sentence of a line, or a line.
struct EncodedSentence {
  std::string before;       // white space that its translation keeps
  size_t parts = 0;         // of EncodedLine::parts; none for a sentence without tokens
  std::string copied = {};  // its translation, if the model knows none of its letters: a copy
};

struct EncodedLine {
  int64_t line = 0;  // from 0
  LineStatus status;
  // The parts of all sentences; empty for a line without tokens, and one that is copied.
  std::vector<EncodedPart> parts;
  std::vector<EncodedSentence> sentences;
  std::string after;  // white space after the last sentence
  // For a line without parts, the forced prefix, which is its translation.
  std::vector<TokenId> prefix_tokens;
  bool sampled = false;                  // SearchOptions::sample
  int64_t characters = 0;                // of a line to translate, without white space at its ends
  std::optional<double> min_confidence;  // DecodeOptions::min_confidence
  std::shared_ptr<const Scorer> reverse = {};  // DecodeOptions::reverse
  std::string text = {};                       // of the line, if there is a reverse model
  // Only for a language model: the prompt as it was given, the text of its tokens, whether it ends
  // in white space, and the maximum number of tokens of prompt and continuation.
  std::string prompt, decoded_prompt;
  bool prompt_ends_in_space = false;
  int64_t max_length = 0;
  std::vector<std::string> tree_words;  // only for a parser: the words of the tree
  bool attention = false;               // DecodeOptions::attention
  // The parts that its translation must have; none if it has a forced prefix.
  ProtectedLine protection = {};
  std::vector<LineTerm> terms = {};  // in order
  // With the kind of this name in DecodeOptions::protect: it was taken from the line.
  std::optional<Accelerator> accelerator = {};

  // Whether the end of a translation decides where parts of it belong.
  bool has_moving_parts() const { return !protection.spans.empty() || accelerator.has_value(); }
};

// The number of hypotheses of a line with these results of its parts: the maximum over the parts,
// or none if a part has none.
size_t line_hypothesis_count(const std::vector<SearchResult>& parts);
// The part of hypothesis `rank` of a line. A part with fewer hypotheses gives its last one again.
const Hypothesis& hypothesis_at(const SearchResult& part, size_t rank);

// Splits and tokenizes the lines of a model with a decoder, and joins the results of their parts.
// Const: any number of threads may use one.
class LineProcessor {
 public:
  // The tokenizers must outlive this; `config` and `confidence` are the model's.
  LineProcessor(const TokenizerPair& tokenizers, const ModelConfig& config,
                const Confidences& confidence = {});

  // `line` counts from 0. With DecodeOptions::strict, Error if the text or the prefix is not UTF-8.
  //
  // For a translator: a language code holds for all that follows it in the line. Error if the model
  // does not know it. With `strict`, also if the prefix has the maximum length of the translation
  // or more; without, such a prefix becomes the translation.
  //
  // For a language model the text is a prompt, which it continues: the result is the prompt, byte
  // for byte, and what follows. With `strict`, Error if that leaves no room for a continuation;
  // without, such a prompt is the result.
  //
  // For a parser the text is a sentence: the result is a tree over its words. Of the options only
  // `search.sample` and `strict` count.
  EncodedLine preprocess(const TranslationInput& input, int64_t line,
                         const DecodeOptions& options) const;
  // Whether the targets are trees.
  bool parses() const { return trees_.has_value(); }

  // Detokenizes and joins the result of each part, in order, and restores the protected parts of
  // the line (decode/protection.h), by the attention if there is an aligner. Of hypotheses with one
  // text only the best remains, unless they are samples. Without an aligner, and without
  // DecodeOptions::attention, the translation has no attention.
  Translation postprocess(const EncodedLine& line, const std::vector<SearchResult>& parts,
                          Aligner* aligner = nullptr) const;
  // The stable prefix of the translation of a line of which only the first parts have results yet,
  // the last of them perhaps that of Search::partial(): the text and the pieces are beginnings of
  // those that postprocess() gives to the hypothesis of the same number. Hypotheses are in the
  // order of their numbers, without attention; none if there are no parts. Not for a parser, nor
  // for a line with protected parts, which may move until its translation is finished.
  Translation postprocess_first(const EncodedLine& line,
                                const std::vector<SearchResult>& parts) const;

  const Tokenizer& target() const { return tokenizers_.target(); }
  const LanguageCodes& languages() const { return languages_; }

 private:
  EncodedLine preprocess_source(const TranslationInput& input, int64_t line,
                                const DecodeOptions& options) const;
  EncodedLine preprocess_prompt(const TranslationInput& input, int64_t line,
                                const DecodeOptions& options) const;
  EncodedLine preprocess_sentence(const TranslationInput& input, int64_t line,
                                  const DecodeOptions& options) const;
  std::vector<TextPart> encode_parts(std::string_view code, std::string_view text,
                                     LineStatus& status) const;
  // Adds the unknown characters of a sentence to the status. Returns whether it has only unknown
  // characters.
  bool note_unknown_characters(std::string_view sentence, const std::vector<TextPart>& parts,
                               LineStatus& status) const;
  // Makes the last part of the line, of these bytes of it, have the terms there.
  void demand(size_t begin, size_t end, EncodedLine& line) const;
  // Puts protected parts that a hypothesis lacks into place. Returns whether there were any.
  bool restore(const EncodedLine& line, const std::vector<SearchResult>& parts, size_t rank,
               Aligner* aligner, TextHypothesis& hypothesis) const;
  // Makes the part begin with the prefix.
  static void force(ForcedPrefix prefix, EncodedPart& part);
  // The text of the hypothesis of this rank of all parts.
  std::string text_of(const EncodedLine& line, const std::vector<SearchResult>& parts,
                      size_t rank) const;
  // Adds signals and confidence to the translation.
  void judge(const EncodedLine& line, const std::vector<SearchResult>& parts,
             Translation& translation) const;
  // The translation of the line from the results of all its parts, of which there is at least one.
  Translation joined(const EncodedLine& line, const std::vector<SearchResult>& parts,
                     Aligner* aligner) const;
  // Makes the translation of the first part begin with the prefix, or be the prefix.
  void force_prefix(const std::string& prefix, const DecodeOptions& options,
                    EncodedLine& encoded) const;

  const TokenizerPair& tokenizers_;
  const PrefixEncoder prefixes_;
  const TermSpeller terms_;
  const LanguageCodes languages_;
  const std::shared_ptr<const Constraint> whole_characters_;  // null if none are spelled in bytes
  const bool reads_source_;                                   // else it is a language model
  const int64_t max_positions_;
  const int64_t part_limit_;  // source tokens of a part: half the positions, to leave room for the
                              // translation
  std::optional<TreeLines> trees_;  // of a parser
  const Confidences confidence_;
};

}  // namespace heed
