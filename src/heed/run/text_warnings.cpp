#include "heed/run/text_warnings.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/core/counted.h"
#include "heed/text/line_damage.h"

namespace heed {
namespace {

constexpr size_t kShownChanges = 5;
constexpr size_t kShownCharacters = 20;  // of an unknown text
constexpr double kMuchUnused = 0.01;     // share of the tokens of --tokenizer-model

std::string quoted(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts)
    list += fmt::format("{}'{}'", list.empty() ? "" : " ", detail::visible(text, kShownCharacters));
  return list;
}

std::string changes_of(const SideFacts& side, const char* name, int64_t pairs) {
  std::vector<CharacterChange> shown = side.changes;
  if (shown.size() > kShownChanges) shown.resize(kShownChanges);
  return fmt::format("normalization changes {} of {}: {}{}", side.changed_lines,
                     detail::counted(pairs, fmt::format("{} line", name)), to_string(shown),
                     side.changes.size() > kShownChanges ? ", ..." : "");
}

// The advice that fits the options of a vocabulary that lacks characters or words.
std::string advice_on_unknown(const TrainOptions& options) {
  if (!options.tokenizer_model.empty() || !options.finetune_from.empty())
    return "a vocabulary learned of this text would have it";
  if (options.tokenizer.kind == TokenizerKind::word)
    return "--tokenizer bpe or unigram spells rare words, or raise --vocabulary-size";
  if (options.tokenizer.character_coverage < 1)
    return "--character-coverage 1 gives every character a token, --byte-fallback spells it";
  return "--byte-fallback spells it";
}

std::string unknown_of(const SideFacts& side, const char* name, int64_t pairs,
                       const TrainOptions& options, const std::string& effect) {
  std::string examples;
  for (const UnknownExample& example : side.unknown)
    examples += fmt::format("{}line {}: {}", examples.empty() ? "" : ", ", example.line + 1,
                            quoted(example.texts));
  return fmt::format("{} of {} have text that the vocabulary lacks, {} ({}); {}",
                     side.unknown_lines, detail::counted(pairs, fmt::format("{} line", name)),
                     effect, examples, advice_on_unknown(options));
}

}  // namespace

std::vector<TextNote> text_notes(const CorpusFacts& facts, const TrainOptions& options,
                                 int64_t pairs) {
  std::vector<TextNote> notes;
  const char* target = options.translates() ? "target" : "text";
  const char* results = options.translates() ? "translations" : "generated texts";
  if (facts.source.changed_lines > 0)
    notes.push_back({changes_of(facts.source, "source", pairs), false});
  if (facts.target.changed_lines > 0) {
    std::string text = fmt::format("{}: {} will not have the characters of the training text",
                                   changes_of(facts.target, target, pairs), results);
    const bool learned = options.tokenizer_model.empty() && options.finetune_from.empty();
    if (learned && options.tokenizer.target_normalization != Normalization::identity)
      text += "; --target-normalization identity keeps them";
    notes.push_back({std::move(text), true});
  }
  if (facts.source.unknown_lines > 0)
    notes.push_back({unknown_of(facts.source, "source", pairs, options, "read as <unk>"), true});
  if (facts.target.unknown_lines > 0 && (options.classifies() || options.parses()))
    notes.push_back(
        {unknown_of(facts.target, "target", pairs, options, "labels that the model will not learn"),
         true});
  else if (facts.target.unknown_lines > 0)
    notes.push_back({unknown_of(facts.target, target, pairs, options,
                                fmt::format("which {} will have as \u2047", results)),
                     true});
  if (!options.tokenizer_model.empty() &&
      double(facts.unused_tokens) > kMuchUnused * double(facts.tokens))
    notes.push_back(
        {fmt::format("{} of {} of --tokenizer-model do not occur in the text, so that "
                     "{} may have them as noise: learn a vocabulary of this text, or "
                     "give one that was learned of text like it",
                     facts.unused_tokens, detail::counted(facts.tokens, "token"), results),
         true});
  return notes;
}

}  // namespace heed
