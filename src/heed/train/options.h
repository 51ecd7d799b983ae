// What `heed train` can be told. One declaration gives flags, TOML keys, --help and the saved
// configuration (core/options.h).
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/backend/compute.h"
#include "heed/core/options.h"
#include "heed/evaluate/bleu_tokenizer.h"
#include "heed/model/config.h"
#include "heed/text/batches.h"
#include "heed/text/corpus.h"
#include "heed/text/parallel_text.h"
#include "heed/text/tokenizer_training.h"

namespace heed {

enum class Vocabularies { joint, separate };
constexpr std::array<std::pair<std::string_view, Vocabularies>, 2> enum_names(Vocabularies) {
  return {{{"joint", Vocabularies::joint}, {"separate", Vocabularies::separate}}};
}

enum class Preset { tiny, small, base, big };
constexpr std::array<std::pair<std::string_view, Preset>, 4> enum_names(Preset) {
  return {{{"tiny", Preset::tiny},
           {"small", Preset::small},
           {"base", Preset::base},
           {"big", Preset::big}}};
}

enum class Schedule { noam, inverse_sqrt, linear, cosine, constant };
constexpr std::array<std::pair<std::string_view, Schedule>, 5> enum_names(Schedule) {
  return {{{"noam", Schedule::noam},
           {"inverse-sqrt", Schedule::inverse_sqrt},
           {"linear", Schedule::linear},
           {"cosine", Schedule::cosine},
           {"constant", Schedule::constant}}};
}

enum class Optimizer { adam, adamw };
constexpr std::array<std::pair<std::string_view, Optimizer>, 2> enum_names(Optimizer) {
  return {{{"adam", Optimizer::adam}, {"adamw", Optimizer::adamw}}};
}

// What ranks the validations of a run.
enum class ValidationMetric { loss, bleu, chrf };
constexpr std::array<std::pair<std::string_view, ValidationMetric>, 3> enum_names(
    ValidationMetric) {
  return {{{"loss", ValidationMetric::loss},
           {"bleu", ValidationMetric::bleu},
           {"chrf", ValidationMetric::chrf}}};
}

// The last step at which a schedule may end.
inline constexpr double kMostDecaySteps = 1e9;

struct TrainOptions {
  // Data
  std::vector<std::string> source, target;
  TsvOptions tabular;
  std::string valid_source, valid_target, valid_tsv;
  int64_t hold_out = 0;
  std::string model;
  std::string source_language, target_language;
  // Vocabulary and filters
  TokenizerOptions tokenizer;
  Vocabularies vocabularies = Vocabularies::joint;
  std::string tokenizer_model;
  FilterOptions filters{.max_ratio = 9};
  // Model
  Preset preset = Preset::base;
  std::optional<int64_t> d_model, d_ff, heads, encoder_layers, decoder_layers;
  std::optional<double> dropout, attention_dropout, activation_dropout;
  Activation activation = Activation::relu;
  TieEmbeddings tie_embeddings = TieEmbeddings::all;
  std::optional<InitialWeights> initial_weights;
  std::string initialize;
  // Batches
  BatchOptions batches;
  int64_t accumulate = 1;
  int64_t shards = 4;
  // Optimizer
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  Optimizer optimizer = Optimizer::adam;
  std::optional<double> weight_decay;
  std::optional<double> ema;
  Schedule schedule = Schedule::noam;
  std::optional<int64_t> warmup, decay_steps;
  std::optional<double> learning_rate, final_fraction;
  double clip_norm = 0;
  double label_smoothing = 0.1;
  // Length and validation
  std::optional<int64_t> epochs, steps;
  std::optional<double> minutes;
  int64_t validate_every = 0;
  ValidationMetric validate_by = ValidationMetric::loss;
  std::optional<BleuTokenizer> bleu_tokenize;
  int64_t patience = 0;
  // Keeping
  int64_t keep = 1;
  std::string average;
  double save_minutes = 10;
  bool resume = false, overwrite = false, other_instruction_set = false;
  bool memory_check = true;
  bool strict = false;
  // Running
  int64_t seed = 1;
  ComputeChoice compute = ComputeChoice::automatic;
  std::optional<int64_t> threads;
  int64_t report_every = 100;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& v) {
    visit_data(o, v);
    visit_model(o, v);
    visit_optimization(o, v);
    visit_length(o, v);
    visit_running(o, v);
  }

 private:
  template <class Self, class Visitor>
  static void visit_data(Self& o, Visitor&& v) {
    v.group("Data");
    v("source", o.source,
      {.help = "Source text, one sentence a line, plain or .gz; several files follow each other",
       .value = "FILE...",
       .default_text = "required without --tsv",
       .incidental = true});
    v("target", o.target,
      {.help = "Target text: line i translates line i of the source",
       .value = "FILE...",
       .default_text = "required without --tsv",
       .incidental = true});
    TsvOptions::visit(o.tabular, v);
    v("valid_source", o.valid_source,
      {.help = "Source text to validate on",
       .value = "FILE",
       .default_text = "none",
       .incidental = true});
    v("valid_target", o.valid_target,
      {.help = "Target text to validate on",
       .value = "FILE",
       .default_text = "none",
       .incidental = true});
    v("valid_tsv", o.valid_tsv,
      {.help = "Tab-separated text to validate on, with the same --columns, instead of two files",
       .value = "FILE",
       .default_text = "none",
       .incidental = true});
    v("hold_out", o.hold_out,
      {.help = "Pairs drawn from the text to validate on, never learnt from, nor are others with "
               "the same source; they are written to held_out.source and held_out.target in "
               "the model's folder",
       .unit = "pairs",
       .minimum = 0,
       .maximum = 1e6});
    v("model", o.model,
      {.help = "The model's folder, made if need be",
       .value = "DIR",
       .required = true,
       .incidental = true});
    v("source_language", o.source_language,
      {.help = "Code of the source language, such as zh: noted in the model",
       .value = "CODE",
       .default_text = "none"});
    v("target_language", o.target_language,
      {.help = "Code of the target language, such as en: noted in the model",
       .value = "CODE",
       .default_text = "none"});
    FilterOptions::visit(o.filters, v);
    TokenizerOptions::visit(o.tokenizer, v);
    v("vocabularies", o.vocabularies,
      {.help = "One vocabulary for both languages, or one each (needs --tie-embeddings decoder or "
               "none)"});
    v("tokenizer_model", o.tokenizer_model,
      {.help = "Use this SentencePiece model instead of learning one",
       .value = "FILE",
       .default_text = "none",
       .incidental = true});
  }

  template <class Self, class Visitor>
  static void visit_model(Self& o, Visitor&& v) {
    v.group("Model");
    v("preset", o.preset,
      {.help = "Sizes: tiny 2+2 layers, d_model 128; small 3+3, 256; base and big: the paper's "
               "Table 3"});
    const OptionInfo layers{
        .unit = "layers", .default_text = "by preset", .minimum = 1, .maximum = 1000};
    const auto with_help = [](OptionInfo info, std::string_view help) {
      info.help = help;
      return info;
    };
    v("encoder_layers", o.encoder_layers, with_help(layers, "Layers of the encoder"));
    v("decoder_layers", o.decoder_layers, with_help(layers, "Layers of the decoder"));
    v("d_model", o.d_model,
      {.help = "Width of the model", .default_text = "by preset", .minimum = 2, .maximum = 65536});
    v("heads", o.heads,
      {.help = "Attention heads; must divide d_model",
       .default_text = "by preset",
       .minimum = 1,
       .maximum = 65536});
    v("d_ff", o.d_ff,
      {.help = "Inner width of the feed-forward networks",
       .default_text = "by preset",
       .minimum = 1,
       .maximum = 1 << 20});
    v("activation", o.activation, {.help = "Of the feed-forward networks"});
    v("tie_embeddings", o.tie_embeddings,
      {.help = "What shares one table: all (both embeddings and the softmax), decoder (target "
               "embedding and softmax), none"});
    v("dropout", o.dropout,
      {.help = "On sub-layer outputs and on embeddings plus positions",
       .default_text = "by preset or --initialize",
       .minimum = 0,
       .below = 1});
    v("attention_dropout", o.attention_dropout,
      {.help = "On attention weights",
       .default_text = "0, or by --initialize",
       .minimum = 0,
       .below = 1});
    v("activation_dropout", o.activation_dropout,
      {.help = "Inside the feed-forward networks",
       .default_text = "0, or by --initialize",
       .minimum = 0,
       .below = 1});
    v("initial_weights", o.initial_weights,
      {.help = "How far matrices spread at first: fan-in, uniform within 1 / sqrt(inputs), or "
               "xavier, within sqrt(6 / (inputs + outputs)), which wants a long warm-up",
       .default_text = "fan-in"});
    v("initialize", o.initialize,
      {.help = "Begin with the weights and vocabulary of this model (fine-tuning); its sizes hold, "
               "and its dropout where none is given",
       .value = "DIR",
       .default_text = "random weights",
       .incidental = true});
  }

  template <class Self, class Visitor>
  static void visit_optimization(Self& o, Visitor&& v) {
    v.group("Batches");
    BatchOptions::visit(o.batches, v);
    v("accumulate", o.accumulate,
      {.help = "Batches whose gradients make one step",
       .unit = "batches",
       .minimum = 1,
       .maximum = 4096});
    v("shards", o.shards,
      {.help = "Parts of a batch that are computed apart and added in a fixed order: the most "
               "threads that can share it; a power of two",
       .minimum = 1,
       .maximum = 1024});
    v.group("Optimizer");
    v("schedule", o.schedule,
      {.help =
           "How the learning rate moves: noam (the paper's) and inverse-sqrt fall with the root "
           "of the step; linear and cosine fall from the peak to --final-fraction of it"});
    v("learning_rate", o.learning_rate,
      {.help = "noam: the factor on the paper's formula (default 1); else the peak (default 5e-4)",
       .default_text = "by schedule",
       .maximum = 1000,
       .above = 0});
    v("warmup", o.warmup,
      {.help = "Steps over which the rate rises (default 4000; 0 for constant)",
       .unit = "steps",
       .default_text = "by schedule",
       .minimum = 0,
       .maximum = 1e9});
    v("decay_steps", o.decay_steps,
      {.help = "linear and cosine: the step at which the rate reaches its end, and stays",
       .unit = "steps",
       .default_text = "--steps, or those of --epochs",
       .minimum = 1,
       .maximum = kMostDecaySteps});
    v("final_fraction", o.final_fraction,
      {.help = "linear and cosine: the rate at the end, as a share of the peak",
       .default_text = "0",
       .minimum = 0,
       .maximum = 1});
    v("optimizer", o.optimizer,
      {.help = "adam is the paper's; adamw also takes learning rate * --weight-decay of each "
               "matrix and embedding table away, and nothing of biases and norms"});
    v("weight_decay", o.weight_decay,
      {.help = "adamw: the decay (default 0.01)",
       .default_text = "by optimizer",
       .minimum = 0,
       .maximum = 1000});
    v("beta1", o.beta1, {.help = "Adam's decay of the first moment", .minimum = 0, .below = 1});
    v("beta2", o.beta2, {.help = "Adam's decay of the second moment", .minimum = 0, .below = 1});
    v("epsilon", o.epsilon, {.help = "Adam's epsilon", .maximum = 1, .above = 0});
    v("ema", o.ema,
      {.help = "Keep a moving average of the weights, D of the old and 1 - D of the new after each "
               "step (fewer of the old at first), and validate, keep and leave that",
       .value = "D",
       .default_text = "off",
       .above = 0,
       .below = 1});
    v("clip_norm", o.clip_norm,
      {.help = "Scale gradients down to this norm; 0 is off", .minimum = 0, .maximum = 1e9});
    v("label_smoothing", o.label_smoothing,
      {.help = "Share of the target probability spread evenly over the vocabulary",
       .minimum = 0,
       .below = 1});
  }

  template <class Self, class Visitor>
  static void visit_length(Self& o, Visitor&& v) {
    v.group("Length");
    v("epochs", o.epochs,
      {.help = "Stop after so many passes over the data (default 20 where no other end is given)",
       .unit = "epochs",
       .default_text = "20",
       .minimum = 1,
       .maximum = 1e6,
       .incidental = true});
    v("steps", o.steps,
      {.help = "Stop after so many steps",
       .unit = "steps",
       .default_text = "off",
       .minimum = 1,
       .maximum = 1e9,
       .incidental = true});
    v("minutes", o.minutes,
      {.help = "Stop after this time, from learning the vocabulary on; the result depends on the "
               "machine's speed",
       .unit = "minutes",
       .default_text = "off",
       .maximum = 1e6,
       .above = 0,
       .incidental = true});
  }

  template <class Self, class Visitor>
  static void visit_running(Self& o, Visitor&& v) {
    v.group("Validation");
    v("validate_every", o.validate_every,
      {.help = "Validate every N steps; 0: after each epoch",
       .unit = "steps",
       .minimum = 0,
       .maximum = 1e9});
    v("validate_by", o.validate_by,
      {.help = "Metric that decides which validation is the best, for --patience and --average "
               "best: the loss, or BLEU or chrF of the translated validation source (both are "
               "reported)"});
    v("bleu_tokenize", o.bleu_tokenize,
      {.help = "Tokenizer of BLEU in validations, named as sacreBLEU's --tokenize",
       .default_text = "by the script of the validation target"});
    v("patience", o.patience,
      {.help = "Stop after so many validations in a row without a better one; 0 is off",
       .unit = "validations",
       .minimum = 0,
       .maximum = 1e6,
       .incidental = true});
    v.group("Keeping");
    v("keep", o.keep,
      {.help = "Number of checkpoints (weights) kept, one per validation or epoch",
       .unit = "checkpoints",
       .minimum = 1,
       .maximum = 10000});
    v("average", o.average,
      {.help = "The model is the mean of checkpoints: last:K or best:K",
       .value = "last:K|best:K",
       .default_text = "the last weights"});
    v("save_minutes", o.save_minutes,
      {.help = "Save the training state each time so much time has passed, beside each "
               "validation",
       .unit = "minutes",
       .minimum = 0,
       .maximum = 1e6,
       .incidental = true});
    v("resume", o.resume,
      {.help = "Go on where a stopped run of the same options stood", .incidental = true});
    v("overwrite", o.overwrite,
      {.help = "Replace a model that stands in the folder", .incidental = true});
    v("other_instruction_set", o.other_instruction_set,
      {.help = "Resume on another instruction set, which gives other bytes", .incidental = true});
    v.group("Running");
    v("seed", o.seed,
      {.help = "Of initial weights, order and dropout", .minimum = 0, .maximum = 9e15});
    v("compute", o.compute,
      {.help = "What matrix products compute in: auto is bf16 where this machine multiplies it "
               "faster, else fp32. Weights, sums and the rest are fp32 either way",
       .excluded = "int8",
       .incidental = true});
    v("threads", o.threads, kThreadsOption);
    v("memory_check", o.memory_check,
      {.help = "Refuse a training that needs more memory than the machine, the control group or "
               "ulimit -v has left",
       .incidental = true});
    v("strict", o.strict, kStrictOption);
    v("report_every", o.report_every,
      {.help = "Report each time so many steps are done",
       .unit = "steps",
       .minimum = 1,
       .maximum = 1e9,
       .incidental = true});
  }
};

// Whether the run validates, and on text that is given, not held out.
bool validates(const TrainOptions& options);
bool names_validation_text(const TrainOptions& options);

// Whether validations translate: --validate-by is bleu or chrf.
bool translates_to_validate(const TrainOptions& options);

// Throws UsageError where options contradict each other; ranges are checked as they are read.
void check_consistent(const TrainOptions& options);

// "last:5" or "best:5".
struct Averaging {
  enum class Kind { none, last, best } kind = Kind::none;
  int64_t count = 0;
};
Averaging parse_averaging(const std::string& text);

// With what stands for options that say nothing, by preset, schedule and optimizer. What comes from
// the model of --initialize stays unsaid.
TrainOptions with_defaults(TrainOptions options);

// The options that say something and change nothing, since --initialize or --tokenizer-model has
// decided it: their flags.
std::vector<std::string> overruled(const TrainOptions& options);

// Epochs at which a run ends: 20 where no other end is given either, none where one is.
std::optional<int64_t> epoch_limit(const TrainOptions& options);

// The batches of one epoch.
BatchPlan batches_of_epoch(const TrainOptions& options, const Corpus& corpus, int64_t epoch);

// With defaults, and with what the text decides, as the training state records it: the step at
// which a schedule ends is part of a run, though how far the run goes is not. `epoch_steps` counts
// the first epoch's, where that is asked for; later ones may have a few more or less. UsageError if
// the schedule would end within its warm-up.
TrainOptions resolved(const TrainOptions& options, const std::function<int64_t()>& epoch_steps);

// Tokens that each thread reads at a time when it validates: no more than a shard has in training,
// so that it takes no more memory than a step gave back. No result depends on it but by its last
// digits.
int64_t tokens_between_steps(const TrainOptions& options);

// Sizes by preset and by what overrides it, for a vocabulary.
ModelConfig model_config(const TrainOptions& options, int64_t vocabulary, int64_t classes);

// `config`, of the model of --initialize, with the dropout that the options ask for. UsageError
// where they ask for another kind of model.
ModelConfig tuned_config(const TrainOptions& options, ModelConfig config);

}  // namespace heed
