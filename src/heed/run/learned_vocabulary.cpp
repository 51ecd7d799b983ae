#include "heed/run/learned_vocabulary.h"

#include <algorithm>
#include <chrono>

#include "heed/core/counted.h"
#include "heed/data/text_filter.h"
#include "heed/run/corpora.h"
#include "heed/text/tokenizer_training.h"
#include "heed/text/words.h"

namespace heed {
namespace {

constexpr int64_t kMaxLabels = 65536;

// The numbers of ids that the text gave, which may be fewer than were asked for.
std::string sizes_of(const TokenizerPair& tokenizers) {
  if (tokenizers.is_joint()) return std::to_string(tokenizers.size());
  return fmt::format("{} and {}", tokenizers.source().vocabulary().text_pieces() + 3,
                     tokenizers.target().vocabulary().text_pieces() + 3);
}

// A vocabulary with many whole numbers knows those of the text, and spells others in parts of any
// length, which a model copies badly.
void advise_on_numbers(const TokenizerOptions& options, const TokenizerPair& learned,
                       TrainObserver& observer) {
  constexpr int64_t kPiecesPerNumber = 50;  // below one number in 50 pieces nothing is said
  const bool splits = options.kind == TokenizerKind::bpe || options.kind == TokenizerKind::unigram;
  if (options.split_digits || !splits) return;
  const Vocabulary& pieces = learned.source().vocabulary();
  int64_t numbers = 0;
  for (TokenId id = 0; id < pieces.output_size(); ++id) {
    std::string_view piece = pieces.piece(id);
    if (piece.starts_with(kSpaceSymbol)) piece.remove_prefix(kSpaceSymbol.size());
    numbers += piece.size() > 1 && piece.find_first_not_of("0123456789") == piece.npos;
  }
  if (numbers * kPiecesPerNumber < pieces.output_size()) return;
  observer.message(
      fmt::format("{} of {} pieces are numbers of several digits: with --split-digits numbers that "
                  "the text does not have are copied better",
                  numbers, pieces.output_size()));
}

// The vocabulary of labels, or of the symbols of trees: every word of the targets, as it is
// written.
std::string learn_labels(const TokenizerOptions& of_text, const TextFiles& targets,
                         const std::vector<bool>& kept) {
  TokenizerOptions labels;
  labels.kind = TokenizerKind::word;
  labels.vocabulary_size = kMaxLabels;
  labels.normalization = Normalization::identity;
  labels.seed = of_text.seed;
  return train_tokenizer(labels, targets, kept);
}

}  // namespace

TokenizerPair learn_tokenizers(const TrainOptions& options, const ParallelText& text,
                               const FilterOptions& filters, TrainObserver& observer) {
  TokenizerOptions learn = options.tokenizer;
  learn.seed = uint64_t(options.seed);
  learn.more_symbols = corpus_tags(options);
  const std::vector<bool> kept = lines_for_tokenizer(filters, text);
  const int64_t pairs = kept.empty() ? text.pairs() : std::count(kept.begin(), kept.end(), true);
  if (pairs == 0 && options.parses()) fail("{}: no tree has a word", text.source()[0].title());
  if (pairs == 0 && options.classifies())
    fail("{} and {}: no line has {}: separate words and labels by spaces", text.source()[0].title(),
         text.target()[0].title(),
         options.task == LearningTask::tag ? "as many labels as words" : "words and one label");
  const auto report_start = [&](std::string_view which, int64_t lines) {
    const int64_t sampled = std::min(lines, learn.lines());
    observer.message(fmt::format("learning a {}vocabulary of {} ids from {}{}", which, learn.size(),
                                 sampled < lines ? "a sample of " : "",
                                 detail::counted(sampled, "line")));
  };
  const auto start = std::chrono::steady_clock::now();
  const auto report_end = [&](const TokenizerPair& learned) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    observer.message(fmt::format("learned a vocabulary of {} ids in {:.1f} s", sizes_of(learned),
                                 taken.count()));
    if (options.translates()) advise_on_numbers(options.tokenizer, learned, observer);
    return learned;
  };
  const auto learn_target = [&] {
    learn.normalization = learn.target_normalization;
    learn.lowercase = learn.lowercase && learn.normalization != Normalization::identity;
    return train_tokenizer(learn, text.target(), kept);
  };
  if (options.classifies() || options.parses()) {
    report_start("", pairs);
    std::string source = train_tokenizer(learn, text.source(), kept);
    return report_end(
        TokenizerPair::separate(std::move(source), learn_labels(learn, text.target(), kept)));
  }
  if (!text.has_source()) {
    report_start("", pairs);
    return report_end(TokenizerPair::joint(learn_target()));
  }
  if (options.vocabularies == Vocabularies::joint) {
    report_start("", 2 * pairs);
    JointModels models = train_joint_tokenizer(learn, text.source(), text.target(), kept);
    return report_end(
        TokenizerPair::joint_sides(std::move(models.source), std::move(models.target)));
  }
  report_start("source ", pairs);
  std::string source = train_tokenizer(learn, text.source(), kept);
  report_start("target ", pairs);
  return report_end(TokenizerPair::separate(std::move(source), learn_target()));
}

}  // namespace heed
