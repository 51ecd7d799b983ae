#include "heed/train/workspace.h"

#include <algorithm>

#include "heed/core/files.h"
#include "heed/model/directory.h"
#include "heed/text/held_out.h"
#include "heed/text/word_filter.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// The folder of the run, ready to write to.
fs::path open_directory(const TrainOptions& options) {
  fs::path directory = options.model;
  std::error_code error;
  if (fs::exists(directory, error) && !fs::is_directory(directory, error))
    fail("{}: expected a folder for the model, found a file", directory.string());
  const bool holds_model = fs::exists(directory / "model.safetensors", error) ||
                           fs::exists(directory / "training" / "state.safetensors", error);
  if (holds_model && !options.resume && !options.overwrite)
    fail_usage(
        "{} holds a model already: give --resume to go on with it, --overwrite to replace "
        "it, or another --model",
        directory.string());
  if (options.overwrite) {
    fs::remove_all(directory / "training", error);
    for (const char* name :
         {"model.safetensors", "config.json", "generation_config.json", "source.spm", "target.spm",
          "vocab.json", "target_vocab.json", "tokenizer_config.json", "metrics.jsonl",
          "held_out.source", "held_out.target"})
      fs::remove(directory / name, error);
  }
  fs::create_directories(directory / "training", error);
  if (error) fail("{}: cannot make the folder: {}", directory.string(), error.message());
  return directory;
}

TokenizerPair make_tokenizers(const TrainOptions& options, const ParallelText& text,
                              const FilterOptions& filters, TrainObserver& observer) {
  if (!options.initialize.empty()) return TokenizerPair::load(options.initialize);
  if (!options.tokenizer_model.empty())
    return TokenizerPair::joint(read_file(options.tokenizer_model), options.tokenizer_model);
  observer.message("learning the vocabulary");
  TokenizerOptions learn = options.tokenizer;
  learn.seed = uint64_t(options.seed);
  const std::vector<bool> kept = kept_by_words(filters, text);
  if (options.vocabularies == Vocabularies::separate)
    return TokenizerPair::separate(train_tokenizer(learn, text.source(), kept),
                                   train_tokenizer(learn, text.target(), kept));
  ParallelText::Paths both = text.source();
  both.insert(both.end(), text.target().begin(), text.target().end());
  return TokenizerPair::joint(train_tokenizer(learn, both, kept));
}

// A run that goes on has its vocabulary; any other makes one and saves it.
TokenizerPair open_tokenizers(const TrainOptions& options, const fs::path& directory,
                              const ParallelText& text, const FilterOptions& filters,
                              TrainObserver& observer) {
  if (options.resume && fs::exists(directory / "training" / "state.safetensors"))
    return TokenizerPair::load(directory);
  TokenizerPair tokenizers = make_tokenizers(options, text, filters, observer);
  tokenizers.save(directory,
                  {options.source_language, options.target_language, options.filters.max_tokens});
  return tokenizers;
}

Corpus open_corpus(const ParallelText& text, const TokenizerPair& tokenizers,
                   const FilterOptions& filters, const fs::path& cache, Workers& workers,
                   TrainObserver& observer) {
  Corpus corpus = Corpus::open(text, tokenizers, filters, cache, workers);
  observer.message(fmt::format("{}: {}", cache.stem().string(), to_string(corpus.report())));
  return corpus;
}

Transformer make_model(const TrainOptions& options, const TokenizerPair& tokenizers) {
  if (!options.initialize.empty()) {
    Transformer model = load_model(options.initialize);
    if (model.config().vocabulary != tokenizers.size())
      fail("{}: the vocabulary has {} tokens, the model {}", options.initialize, tokenizers.size(),
           model.config().vocabulary);
    return model;
  }
  Transformer model(model_config(options, tokenizers.size(), tokenizers.target_classes()));
  model.initialize(uint64_t(options.seed));
  return model;
}

// What filters the training text: pairs held out are drawn and written where validation looks.
FilterOptions text_filters(const TrainOptions& options, const ParallelText& text) {
  FilterOptions filters = options.filters;
  filters.fold_case = options.tokenizer.lowercase;
  if (options.hold_out == 0) return filters;
  const HeldOut held = hold_out(text, filters, options.hold_out, uint64_t(options.seed));
  const ValidationFiles files = validation_files(options);
  write_file_atomically(files.source, held.source);
  write_file_atomically(files.target, held.target);
  filters.held_out = held.sources;
  return filters;
}

ParallelText::Paths paths(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace

fs::path Workspace::snapshot_file(int64_t step) const {
  return directory / "training" / fmt::format("step-{}.safetensors", step);
}

void Workspace::remove_snapshots_but(const std::vector<Snapshot>& kept) const {
  for (const auto& entry : fs::directory_iterator(directory / "training")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("step-")) continue;
    const bool wanted = std::any_of(kept.begin(), kept.end(), [&](const Snapshot& s) {
      return snapshot_file(s.step) == entry.path();
    });
    std::error_code ignored;  // a file that stays costs space, nothing else
    if (!wanted) fs::remove(entry.path(), ignored);
  }
}

Workspace open_workspace(const TrainOptions& options, Workers& workers, TrainObserver& observer) {
  const ParallelText text(paths(options.source), paths(options.target));
  std::optional<ParallelText> valid_text;
  if (!options.valid_source.empty())
    valid_text.emplace(paths({options.valid_source}), paths({options.valid_target}));
  const fs::path directory = open_directory(options);
  FilterOptions filters = text_filters(options, text);
  if (const ValidationFiles held = validation_files(options); options.hold_out > 0)
    valid_text.emplace(paths({held.source}), paths({held.target}));
  TokenizerPair tokenizers = open_tokenizers(options, directory, text, filters, observer);
  Transformer model = make_model(options, tokenizers);
  filters.max_tokens = std::min(filters.max_tokens, model.config().max_positions);
  const fs::path caches = directory / "training";
  Workspace space{
      directory,
      tokenizers,
      open_corpus(text, tokenizers, filters, caches / "train.corpus", workers, observer),
      {},
      std::move(model),
      mix(text.fingerprint(), tokenizers.fingerprint())};
  if (valid_text)  // every pair counts, but for those that the model cannot take
    space.validation =
        open_corpus(*valid_text, tokenizers,
                    {std::min(space.model.config().max_positions, FilterOptions::kMostTokens)},
                    caches / "valid.corpus", workers, observer);
  return space;
}

}  // namespace heed
