#include "heed/run/run_settings.h"

#include <algorithm>
#include <bit>

#include "heed/core/ascii.h"
#include "heed/core/counted.h"
#include "heed/core/parallel.h"
#include "heed/core/utf8.h"
#include "heed/run/named_texts.h"
#include "heed/tasks/guided_alignment.h"
#include "heed/text/tokenizer_training.h"
#include "heed/text/variation.h"
#include "heed/text/word_encoding.h"

namespace heed {

bool validates(const TrainOptions& o) {
  return o.hold_out.value_or(0) > 0 || !o.valid_source.empty() || !o.valid_tsv.empty() ||
         !o.valid_text.empty() || !o.valid_trees.empty();
}

namespace {

using GivenFlag = std::pair<bool, const char*>;

// UsageError if one of these options of other tasks is given.
void refuse_given(const TrainOptions& o, std::initializer_list<GivenFlag> flags) {
  for (const auto& [given, flag] : flags)
    if (given) fail_usage("{} is not for --task {}", flag, to_text(o.task));
}

void refuse_other_tasks(const TrainOptions& o) {
  const TrainOptions none;
  if (o.has_source())
    refuse_given(o, {{!o.text.empty(), "--text"}, {!o.valid_text.empty(), "--valid-text"}});
  if (!o.parses())
    refuse_given(o, {{!o.trees.empty(), "--trees"},
                     {!o.valid_trees.empty(), "--valid-trees"},
                     {o.function_tags, "--function-tags"}});
  if (!o.translates())
    refuse_given(
        o, {{!o.target_language.empty(), "--target-language"},
            {o.vocabularies != none.vocabularies, "--vocabularies"},
            {o.filters.max_ratio != none.filters.max_ratio, "--max-ratio"},
            {o.validation_metric != none.validation_metric && !o.parses(), "--validation-metric"},
            {o.scored_lines != none.scored_lines && !o.parses(), "--scored-lines"},
            {o.bleu_tokenize.has_value(), "--bleu-tokenize"},
            {!o.vary.empty(), "--vary"},
            {!o.guided_alignment.empty(), "--guided-alignment"}});
  const bool of_trees = o.validation_metric == ValidationMetric::brackets;
  if ((o.translates() && of_trees) ||
      (o.parses() && !of_trees && o.validation_metric != none.validation_metric))
    fail_usage("--validation-metric {} is not for --task {}", to_text(o.validation_metric),
               to_text(o.task));
  if (!o.has_pairs())
    refuse_given(o, {{!o.source.empty(), "--source"},
                     {!o.target.empty(), "--target"},
                     {!o.tabular.tsv.empty(), "--tsv"},
                     {!o.valid_source.empty(), "--valid-source"},
                     {!o.valid_target.empty(), "--valid-target"},
                     {!o.valid_tsv.empty(), "--valid-tsv"}});
  if (!o.has_source() || o.task == LearningTask::tag)  // labels are of the pieces that words have
    refuse_given(o, {{o.subword_sampling.source > 0, "--source-subword-sampling"}});
  if (o.classifies() || o.parses())
    refuse_given(o, {{o.subword_sampling.target > 0, "--target-subword-sampling"}});
  if (!o.has_source())
    refuse_given(o, {{!o.source_language.empty(), "--source-language"},
                     {o.tokenizer.normalization != none.tokenizer.normalization, "--normalization"},
                     {o.encoder_layers.has_value(), "--encoder-layers"}});
  if (o.classifies()) refuse_given(o, {{o.decoder_layers.has_value(), "--decoder-layers"}});
  if (o.classifies() || o.parses())
    refuse_given(o, {{o.tie_embeddings != none.tie_embeddings, "--tie-embeddings"},
                     {!o.tokenizer_model.empty(), "--tokenizer-model"},
                     {o.tokenizer.target_normalization != none.tokenizer.target_normalization,
                      "--target-normalization"}});
}

// Recurrent layers have neither feed-forward networks nor several heads.
void refuse_other_architecture(const TrainOptions& o) {
  if (!o.is_recurrent()) return;
  for (const auto& [given, flag] :
       {GivenFlag(o.d_ff.has_value(), "--d-ff"), GivenFlag(o.heads.has_value(), "--heads"),
        GivenFlag(o.activation != TrainOptions().activation, "--activation"),
        GivenFlag(o.activation_dropout.has_value(), "--activation-dropout")})
    if (given) fail_usage("{} is not for --architecture rnn", flag);
}

void check_lines(const TrainOptions& o) {
  if (o.tokenizer.lowercase && o.tokenizer.target_normalization == Normalization::identity)
    fail_usage("--lowercase changes nothing with --target-normalization identity");
  if (o.text.empty()) fail_usage("--text is missing: --task language-model learns from it");
  if (o.hold_out.value_or(0) > 0 && !o.valid_text.empty())
    fail_usage("--hold-out draws the lines to validate on: it contradicts --valid-text");
}

void check_trees(const TrainOptions& o) {
  if (o.trees.empty()) fail_usage("--trees is missing: --task parse learns from a treebank");
  if (o.hold_out.value_or(0) > 0 && !o.valid_trees.empty())
    fail_usage("--hold-out draws the trees to validate on: it contradicts --valid-trees");
}

void check_validation_pairs(const TrainOptions& o) {
  o.tabular.check(o.valid_tsv.empty() ? std::vector<std::string>() : std::vector{o.valid_tsv});
  if (o.valid_source.empty() != o.valid_target.empty())
    fail_usage("--valid-source and --valid-target go together, got only one");
  if (!o.valid_tsv.empty() && !o.valid_source.empty())
    fail_usage("--valid-tsv has both sides of the text: it contradicts --valid-source");
  if (o.hold_out.value_or(0) > 0 && (!o.valid_source.empty() || !o.valid_tsv.empty()))
    fail_usage("--hold-out draws the pairs to validate on: it contradicts {}",
               o.valid_tsv.empty() ? "--valid-source" : "--valid-tsv");
}

void check_pairs(const TrainOptions& o) {
  const bool tabular = !o.tabular.tsv.empty();
  if (tabular && (!o.source.empty() || !o.target.empty()))
    fail_usage("--tsv has both sides of the text: it contradicts --source and --target");
  for (const auto& [empty, flag] :
       {std::pair(o.source.empty(), "--source"), std::pair(o.target.empty(), "--target")})
    if (empty && !tabular) fail_usage("{} is missing: give --source and --target, or --tsv", flag);
  if (o.source.size() != o.target.size())
    fail_usage("--source names {} and --target {}: they go together one by one",
               detail::counted(int64_t(o.source.size()), "file"), o.target.size());
  check_validation_pairs(o);
}

void check_text(const TrainOptions& o) {
  refuse_other_tasks(o);
  refuse_other_architecture(o);
  if (!o.corpora.empty()) return check_validation_pairs(o);  // stages_of() does the rest
  if (o.has_pairs()) return check_pairs(o);
  o.parses() ? check_trees(o) : check_lines(o);
}

void expect_validation(const TrainOptions& o, const std::string& option) {
  if (!validates(o))
    fail_usage("{} needs --hold-out, or {}", option,
               o.has_pairs() ? "--valid-source and --valid-target, or --valid-tsv"
               : o.parses()  ? "--valid-trees"
                             : "--valid-text");
}

void check_validation(const TrainOptions& o) {
  check_validation_texts(o);
  if (o.patience > 0) expect_validation(o, "--patience");
  if (o.keep_best) expect_validation(o, "--keep-best");
  const bool waits = o.patience > 0 || std::ranges::any_of(o.stages, [](const StageOptions& stage) {
                       return parse_until(stage.until).end == StageEnd::patience;
                     });
  if (o.patience_on != PatienceOn::metric && !waits)
    fail_usage("--patience-on {} changes nothing without --patience", to_text(o.patience_on));
  if (o.validation_metric != ValidationMetric::loss)
    expect_validation(o, "--validation-metric " + to_text(o.validation_metric));
  else if (o.bleu_tokenize && (o.scored_lines == 0 || !validates(o)))
    fail_usage("--bleu-tokenize changes nothing: no validation translates");
}

// Reads --average: "last:5" or "best:5".
CheckpointSettings checkpoint_settings(const TrainOptions& o) {
  using Average = CheckpointSettings::Average;
  const std::string& text = o.average;
  if (text.empty()) return {.kept = o.keep_checkpoints};
  const bool last = text.starts_with("last:"), best = text.starts_with("best:");
  const auto count = whole_number<int64_t>(last || best ? text.substr(5) : "", 1, 1000);
  if (!count)
    fail_usage("--average is '{}', expected last:K or best:K with K from 1 to 1000", excerpt(text));
  if (best) expect_validation(o, "--average " + text);
  return {best ? Average::best : Average::last, *count, std::max(*count, o.keep_checkpoints)};
}

bool decays_to_an_end(Schedule schedule) {
  return schedule == Schedule::linear || schedule == Schedule::cosine;
}

void check_optimizer(const TrainOptions& o) {
  if (o.weight_decay && o.optimizer != Optimizer::adamw)
    fail_usage("--weight-decay works with --optimizer adamw only");
  const Schedule schedule = o.schedule.value_or(TrainOptions::kDefaultSchedule);
  if (decays_to_an_end(schedule)) return;
  for (const auto& [given, name] : {std::pair(o.decay_steps.has_value(), "--decay-steps"),
                                    std::pair(o.final_fraction.has_value(), "--final-fraction")})
    if (given)
      fail_usage("{} works with --schedule linear and cosine, not {}", name, to_text(schedule));
  if (schedule != Schedule::constant && o.warmup_steps && *o.warmup_steps == 0)
    fail_usage("--warmup-steps 0 works with --schedule linear, cosine and constant only");
}

void check_end(const RateSchedule& schedule) {
  if (schedule.warmup_steps >= *schedule.decay_steps)
    fail_usage("--warmup-steps is {}, expected less than the {} steps of --schedule {}",
               schedule.warmup_steps, *schedule.decay_steps, to_text(schedule.schedule));
}

// Sets unset options to the defaults that follow from other options (preset, schedule, optimizer).
TrainOptions with_defaults(TrainOptions o) {
  const auto fill = [](auto& option, auto value) {
    if (!option) option = value;
  };
  if (o.finetune_from.empty()) {
    fill(o.preset, TrainOptions::kDefaultPreset);
    const ModelConfig sizes = preset(to_text(*o.preset));
    fill(o.d_model, sizes.d_model);
    if (!o.is_recurrent()) {
      fill(o.d_ff, sizes.d_ff);
      fill(o.heads, sizes.heads);
    }
    if (o.has_source()) fill(o.encoder_layers, sizes.encoder_layers);
    if (!o.classifies()) fill(o.decoder_layers, sizes.decoder_layers);
    fill(o.dropout, sizes.dropout);
    fill(o.attention_dropout, sizes.attention_dropout);
    fill(o.activation_dropout, sizes.activation_dropout);
    fill(o.initialization, TrainOptions::kDefaultInitialization);
  }
  fill(o.hold_out, 0);
  if (o.finetune_from.empty() && o.tokenizer_model.empty())
    fill(o.tokenizer.vocabulary_size, TokenizerOptions::kDefaultSize);
  fill(o.batches.batch_tokens, BatchOptions::kDefaultTokens);
  // The parts are for threads: a GPU computes a batch as one.
  fill(o.shards, o.device == Device::cpu ? TrainOptions::kDefaultShards : 1);
  fill(o.schedule, TrainOptions::kDefaultSchedule);
  fill(o.warmup_steps, o.schedule == Schedule::constant ? 0 : TrainOptions::kDefaultWarmup);
  fill(o.learning_rate, o.schedule == Schedule::noam ? TrainOptions::kDefaultNoamFactor
                                                     : TrainOptions::kDefaultPeak);
  if (decays_to_an_end(*o.schedule)) fill(o.final_fraction, TrainOptions::kDefaultFinalFraction);
  if (o.optimizer == Optimizer::adamw) fill(o.weight_decay, TrainOptions::kDefaultWeightDecay);
  fill(o.label_smoothing, o.translates() ? TrainOptions::kDefaultLabelSmoothing : 0);
  return o;
}

TrainOptions without_ignored(TrainOptions o) {
  const TrainOptions defaults;
  if (!o.finetune_from.empty() || !o.tokenizer_model.empty()) o.tokenizer = defaults.tokenizer;
  if (!o.finetune_from.empty()) {
    o.preset = defaults.preset;
    o.vocabularies = defaults.vocabularies;
  }
  return o;
}

}  // namespace

TrainOptions normalized(TrainOptions o) {
  o = with_defaults(without_ignored(std::move(o)));
  if (o.batches.batch_sentences > 0) o.batches.batch_tokens = BatchOptions::kDefaultTokens;
  if (o.d_model && o.heads) o.variants = o.variants.normalized(*o.d_model, *o.heads);
  return o;
}

std::vector<std::string> ignored_options(const TrainOptions& o) {
  TrainOptions copy = o;
  const Options options = options_of(copy);
  std::vector<std::string> flags;
  for (const OptionDifference& d : differences(without_ignored(o), o)) {
    const auto option = std::ranges::find(options, d.name, &Option::name);
    flags.push_back(option->flag());
  }
  return flags;
}

ModelConfig model_config(const TrainOptions& options, int64_t vocabulary,
                         int64_t output_vocabulary_size) {
  check(options.finetune_from.empty(), "a model to fine-tune has its own sizes");
  const TrainOptions o = with_defaults(options);
  ModelConfig config;
  config.vocabulary_size = vocabulary;
  config.output_vocabulary_size = output_vocabulary_size;
  config.d_model = *o.d_model;
  config.d_ff = o.d_ff.value_or(0);
  config.heads = o.heads.value_or(1);
  config.encoder_layers = o.encoder_layers.value_or(0);
  config.decoder_layers = o.decoder_layers.value_or(0);
  config.dropout = *o.dropout;
  config.attention_dropout = *o.attention_dropout;
  config.activation_dropout = *o.activation_dropout;
  config.activation = o.activation;
  config.variants = o.variants;
  config.tie_embeddings = o.tie_embeddings;
  if (o.classifies()) {
    config.classes = output_vocabulary_size - kFirstLabel;
    config.classes_of = o.task == LearningTask::tag ? ClassesOf::words : ClassesOf::texts;
    config.output_vocabulary_size = vocabulary - 1;
    config.tie_embeddings = TieEmbeddings::none;
  }
  if (o.parses()) {  // words and symbols have a vocabulary each
    config.target_form = TargetForm::trees;
    config.tie_embeddings = TieEmbeddings::decoder;
  }
  // Enough to translate sentences as long as the longest in training.
  config.max_positions = std::max<int64_t>(512, 2 * o.filters.max_sentence_tokens);
  config.validate();
  config.variants = config.variants.normalized(config.d_model, config.heads);
  return config;
}

namespace {

// UsageError if SubwordSamplers would refuse the vocabulary that is yet to be learned.
void check_subword_sampling(const TrainOptions& o) {
  for (const auto& [alpha, flag] :
       {std::pair(o.subword_sampling.source, "--source-subword-sampling"),
        std::pair(o.subword_sampling.target, "--target-subword-sampling")}) {
    if (alpha == 0) continue;
    if (o.tokenizer.kind == TokenizerKind::bpe && alpha >= 1)
      fail_usage("{} is {}: with --tokenizer bpe, expected a probability below 1", flag, alpha);
    if (o.tokenizer.kind == TokenizerKind::word || o.tokenizer.kind == TokenizerKind::character)
      fail_usage(
          "{} is not for --tokenizer {}, which cuts a text in one way: expected bpe or unigram",
          flag, to_text(o.tokenizer.kind));
  }
}

void check_alignment(const TrainOptions& o) {
  if (o.guided_alignment.empty()) {
    if (o.guided_alignment_weight)
      fail_usage("--guided-alignment-weight changes nothing without --guided-alignment");
    return;
  }
  if (o.guided_alignment.size() > 1 && std::ranges::count(o.guided_alignment, kAlignsItself) > 0)
    fail_usage(
        "--guided-alignment learns the links itself (self) or reads them from files: give "
        "one of them");
  if (!o.vary.empty())
    fail_usage(
        "--guided-alignment is not supported with --vary, which changes the words that are "
        "aligned");
}

void check_model(const TrainOptions& o) {
  if (o.resume && o.overwrite)
    fail_usage("--resume continues the run, --overwrite starts another: give one of them");
  if (o.shards && !std::has_single_bit(uint64_t(*o.shards)))
    fail_usage("--shards is {}, expected a power of two", *o.shards);
  if (o.vocabularies == Vocabularies::separate && o.tie_embeddings == TieEmbeddings::all)
    fail_usage("--vocabularies separate needs --tie-embeddings decoder or none");
  if (o.vocabularies == Vocabularies::separate && !o.tokenizer_model.empty())
    fail_usage("--tokenizer-model is one model: it contradicts --vocabularies separate");
  if (!o.finetune_from.empty() && !o.tokenizer_model.empty())
    fail_usage("--finetune-from brings its own vocabulary: it contradicts --tokenizer-model");
  const bool sized = o.d_model || o.d_ff || o.heads || o.encoder_layers || o.decoder_layers;
  if (!o.finetune_from.empty() && sized)
    fail_usage(
        "--finetune-from brings its own sizes: it contradicts --d-model, --d-ff, --heads, "
        "--encoder-layers and --decoder-layers");
  if (!o.finetune_from.empty() && o.initialization)
    fail_usage("--finetune-from brings its own weights: it contradicts --initialization");
  if (o.finetune_from.empty() && o.tokenizer_model.empty()) {
    check_consistent(o.tokenizer);
    check_subword_sampling(o);
  }
  check_alignment(o);
  if (o.finetune_from.empty()) {  // checks the sizes, for any vocabulary
    const int64_t vocabulary = std::max<int64_t>(4, o.tokenizer.size());
    const ModelConfig config = model_config(o, vocabulary, vocabulary - 1);
    if (!o.guided_alignment.empty()) guided_head(config);  // may throw
  }
}

// At most the tokens of a shard.
int64_t validation_batch_tokens(const TrainOptions& o) {
  constexpr int64_t kTypical = 16;  // tokens in a sentence, if batches are limited by sentences
  const BatchOptions& batches = o.batches;
  const int64_t tokens = batches.batch_sentences > 0
                             ? std::min<int64_t>(batches.batch_sentences, 1 << 20) * kTypical
                             : batches.tokens();
  return std::clamp<int64_t>(tokens / *o.shards, 64, 2048);
}

// UsageError unless the variants that were asked for are those of the model to fine-tune.
void check_variants(const Variants& wanted, const ModelConfig& model) {
  const std::vector<OptionDifference> asked = differences(Variants(), wanted);
  Variants own = model.variants;
  own.key_value_heads = model.key_value_heads();
  own.d_key = model.d_key();
  own.d_value = model.d_value();
  for (const OptionDifference& d : differences(own, wanted)) {
    if (std::ranges::find(asked, d.name, &OptionDifference::name) == asked.end()) continue;
    Variants copy = wanted;
    fail_usage("{} is {}, the model of --finetune-from has {}",
               find_option(options_of(copy), d.name)->flag(), d.right, d.left);
  }
}

}  // namespace

RunSettings resolve(const TrainOptions& given) {
  RunSettings settings;
  settings.stages = stages_of(given);
  check_text(given);
  check_validation(given);
  settings.checkpoints = checkpoint_settings(given);
  check_model(given);
  VariationShares(given.vary);  // may throw
  check_optimizer(given);
  TrainOptions& o = settings.options = with_defaults(given);
  settings.threads = int(o.threads.value_or(o.device == Device::cpu ? available_threads() : 1));
  settings.limits = {o.epochs, o.steps, o.minutes, o.patience, o.patience_on, {}};
  for (const StagePlan& stage : settings.stages) settings.limits.stages.push_back(stage.limit);
  const bool ends_with_stages =
      !settings.stages.empty() && settings.stages.back().limit.end != StageEnd::with_run;
  if (!o.epochs && !o.steps && !o.minutes && !ends_with_stages)
    settings.limits.epochs = TrainOptions::kDefaultEpochs;
  settings.validation = {o.validate_every, o.validation_metric, validation_batch_tokens(o)};
  settings.loop = {.batches = o.batches,
                   .accumulate = o.accumulate,
                   .shards = *o.shards,
                   .clip_norm = o.clip_norm,
                   .ema = o.ema ? Ema::on : Ema::off,
                   .seed = uint64_t(o.seed)};
  settings.adam = {.beta1 = o.beta1, .beta2 = o.beta2, .epsilon = o.epsilon};
  settings.adam.weight_decay = o.weight_decay.value_or(0);
  settings.schedule = {.schedule = *o.schedule,
                       .rate = *o.learning_rate,
                       .warmup_steps = *o.warmup_steps,
                       .decay_steps = o.decay_steps,
                       .final_fraction = o.final_fraction.value_or(0)};
  if (settings.awaits_decay_steps() && o.steps) settings.set_decay_steps(*o.steps);
  if (settings.schedule.decay_steps) check_end(settings.schedule);
  return settings;
}

bool RunSettings::awaits_decay_steps() const {
  return decays_to_an_end(schedule.schedule) && !schedule.decay_steps;
}

void RunSettings::set_total_steps(double steps) {
  // A run cannot exceed the maximum of --steps.
  set_decay_steps(int64_t(std::min(steps, kMaxSteps)));
  check_end(schedule);
}

ModelConfig finetuning_config(const TrainOptions& o, ModelConfig config) {
  const TrainOptions defaults;
  if (o.activation != defaults.activation && o.activation != config.activation)
    fail_usage("--activation is {}, the model of --finetune-from has {}", to_text(o.activation),
               to_text(config.activation));
  if (o.tie_embeddings != defaults.tie_embeddings && o.tie_embeddings != config.tie_embeddings)
    fail_usage("--tie-embeddings is {}, the model of --finetune-from has {}",
               to_text(o.tie_embeddings), to_text(config.tie_embeddings));
  check_variants(o.variants, config);
  config.dropout = o.dropout.value_or(config.dropout);
  config.attention_dropout = o.attention_dropout.value_or(config.attention_dropout);
  config.activation_dropout = o.activation_dropout.value_or(config.activation_dropout);
  return config;
}

}  // namespace heed
