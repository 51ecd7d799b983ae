#include "heed/run/prepared_run.h"

#include <algorithm>
#include <chrono>
#include <sstream>

#include "heed/core/counted.h"
#include "heed/core/files.h"
#include "heed/core/shell_words.h"
#include "heed/data/text_filter.h"
#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "heed/run/alignments.h"
#include "heed/run/corpora.h"
#include "heed/run/derived_data.h"
#include "heed/run/learned_vocabulary.h"
#include "heed/run/memory_plan.h"
#include "heed/run/text_warnings.h"
#include "heed/text/language_codes.h"
#include "heed/text/linear_tree.h"
#include "heed/text/tokenizer_training.h"
#include "heed/text/words.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// --resume without a training state starts a new run, so that a script can always use the same
// command. The warning helps where the directory's name is mistyped.
void warn_of_nothing_to_resume(const RunFiles& files, TrainObserver& observer) {
  fs::path directory = fs::absolute(files.directory).lexically_normal();
  if (!directory.has_filename()) directory = directory.parent_path();  // "zh-en/"
  std::vector<std::string> beside;  // directories of runs that can be resumed
  std::error_code error;
  for (fs::directory_iterator entry(directory.parent_path(), error), end; !error && entry != end;
       entry.increment(error))
    if (RunFiles{entry->path()}.has_training_state())
      beside.push_back(entry->path().filename().string());
  observer.warning(fmt::format("{} holds no training state to resume: starting a new run{}",
                               files.directory.string(),
                               suggestion(directory.filename().string(), beside)));
}

// A configuration file may hold options that --finetune-from or --tokenizer-model makes
// ineffective.
void warn_of_ignored(const TrainOptions& options, TrainObserver& observer) {
  const std::vector<std::string> flags = ignored_options(options);
  if (flags.empty()) return;
  observer.warning(
      fmt::format("{} ignored: {} already sets {}", fmt::join(flags, ", "),
                  options.finetune_from.empty() ? "--tokenizer-model" : "--finetune-from",
                  flags.size() == 1 ? "it" : "them"));
}

// The config of --finetune-from. Its errors say what the directory is not.
ModelConfig config_to_finetune(const TrainOptions& options) {
  switch (options.task) {
    case LearningTask::translation:
      return read_translator_config(options.finetune_from);
    case LearningTask::language_model:
      return read_language_model_config(options.finetune_from);
    case LearningTask::tag:
      return read_classifier_config(options.finetune_from, ClassesOf::words);
    case LearningTask::classify:
      return read_classifier_config(options.finetune_from, ClassesOf::texts);
    case LearningTask::parse:
      return read_parser_config(options.finetune_from);
  }
  return {};
}

// The vocabulary of --finetune-from or --tokenizer-model; std::nullopt if the run trains one.
std::optional<TokenizerPair> given_tokenizers(const TrainOptions& options) {
  std::optional<TokenizerPair> given;
  if (!options.finetune_from.empty()) {
    config_to_finetune(options);
    given = TokenizerPair::load(options.finetune_from);
  } else if (!options.tokenizer_model.empty()) {
    given = TokenizerPair::joint(read_file(options.tokenizer_model), options.tokenizer_model);
  }
  if (given) SubwordSamplers(*given, options.subword_sampling);  // may throw
  return given;
}

// The vocabularies of a run to resume. If its options, text or backend differ, it is refused here,
// before held-out pairs and encoded text are written.
TokenizerPair resumed_tokenizers(const TrainOptions& options, const RunFiles& files,
                                 const TrainingText& opened, const Backend& backend) {
  TokenizerPair tokenizers = TokenizerPair::load(files.directory);
  RunIdentity identity{options, backend.name(), fingerprint_of(opened, tokenizers),
                       validation_fingerprint_of(opened), backend.compute_type()};
  expect_same_run(files.training_state(), identity);
  return tokenizers;
}

Corpus open_corpus(const ParallelText& text, const TokenizerPair& tokenizers,
                   const FilterOptions& filters, const fs::path& cache, Workers& workers,
                   TrainObserver& observer) {
  Corpus corpus = Corpus::open(text, tokenizers, filters, cache, workers,
                               [&](int64_t) { observer.preparing(); });
  observer.message(
      fmt::format("{}: {}", cache.stem().string(), to_string(corpus.report(), text.unit())));
  return corpus;
}

// Adds the characters of the training text to those that the model to start from has seen, and
// saves them. Those of a model that another program trained are not known.
void learn_characters(const TrainOptions& options, const CorpusFacts& facts, const RunFiles& files,
                      TokenizerPair& tokenizers) {
  const std::optional<TrainingCharacters> before = tokenizers.characters();
  if (!options.finetune_from.empty() && !before) return;
  TrainingCharacters all{facts.source.characters, facts.target.characters};
  if (before) all.add(*before);
  tokenizers.set_characters(all);
  const fs::path path = files.directory / kCharactersFile;
  std::error_code error;
  const std::string json = all.json();
  if (!fs::exists(path, error) || read_file(path) != json) write_file_atomically(path, json);
}

void report_text(const TrainOptions& options, const Corpus& corpus, TrainObserver& observer) {
  for (const TextNote& note : text_notes(corpus.facts(), options, corpus.size())) {
    if (note.warning)
      observer.warning(note.text);
    else
      observer.message(note.text);
  }
}

// The filters of the training text, and the pairs that are held out of it.
struct Selection {
  FilterOptions filters;
  std::optional<HeldOut> held_out;
};

Selection select_pairs(const TrainOptions& options, const ParallelText& text,
                       const std::optional<TokenizerPair>& vocabulary) {
  Selection selected{options.filters, {}};
  FilterOptions& filters = selected.filters;
  filters.parts = corpus_parts(options, text);
  const auto folds_case = [&](const Tokenizer* given, Normalization rule) {
    return given ? given->folds_case()
                 : options.tokenizer.lowercase && rule != Normalization::identity;
  };
  filters.fold_source_case =
      folds_case(vocabulary ? &vocabulary->source() : nullptr, options.tokenizer.normalization);
  if (options.classifies() || options.parses()) {
    filters.target = options.parses()                    ? TargetKind::tree
                     : options.task == LearningTask::tag ? TargetKind::labels_of_words
                                                         : TargetKind::label_of_text;
    filters.max_ratio = 0;
  }
  filters.fold_target_case = folds_case(vocabulary ? &vocabulary->target() : nullptr,
                                        options.tokenizer.target_normalization);
  if (options.hold_out.value_or(0) == 0) return selected;
  selected.held_out = hold_out(text, filters, *options.hold_out, uint64_t(options.seed));
  filters.held_out = selected.held_out->sources;
  return selected;
}

// Writes what `heed train --config` needs to train such a model again, in another directory.
void write_settings(const RunFiles& files, const TrainOptions& options) {
  TrainOptions written = options;
  written.model.clear();
  written.resume = written.overwrite = false;
  if (written.d_model) written.preset.reset();  // its sizes are there
  write_file_atomically(
      files.settings(),
      fmt::format("# The settings of this run: heed train --config {} --model "
                  "ANOTHER trains with them again.\n{}",
                  shell_word(files.settings().string()), to_toml(options_of(written))));
}

std::string trees_of(const HeldOut& held) {
  std::istringstream words(held.source), symbols(held.target);
  std::string trees, of_words, of_symbols;
  while (std::getline(words, of_words) && std::getline(symbols, of_symbols))
    trees += tree_line(of_symbols, of_words) + "\n";
  return trees;
}

// Writes the held-out pairs, lines or trees to the files that validation reads.
void write_held_out(const RunFiles& files, const TrainOptions& options, const HeldOut& held) {
  if (options.parses()) return write_file_atomically(files.held_out_trees(), trees_of(held));
  if (!options.has_pairs()) return write_file_atomically(files.held_out_text(), held.target);
  write_file_atomically(files.held_out_source(), held.source);
  write_file_atomically(files.held_out_target(), held.target);
}

// Reports the memory that training needs. Error if it is more than this machine has left.
void plan(const RunSettings& settings, const ModelConfig& config, const Backend& backend,
          const Dataset& data, TrainObserver& observer) {
  const auto plan_for = [&](const BatchOptions& batches) {
    LoopOptions sized = settings.loop;
    sized.batches = batches;
    return plan_memory(sized, settings.threads, config, backend, data);
  };
  const BatchOptions& batches = settings.loop.batches;
  const MemoryPlan plan = plan_for(batches);
  observer.message("memory: " + to_string(plan));
  const auto limit = available_memory();
  // That of a device is another, which says itself when it is full.
  const bool counts = settings.options.memory_check && backend.memory()->is_host();
  if (counts && limit) require_fit(plan, *limit, batches, data, plan_for);
}

// UsageError if most sentences do not fit into a batch: a sentence has at least as many tokens as
// words.
void expect_room_for_sentences(const BatchOptions& batches, const FilterOptions& filters,
                               const ParallelText& text) {
  constexpr int64_t kPairs = 1000;
  if (batches.batch_sentences > 0) return;
  const int64_t most = batches.tokens();
  int64_t taken = 0, too_long = 0;
  PairReader reader(text);
  std::string source, target;
  for (int64_t i = 0; i < kPairs && reader.next(source, target); ++i) {
    const int64_t words = std::max(detail::count_words(source), detail::count_words(target));
    if ((filters.max_words > 0 && words > filters.max_words) ||
        words >= filters.max_sentence_tokens)
      continue;  // will be dropped
    ++taken;
    if (words >= most) ++too_long;
  }
  if (2 * too_long <= taken) return;
  fail_usage(
      "--batch-tokens is {}, too few for {} of the first {}, which have {}as many words or more: "
      "raise it",
      most, too_long, detail::counted(taken, text.unit()), text.has_source() ? "a side of " : "");
}

// A model that is fine-tuned keeps its languages, unless the options name others.
TokenizerConfig tokenizer_config(const TrainOptions& options) {
  TokenizerConfig config{options.source_language, options.target_language,
                         options.filters.max_sentence_tokens};
  if (options.task == LearningTask::language_model) config.use = TokenizerUse::language_model;
  if (options.finetune_from.empty()) return config;
  const TokenizerConfig own = read_tokenizer_config(options.finetune_from);
  if (config.source_language.empty()) config.source_language = own.source_language;
  if (config.target_language.empty()) config.target_language = own.target_language;
  return config;
}

// Throws, before a vocabulary is learned, the errors that would follow after it.
void check_before_learning(const RunSettings& settings, const ParallelText& text,
                           const Backend& backend) {
  const TrainOptions& options = settings.options;
  expect_room_for_sentences(options.batches, options.filters, text);
  const auto limit = available_memory();
  const TokenizerKind kind = options.tokenizer.kind;
  if (!options.memory_check || !limit) return;
  // Vocabularies of words and characters may be smaller than --vocabulary-size.
  const bool exact = kind == TokenizerKind::bpe || kind == TokenizerKind::unigram;
  const int64_t vocabulary = exact ? options.tokenizer.size() : 4;
  const ModelConfig config = model_config(options, vocabulary, vocabulary - 1);
  require_fit(plan_parameters(settings.loop.ema, config, backend), *limit);
}

// Sets what the model and the text determine.
void complete_schedule(RunSettings& settings, const ModelConfig& config, const Dataset& data,
                       Mixture* mixture) {
  settings.schedule.d_model = config.d_model;
  const bool by_epochs = settings.limits.epochs || !settings.limits.minutes;
  if (settings.awaits_decay_steps() && by_epochs)
    settings.set_total_steps(total_steps(settings, data, mixture));
}

// The Error that the first translation of the validation text would be.
void expect_known_languages(const ParallelText& validation, const TokenizerPair& tokenizers) {
  if (!validation.has_source()) return;
  const LanguageCodes languages(tokenizers.source().vocabulary());
  if (languages.empty()) return;
  std::string source, target;
  int64_t line = 0;
  for (PairReader reader(validation); reader.next(source, target);)
    languages.of(source, line++, "validation text");
}

void report_given(const TrainOptions& options, const TokenizerPair& given,
                  TrainObserver& observer) {
  observer.message(
      fmt::format("{}: a vocabulary of {} ids",
                  options.finetune_from.empty() ? options.tokenizer_model : options.finetune_from,
                  given.size()));
}

// A validation text: all of its pairs, but for those too long for the model.
Corpus open_validation(const ParallelText& text, const TokenizerPair& tokenizers,
                       const ModelConfig& config, TargetKind target, const fs::path& cache,
                       Workers& workers, TrainObserver& observer) {
  expect_known_languages(text, tokenizers);
  FilterOptions all{std::min(config.max_positions, FilterOptions::kMaxTokens)};
  all.target = target;
  return open_corpus(text, tokenizers, all, cache, workers, observer);
}

void warn_of_faults(const ParallelText& text, TrainObserver& observer) {
  const TextFaults& faults = text.faults();
  if (faults.extra_columns > 0)
    observer.warning(fmt::format(
        "{} of {}: more columns than most lines have, whose text is not used (first: {}); put a "
        "space where a tab is part of the text; --strict stops instead",
        faults.extra_columns, detail::counted(text.pairs(), "line"), faults.first_extra));
  if (faults.count() == 0) return;
  observer.warning(
      fmt::format("dropped {} of {} as not UTF-8{} (first: {}{}{}); --strict stops instead",
                  faults.count(), detail::counted(text.pairs(), text.unit()),
                  text.has_source() ? " or without their columns" : "", faults.first,
                  faults.conversion.empty() ? "" : "; ", faults.conversion));
}

}  // namespace

ModelConfig config_for(const TrainOptions& options, const TokenizerPair& tokenizers) {
  if (options.finetune_from.empty())
    return model_config(options, tokenizers.size(), tokenizers.output_vocabulary_size());
  const ModelConfig config = config_to_finetune(options);
  if (config.vocabulary_size != tokenizers.size())
    fail("{}: the vocabulary has {} tokens, the model {}", options.finetune_from, tokenizers.size(),
         config.vocabulary_size);
  return finetuning_config(options, config);
}

void check_start(const TrainOptions& options) {
  resolve(options);  // may throw
  const RunFiles files{options.model};
  expect_directories(options, files);
  if (options.resume && files.has_training_state()) return;
  const auto given = given_tokenizers(options);
  if (given) config_for(options, *given);
}

PreparedRun prepare_run(RunSettings settings, const TrainingText& opened, const Backend& backend,
                        TrainObserver& observer) {
  const TrainOptions& options = settings.options;
  auto workers = std::make_unique<Workers>(settings.threads);
  const ParallelText& text = opened.text;
  std::optional<ParallelText> valid_text = opened.validation;
  warn_of_faults(text, observer);
  if (valid_text) warn_of_faults(*valid_text, observer);
  for (const ParallelText& further : opened.further) warn_of_faults(further, observer);
  const RunFiles files{options.model};
  warn_of_ignored(options, observer);
  DirectoryLock lock(files.directory);
  auto backup = std::make_unique<RunBackup>(files.directory);
  expect_directories(options, files);
  lock.make(files.training());
  const bool resumes = options.resume && files.has_training_state();
  if (options.resume && !resumes) warn_of_nothing_to_resume(files, observer);
  if (!resumes) backup->check_inputs(options);
  const std::optional<TokenizerPair> given =
      resumes ? resumed_tokenizers(options, files, opened, backend) : given_tokenizers(options);
  if (given && !resumes) report_given(options, *given, observer);
  auto [filters, held_out] = select_pairs(options, text, given);
  if (!given) check_before_learning(settings, text, backend);
  TokenizerPair tokenizers = given ? *given : learn_tokenizers(options, text, filters, observer);
  observer.before_first_write();
  if (!resumes) {
    backup->back_up(options);
    tokenizers.save(files.directory, tokenizer_config(options));
    write_settings(files, options);
  }
  if (held_out) write_held_out(files, options, *held_out);
  if (held_out) valid_text = held_out_text(options);
  const ModelConfig config = config_for(options, tokenizers);
  const auto fit = [&](int64_t& tokens) { tokens = std::min(tokens, config.max_positions); };
  fit(filters.max_sentence_tokens);
  for (CorpusPart& part : filters.parts) fit(part.limits.max_sentence_tokens);
  auto corpus = std::make_unique<const Corpus>(
      open_corpus(text, tokenizers, filters, files.training_text(), *workers, observer));
  learn_characters(options, corpus->facts(), files, tokenizers);
  report_corpora(settings, filters.parts, *corpus, tokenizers.source(), observer);
  report_text(options, *corpus, observer);
  std::optional<Corpus> validation;
  if (valid_text)
    validation = open_validation(*valid_text, tokenizers, config, filters.target,
                                 files.validation_text(), *workers, observer);
  std::vector<Corpus> further;
  further.reserve(opened.further.size());
  for (size_t i = 0; i < opened.further.size(); ++i)
    further.push_back(open_validation(opened.further[i], tokenizers, config, filters.target,
                                      files.validation_text(options.validation_texts[i].name),
                                      *workers, observer));
  std::vector<std::unique_ptr<const Dataset>> derived;
  if (!options.guided_alignment.empty())
    derived.push_back(aligned_text(opened, *corpus, tokenizers, files.links(), *workers, observer));
  add_derived_data(options, *corpus, tokenizers, filters.max_sentence_tokens, derived);
  const Dataset& varied = derived.empty() ? *corpus : *derived.back();
  std::unique_ptr<Mixture> mixture = make_mixture(settings, filters.parts, *corpus, varied);
  const Dataset& data = mixture ? *mixture : varied;
  plan(settings, config, backend, data, observer);
  complete_schedule(settings, config, data, mixture.get());
  PreparedRun run{std::move(settings),
                  std::move(workers),
                  files,
                  tokenizers,
                  std::move(corpus),
                  std::move(derived),
                  std::move(mixture),
                  std::move(validation),
                  std::move(further),
                  config,
                  fingerprint_of(opened, tokenizers),
                  validation_fingerprint_of(opened),
                  std::move(lock),
                  std::move(backup)};
  if (!run.validation_fingerprint && valid_text)
    run.validation_fingerprint = valid_text->fingerprint();
  return run;
}

std::unique_ptr<ModelTask> initial_task(const PreparedRun& run,
                                        const std::shared_ptr<TensorMemory>& memory,
                                        TaskScores scores) {
  const TrainOptions& options = run.settings.options;
  auto model = options.finetune_from.empty()
                   ? random_model(run.config, uint64_t(options.seed), *options.initialization)
                   : load_model(options.finetune_from, run.config);
  model.move_to(memory);
  return make_task(std::move(model), *options.label_smoothing, std::move(scores),
                   run.validation ? &*run.validation : nullptr,
                   guided_alignment(options, run.config));
}

}  // namespace heed
