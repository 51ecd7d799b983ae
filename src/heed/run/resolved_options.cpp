#include "heed/run/resolved_options.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "heed/core/counted.h"
#include "heed/core/utf8.h"
#include "heed/text/tokenizer_training.h"

namespace heed {

Averaging parse_averaging(const std::string& text) {
  if (text.empty()) return {};
  Averaging averaging;
  const bool last = text.starts_with("last:"), best = text.starts_with("best:");
  const char* end = text.data() + text.size();
  if (last || best) {
    averaging.kind = last ? Averaging::Kind::last : Averaging::Kind::best;
    const auto [rest, error] = std::from_chars(text.data() + 5, end, averaging.count);
    if (error == std::errc() && rest == end && averaging.count >= 1 && averaging.count <= 1000)
      return averaging;
  }
  fail_usage("--average is '{}', expected last:K or best:K with K from 1 to 1000", excerpt(text));
}

bool translates_to_validate(const TrainOptions& o) {
  return o.validation_metric != ValidationMetric::loss;
}

bool has_validation_files(const TrainOptions& o) {
  return !o.valid_source.empty() || !o.valid_tsv.empty();
}

bool validates(const TrainOptions& o) {
  return o.hold_out > 0 || has_validation_files(o);
}

namespace {

void check_text(const TrainOptions& o) {
  o.tabular.check(o.valid_tsv.empty() ? std::vector<std::string>() : std::vector{o.valid_tsv});
  const bool tabular = !o.tabular.tsv.empty();
  if (tabular && (!o.source.empty() || !o.target.empty()))
    fail_usage("--tsv has both sides of the text: it contradicts --source and --target");
  for (const auto& [empty, flag] :
       {std::pair(o.source.empty(), "--source"), std::pair(o.target.empty(), "--target")})
    if (empty && !tabular) fail_usage("{} is missing: give --source and --target, or --tsv", flag);
  if (o.source.size() != o.target.size())
    fail_usage("--source names {} and --target {}: they go together one by one",
               detail::counted(int64_t(o.source.size()), "file"), o.target.size());
  if (o.valid_source.empty() != o.valid_target.empty())
    fail_usage("--valid-source and --valid-target go together, got only one");
  if (!o.valid_tsv.empty() && !o.valid_source.empty())
    fail_usage("--valid-tsv has both sides of the text: it contradicts --valid-source");
  if (o.hold_out > 0 && has_validation_files(o))
    fail_usage("--hold-out draws the pairs to validate on: it contradicts {}",
               o.valid_tsv.empty() ? "--valid-source" : "--valid-tsv");
}

bool decays_to_an_end(const TrainOptions& o) {
  return o.schedule == Schedule::linear || o.schedule == Schedule::cosine;
}

void check_end(const TrainOptions& o, int64_t end) {
  const int64_t warmup = *with_defaults(o).warmup_steps;
  if (warmup >= end)
    fail_usage("--warmup-steps is {}, expected less than the {} steps of --schedule {}", warmup,
               end, to_text(o.schedule));
}

void check_optimizer(const TrainOptions& o) {
  if (o.weight_decay && o.optimizer != Optimizer::adamw)
    fail_usage("--weight-decay works with --optimizer adamw only");
  const std::string schedule = to_text(o.schedule);
  if (!decays_to_an_end(o)) {
    for (const auto& [given, name] : {std::pair(o.decay_steps.has_value(), "--decay-steps"),
                                      std::pair(o.final_fraction.has_value(), "--final-fraction")})
      if (given) fail_usage("{} works with --schedule linear and cosine, not {}", name, schedule);
    if (o.schedule != Schedule::constant && o.warmup_steps && *o.warmup_steps == 0)
      fail_usage("--warmup-steps 0 works with --schedule linear, cosine and constant only");
    return;
  }
  if (const auto end = o.decay_steps ? o.decay_steps : o.steps) check_end(o, *end);
}

}  // namespace

TrainOptions with_defaults(TrainOptions o) {
  const auto fill = [](auto& option, auto value) {
    if (!option) option = value;
  };
  if (o.finetune_from.empty()) {
    const ModelConfig sizes = preset(to_text(o.preset));
    fill(o.d_model, sizes.d_model);
    fill(o.d_ff, sizes.d_ff);
    fill(o.heads, sizes.heads);
    fill(o.encoder_layers, sizes.encoder_layers);
    fill(o.decoder_layers, sizes.decoder_layers);
    fill(o.dropout, sizes.dropout);
    fill(o.attention_dropout, sizes.attention_dropout);
    fill(o.activation_dropout, sizes.activation_dropout);
    fill(o.initialization, TrainOptions::kDefaultInitialization);
  }
  fill(o.warmup_steps, o.schedule == Schedule::constant ? 0 : TrainOptions::kDefaultWarmup);
  fill(o.learning_rate, o.schedule == Schedule::noam ? TrainOptions::kDefaultNoamFactor
                                                     : TrainOptions::kDefaultPeak);
  if (decays_to_an_end(o)) fill(o.final_fraction, TrainOptions::kDefaultFinalFraction);
  if (o.optimizer == Optimizer::adamw) fill(o.weight_decay, TrainOptions::kDefaultWeightDecay);
  return o;
}

namespace {

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
  if (o.batches.batch_sentences > 0) o.batches.batch_tokens = BatchOptions().batch_tokens;
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

std::optional<int64_t> epoch_limit(const TrainOptions& options) {
  if (options.epochs || options.steps || options.minutes) return options.epochs;
  return TrainOptions::kDefaultEpochs;
}

RateSchedule rate_schedule(const TrainOptions& options, int64_t d_model) {
  check(options.warmup_steps && options.learning_rate, "a schedule without its defaults");
  return {.schedule = options.schedule,
          .rate = *options.learning_rate,
          .warmup_steps = *options.warmup_steps,
          .decay_steps = options.decay_steps,
          .final_fraction = options.final_fraction.value_or(TrainOptions::kDefaultFinalFraction),
          .d_model = d_model};
}

LoopOptions loop_options(const TrainOptions& options) {
  return {.batches = options.batches,
          .accumulate = options.accumulate,
          .shards = options.shards,
          .clip_norm = options.clip_norm,
          .ema = options.ema ? Ema::on : Ema::off,
          .seed = uint64_t(options.seed)};
}

bool decays_by_minutes(const TrainOptions& o) {
  return decays_to_an_end(o) && !o.decay_steps && !o.steps && !epoch_limit(o);
}

TrainOptions with_data_defaults(const TrainOptions& options,
                                const std::function<int64_t()>& epoch_steps) {
  TrainOptions filled = with_defaults(options);
  if (!decays_to_an_end(options) || options.decay_steps || decays_by_minutes(options))
    return filled;
  filled.decay_steps = options.steps;
  if (!options.steps) {
    const auto epochs = epoch_limit(options);
    check(epochs.has_value(), "a schedule without an end");
    // A run cannot exceed the maximum of --steps.
    const double steps = double(*epochs) * double(epoch_steps());
    filled.decay_steps = int64_t(std::min(steps, kMaxSteps));
    check_end(options, *filled.decay_steps);
  }
  return filled;
}

void check_consistent(const TrainOptions& o) {
  check_text(o);
  const auto expect_validation = [&](const std::string& option) {
    if (!validates(o))
      fail_usage("{} needs --hold-out, or --valid-source and --valid-target, or --valid-tsv",
                 option);
  };
  if (o.patience > 0) expect_validation("--patience");
  if (translates_to_validate(o))
    expect_validation("--validation-metric " + to_text(o.validation_metric));
  if (o.bleu_tokenize && !translates_to_validate(o))
    fail_usage(
        "--bleu-tokenize changes nothing: --validation-metric is loss, expected bleu or chrf");
  if (parse_averaging(o.average).kind == Averaging::Kind::best)
    expect_validation("--average " + o.average);
  if (o.resume && o.overwrite) fail_usage("--resume and --overwrite contradict each other");
  if (!std::has_single_bit(uint64_t(o.shards)))
    fail_usage("--shards is {}, expected a power of two", o.shards);
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
  if (o.finetune_from.empty() && o.tokenizer_model.empty()) check_consistent(o.tokenizer);
  if (o.finetune_from.empty()) {  // checks the sizes, for any vocabulary
    const int64_t vocabulary = std::max<int64_t>(4, o.tokenizer.vocabulary_size);
    model_config(o, vocabulary, vocabulary - 1);
  }
  check_optimizer(o);
}

int64_t validation_batch_tokens(const TrainOptions& options) {
  constexpr int64_t kTypical = 16;  // tokens in a sentence, if batches are limited by sentences
  const BatchOptions& batches = options.batches;
  const int64_t tokens = batches.batch_sentences > 0
                             ? std::min<int64_t>(batches.batch_sentences, 1 << 20) * kTypical
                             : batches.batch_tokens;
  return std::clamp<int64_t>(tokens / options.shards, 64, 2048);
}

ModelConfig model_config(const TrainOptions& options, int64_t vocabulary,
                         int64_t output_vocabulary_size) {
  check(options.finetune_from.empty(), "a model to fine-tune has its own sizes");
  const TrainOptions o = with_defaults(options);
  ModelConfig config;
  config.vocabulary_size = vocabulary;
  config.output_vocabulary_size = output_vocabulary_size;
  config.d_model = *o.d_model;
  config.d_ff = *o.d_ff;
  config.heads = *o.heads;
  config.encoder_layers = *o.encoder_layers;
  config.decoder_layers = *o.decoder_layers;
  config.dropout = *o.dropout;
  config.attention_dropout = *o.attention_dropout;
  config.activation_dropout = *o.activation_dropout;
  config.activation = o.activation;
  config.variants = o.variants;
  config.tie_embeddings = o.tie_embeddings;
  // Enough to translate sentences as long as the longest in training.
  config.max_positions = std::max<int64_t>(512, 2 * o.filters.max_sentence_tokens);
  config.validate();
  config.variants = config.variants.normalized(config.d_model, config.heads);
  return config;
}

namespace {

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
