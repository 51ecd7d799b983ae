#include "heed/train/workspace.h"

#include <algorithm>
#include <chrono>

#include "heed/core/files.h"
#include "heed/model/directory.h"
#include "heed/text/held_out.h"
#include "heed/text/tokenizer_training.h"
#include "heed/text/word_filter.h"
#include "heed/train/earlier_run.h"
#include "heed/train/memory_plan.h"
#include "heed/train/resolved_options.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// UsageError where the folder holds what the options do not say to resume or to overwrite.
void expect_free(const TrainOptions& options, const RunFiles& files) {
  if (options.overwrite) return;
  const std::string folder = files.directory.string();
  if (files.has_training_state()) {
    if (!options.resume)
      fail_usage(
          "{} holds a model already: give --resume to continue its training, --overwrite to "
          "replace it, or another --model",
          folder);
    return;
  }
  if (!holds_model(files.directory)) return;
  if (options.resume)
    fail_usage(
        "{0} holds a model without a training state ({1}), so there is no run to resume: to "
        "fine-tune this model, give --initialize {0} and another --model",
        folder, files.training_state().string());
  fail_usage(
      "{0} holds a model already: give another --model (with --initialize {0} to fine-tune this "
      "model), or --overwrite to replace it",
      folder);
}

TokenizerPair learn_tokenizers(const TrainOptions& options, const ParallelText& text,
                               const FilterOptions& filters, TrainObserver& observer) {
  TokenizerOptions learn = options.tokenizer;
  learn.seed = uint64_t(options.seed);
  const std::vector<bool> kept = kept_by_words(filters, text);
  const int64_t pairs = kept.empty() ? text.pairs() : std::count(kept.begin(), kept.end(), true);
  const auto learned = [&](std::string_view which, const TextFiles& files, int64_t lines) {
    const int64_t sampled = std::min(lines, learn.sample_lines);
    observer.message(fmt::format("learning a {}vocabulary of {} ids from {}{} lines", which,
                                 learn.vocabulary, sampled < lines ? "a sample of " : "", sampled));
    const auto start = std::chrono::steady_clock::now();
    std::string model = train_tokenizer(learn, files, kept);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    observer.message(fmt::format("learned the {}vocabulary in {:.1f} s", which, taken.count()));
    return model;
  };
  if (options.vocabularies == Vocabularies::separate) {
    std::string source = learned("source ", text.source(), pairs);
    return TokenizerPair::separate(std::move(source), learned("target ", text.target(), pairs));
  }
  TextFiles both = text.source();
  both.insert(both.end(), text.target().begin(), text.target().end());
  return TokenizerPair::joint(learned("", both, 2 * pairs));
}

// A configuration file may hold options that --initialize or --tokenizer-model makes ineffective.
void warn_of_overruled(const TrainOptions& options, TrainObserver& observer) {
  const std::vector<std::string> flags = overruled(options);
  if (flags.empty()) return;
  observer.warning(fmt::format("{} ignored: {} already sets {}", fmt::join(flags, ", "),
                               options.initialize.empty() ? "--tokenizer-model" : "--initialize",
                               flags.size() == 1 ? "it" : "them"));
}

// The vocabulary that exists before the text is read; none where one is to be learnt from it.
std::optional<TokenizerPair> given_tokenizers(const TrainOptions& options) {
  if (!options.initialize.empty()) {
    read_config(options.initialize);  // names a folder without a model, or where its model is
    return TokenizerPair::load(options.initialize);
  }
  if (options.tokenizer_model.empty()) return {};
  return TokenizerPair::joint(read_file(options.tokenizer_model), options.tokenizer_model);
}

// The vocabulary of a new run, learnt where none is given, and saved.
TokenizerPair new_tokenizers(const TrainOptions& options, const RunFiles& files,
                             std::optional<TokenizerPair> given, const ParallelText& text,
                             const FilterOptions& filters, TrainObserver& observer) {
  TokenizerPair tokenizers =
      given ? *std::move(given) : learn_tokenizers(options, text, filters, observer);
  tokenizers.save(files.directory,
                  {options.source_language, options.target_language, options.filters.max_tokens});
  return tokenizers;
}

// Those of a run to resume; none where nothing was saved yet. Another run is refused before any of
// its files is written: the pairs held out, the encoded text.
std::optional<TokenizerPair> resumed_tokenizers(const TrainOptions& options, const RunFiles& files,
                                                const ParallelText& text,
                                                const std::optional<ParallelText>& valid_text,
                                                const Backend& backend) {
  if (!options.resume || !files.has_training_state()) return {};
  TokenizerPair tokenizers = TokenizerPair::load(files.directory);
  TrainingStateKey key{options, backend.name(), mix(text.fingerprint(), tokenizers.fingerprint())};
  if (valid_text) key.validation_fingerprint = valid_text->fingerprint();
  key.compute = backend.compute();
  expect_same_run(files.training_state(), key);
  return tokenizers;
}

Corpus open_corpus(const ParallelText& text, const TokenizerPair& tokenizers,
                   const FilterOptions& filters, const fs::path& cache, Workers& workers,
                   TrainObserver& observer) {
  Corpus corpus = Corpus::open(text, tokenizers, filters, cache, workers);
  observer.message(fmt::format("{}: {}", cache.stem().string(), to_string(corpus.report())));
  return corpus;
}

ModelConfig config_for(const TrainOptions& options, const TokenizerPair& tokenizers) {
  if (options.initialize.empty())
    return model_config(options, tokenizers.size(), tokenizers.target_classes());
  const ModelConfig config = read_config(options.initialize);
  if (config.vocabulary != tokenizers.size())
    fail("{}: the vocabulary has {} tokens, the model {}", options.initialize, tokenizers.size(),
         config.vocabulary);
  return tuned_config(options, config);
}

// What filters the training text: pairs held out are drawn and written where validation looks.
FilterOptions text_filters(const TrainOptions& options, const ParallelText& text,
                           const std::optional<TokenizerPair>& vocabulary) {
  FilterOptions filters = options.filters;
  filters.fold_case = vocabulary ? vocabulary->folds_case() : options.tokenizer.lowercase;
  if (options.hold_out == 0) return filters;
  const HeldOut held = hold_out(text, filters, options.hold_out, uint64_t(options.seed));
  const RunFiles files{options.model};
  write_file_atomically(files.held_out_source(), held.source);
  write_file_atomically(files.held_out_target(), held.target);
  filters.held_out = held.sources;
  return filters;
}

// Says what the training will take, and refuses what this machine cannot give.
void plan(const TrainOptions& options, const ModelConfig& config, const Backend& backend,
          const Corpus& corpus, TrainObserver& observer) {
  const auto plan_for = [&](const BatchOptions& batches) {
    TrainOptions sized = options;
    sized.batches = batches;
    return plan_memory(sized, config, backend, corpus);
  };
  const MemoryPlan plan = plan_for(options.batches);
  observer.message("memory: " + to_string(plan));
  const auto limit = available_memory();
  if (options.memory_check && limit) require_fit(plan, *limit, options.batches, corpus, plan_for);
}

// With what the text decides.
TrainOptions resolved(const TrainOptions& options, const Corpus& corpus) {
  return resolved(options, [&] {
    const int64_t batches = batches_of_epoch(options, corpus, 0).size();
    return (batches + options.accumulate - 1) / options.accumulate;
  });
}

void warn_of_faults(const ParallelText& text, TrainObserver& observer) {
  const TextFaults& faults = text.faults();
  if (faults.count() == 0) return;
  observer.warning(fmt::format(
      "{} of {} pairs are dropped as not UTF-8 or without their columns (first: {}{}{}); --strict "
      "stops instead",
      faults.count(), text.pairs(), faults.first, faults.conversion.empty() ? "" : "; ",
      faults.conversion));
}

}  // namespace

Workspace open_workspace(const TrainOptions& options, const TrainingText& opened,
                         const Backend& backend, Workers& workers, TrainObserver& observer) {
  const ParallelText& text = opened.text;
  std::optional<ParallelText> valid_text = opened.validation;
  warn_of_faults(text, observer);
  if (valid_text) warn_of_faults(*valid_text, observer);
  const RunFiles files{options.model};
  warn_of_overruled(options, observer);
  FolderClaim claim(files.directory);
  auto earlier = std::make_unique<EarlierRun>(files.directory);
  expect_free(options, files);
  claim.make(files.training());
  const bool resumes = options.resume && files.has_training_state();
  if (!resumes) earlier->put_aside(options);
  const std::optional<TokenizerPair> resumed =
      resumed_tokenizers(options, files, text, valid_text, backend);
  std::optional<TokenizerPair> given = resumed ? resumed : given_tokenizers(options);
  FilterOptions filters = text_filters(options, text, given);
  if (options.hold_out > 0) valid_text = held_out_text(options);
  const TokenizerPair tokenizers =
      resumed ? *resumed
              : new_tokenizers(options, files, std::move(given), text, filters, observer);
  const ModelConfig config = config_for(options, tokenizers);
  filters.max_tokens = std::min(filters.max_tokens, config.max_positions);
  std::optional<Corpus> corpus =
      open_corpus(text, tokenizers, filters, files.training_text(), workers, observer);
  std::optional<Corpus> validation;
  if (valid_text)  // every pair counts, but for those that the model cannot take
    validation = open_corpus(*valid_text, tokenizers,
                             {std::min(config.max_positions, FilterOptions::kMostTokens)},
                             files.validation_text(), workers, observer);
  plan(options, config, backend, *corpus, observer);
  Workspace space{resolved(options, *corpus),
                  files,
                  tokenizers,
                  std::move(corpus),
                  std::move(validation),
                  config,
                  mix(text.fingerprint(), tokenizers.fingerprint()),
                  {},
                  std::move(claim),
                  std::move(earlier)};
  if (valid_text) space.validation_fingerprint = valid_text->fingerprint();
  return space;
}

Transformer initial_model(const TrainOptions& options, const ModelConfig& config,
                          const std::shared_ptr<TensorMemory>& memory) {
  Transformer model(config);
  if (options.initialize.empty()) {
    model.initialize(uint64_t(options.seed), *with_defaults(options).initial_weights);
  } else {
    const StoredModel stored(options.initialize);
    for (const Parameter& parameter : parameters(model)) stored.read(parameter);
  }
  model.move_to(memory);
  return model;
}

}  // namespace heed
