// Options of training: one declaration gives flags, TOML keys, --help and the saved configuration
// (core/options.h). Flags and help texts are in train_options.cpp; run_settings.h has defaults
// that depend on other options, and what options may not be given together.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "heed/backend/compute.h"
#include "heed/core/options.h"
#include "heed/data/batch_options.h"
#include "heed/data/filter_options.h"
#include "heed/data/subword_sampling.h"
#include "heed/evaluate/tokenizers.h"
#include "heed/model/learning_task.h"
#include "heed/run/corpus_options.h"
#include "heed/text/text_file.h"
#include "heed/text/tokenizer_options.h"
#include "heed/train/schedule.h"

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

enum class Optimizer { adam, adamw };
constexpr std::array<std::pair<std::string_view, Optimizer>, 2> enum_names(Optimizer) {
  return {{{"adam", Optimizer::adam}, {"adamw", Optimizer::adamw}}};
}

// The number by which the validations of a run are ranked.
enum class ValidationMetric { loss, bleu, chrf, brackets };
constexpr std::array<std::pair<std::string_view, ValidationMetric>, 4> enum_names(
    ValidationMetric) {
  return {{{"loss", ValidationMetric::loss},
           {"bleu", ValidationMetric::bleu},
           {"chrf", ValidationMetric::chrf},
           {"brackets", ValidationMetric::brackets}}};
}

// What must stop to improve for --patience to end a run: the number of --validation-metric, or any
// or all of those that each validation measures.
enum class PatienceOn { metric, any, all };
constexpr std::array<std::pair<std::string_view, PatienceOn>, 3> enum_names(PatienceOn) {
  return {{{"metric", PatienceOn::metric}, {"any", PatienceOn::any}, {"all", PatienceOn::all}}};
}

// The maximum of options that count steps.
inline constexpr double kMaxSteps = 1e9;

struct TrainOptions {
  // Values of options that are not set (resolve() in run_settings.h)
  static constexpr Preset kDefaultPreset = Preset::base;
  static constexpr Schedule kDefaultSchedule = Schedule::noam;  // the paper's
  static constexpr int64_t kDefaultEpochs = 20;
  static constexpr int64_t kDefaultShards = 4;           // 1 on a GPU
  static constexpr int64_t kDefaultWarmup = 4000;        // the paper's; 0 with Schedule::constant
  static constexpr double kDefaultNoamFactor = 1;        // learning_rate of Schedule::noam
  static constexpr double kDefaultPeak = 5e-4;           // learning_rate of other schedules
  static constexpr double kDefaultFinalFraction = 0;     // of linear and cosine schedules
  static constexpr double kDefaultWeightDecay = 0.01;    // of AdamW
  static constexpr double kDefaultLabelSmoothing = 0.1;  // of translation, the paper's; else 0
  static constexpr double kDefaultGuidedAlignmentWeight = 0.1;
  static constexpr InitialWeights kDefaultInitialization = InitialWeights::fan_in;

  LearningTask task = LearningTask::translation;

  // Text. Line i of a target file translates line i of the source file. A language model has `text`
  // and `valid_text` instead, a parser `trees` and `valid_trees`.
  std::vector<std::string> source, target, text, trees;
  TsvOptions tabular;                  // instead of source and target
  std::vector<CorpusOptions> corpora;  // instead of them: several, mixed as `stages` say
  std::vector<StageOptions> stages;
  std::string valid_source, valid_target, valid_tsv, valid_text, valid_trees;
  bool function_tags = false;                           // a parser learns NP-SBJ, not NP
  std::vector<ValidationTextOptions> validation_texts;  // further ones
  std::optional<int64_t> hold_out;  // validation pairs that are drawn from the training text
  std::string model;                // the directory of the model
  std::string source_language, target_language;  // codes, stored in the model

  // Vocabulary and filters
  TokenizerOptions tokenizer;
  Vocabularies vocabularies = Vocabularies::joint;
  std::string tokenizer_model;  // a SentencePiece model to use instead of training one
  FilterOptions filters{.max_ratio = 9};
  SubwordSamplingOptions subword_sampling;
  std::vector<std::string> vary;  // variations of pairs, with their shares (text/variation.h)
  std::vector<std::string> guided_alignment;  // kAlignsItself or files of links; may be empty
  std::optional<double> guided_alignment_weight;

  // Model. Sizes and dropout that are not set are those of the preset or of `finetune_from`.
  std::optional<Preset> preset;
  std::optional<int64_t> d_model, d_ff, heads, encoder_layers, decoder_layers;
  std::optional<double> dropout, attention_dropout, activation_dropout;
  FeedForwardKind activation = ModelConfig().activation;
  TieEmbeddings tie_embeddings = ModelConfig().tie_embeddings;
  std::optional<InitialWeights> initialization;
  std::string finetune_from;  // the directory of a model to start from
  Variants variants;

  // Batches
  BatchOptions batches;
  int64_t accumulate = 1;  // batches of a step
  // Parts of a batch, whose gradients are added in a fixed order.
  std::optional<int64_t> shards;

  // Optimizer (section 5.3)
  double beta1 = AdamStep().beta1, beta2 = AdamStep().beta2, epsilon = AdamStep().epsilon;
  Optimizer optimizer = Optimizer::adam;
  std::optional<double> weight_decay;  // of AdamW
  std::optional<double> ema;           // decay of the exponential moving average of weights
  std::optional<Schedule> schedule;
  std::optional<int64_t> warmup_steps, decay_steps;
  std::optional<double> learning_rate, final_fraction;  // final_fraction: of the peak
  double clip_norm = 0;                                 // maximum norm of the gradient; 0: any
  std::optional<double> label_smoothing;                // epsilon of section 5.4

  // Duration: the run ends at the first of these
  std::optional<int64_t> epochs, steps;
  std::optional<double> minutes;

  // Validation
  int64_t validate_every = 0;  // steps; 0: after each epoch
  ValidationMetric validation_metric = ValidationMetric::loss;
  int64_t scored_lines = 300;  // that are translated for BLEU where the metric does not need it
  std::optional<BleuTokenizer> bleu_tokenize;  // by the target's writing system if not set
  int64_t patience = 0;  // validations without improvement after which a run ends; 0: no limit
  PatienceOn patience_on = PatienceOn::metric;

  // Checkpoints
  int64_t keep_checkpoints = 0;  // number of most recent ones
  bool keep_best = false;        // the weights with the best of each number
  std::string average;           // "last:K" or "best:K"
  double save_minutes = 10;      // between training states
  bool resume = false, overwrite = false;
  bool allow_other_instruction_set = false;  // may resume on another one than before

  // Runtime
  int64_t seed = 1;
  Device device = Device::cpu;
  ComputeChoice compute = ComputeChoice::automatic;
  std::optional<int64_t> threads;
  bool memory_check = true;
  bool strict = false;
  int64_t report_every = 100;  // steps
  std::string tensorboard;     // a directory for event files
  bool report = true;          // training/report.html
  bool examples = true;        // lines of the text, stored with the model

  bool is_recurrent() const { return variants.architecture == Architecture::rnn; }
  bool translates() const { return task == LearningTask::translation; }
  bool classifies() const { return task == LearningTask::tag || task == LearningTask::classify; }
  bool parses() const { return task == LearningTask::parse; }
  // Whether the model reads a source.
  bool has_source() const { return task != LearningTask::language_model; }
  // Whether the text is of --source and --target, --tsv, or corpora.
  bool has_pairs() const { return has_source() && !parses(); }
  // Whether the numbers of --patience-on any, all and --keep-best are followed.
  bool follows_scores() const { return keep_best || patience_on != PatienceOn::metric; }
  static void visit(TrainOptions& self, OptionCollector& v);
};

// The value of --guided-alignment that is no file: links are learned from the text.
inline constexpr std::string_view kAlignsItself = "self";
inline bool aligns_itself(const TrainOptions& options) {
  return options.guided_alignment == std::vector<std::string>{std::string(kAlignsItself)};
}

}  // namespace heed
