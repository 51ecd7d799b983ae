#include "heed/run/train_options.h"

namespace heed {
namespace {

// "3+3 layers, d_model 256"
std::string sizes_of(Preset which) {
  const ModelConfig config = preset(to_text(which));
  return fmt::format("{}+{} layers, d_model {}", config.encoder_layers, config.decoder_layers,
                     config.d_model);
}

// Texts that name values declared elsewhere.
struct OptionTexts {
  std::string presets =
      fmt::format("Model size: tiny ({}), small ({}), base and big (Table 3 of the paper)",
                  sizes_of(Preset::tiny), sizes_of(Preset::small));
  std::string attention_dropout =
      to_text(ModelConfig().attention_dropout) + ", or that of --finetune-from";
  std::string activation_dropout =
      to_text(ModelConfig().activation_dropout) + ", or that of --finetune-from";
  std::string initialization = to_text(TrainOptions::kDefaultInitialization);
  std::string learning_rate =
      fmt::format("{} with noam, else {}, or chosen with --minutes",
                  TrainOptions::kDefaultNoamFactor, TrainOptions::kDefaultPeak);
  std::string warmup = fmt::format("0 with constant, else {}, or chosen with --minutes",
                                   TrainOptions::kDefaultWarmup);
  std::string final_fraction = to_text(TrainOptions::kDefaultFinalFraction);
  std::string weight_decay = to_text(TrainOptions::kDefaultWeightDecay);
  std::string label_smoothing = fmt::format("{}, or 0 with a --task that is not translation",
                                            TrainOptions::kDefaultLabelSmoothing);
  std::string epochs =
      fmt::format("{}, or no limit with --steps or --minutes", TrainOptions::kDefaultEpochs);
};

// The files to learn from.
void visit_text(TrainOptions& o, OptionCollector& v) {
  v("task", o.task,
    {.help =
         "What the model learns: to translate --source into --target (translation); --text "
         "alone, with a decoder without an encoder (language-model); the tree over the words of "
         "a sentence, from --trees (parse); or, with an encoder without a decoder, a label of "
         "--target for each word of --source (tag), or for each line (classify)"});
  v("source", o.source,
    {.help = "Source text, one sentence per line, plain or .gz; several files are concatenated",
     .value = "FILE...",
     .default_text = "required without --tsv",
     .ignored_in_comparison = true});
  v("target", o.target,
    {.help = "Target text: line i translates line i of the source",
     .value = "FILE...",
     .default_text = "required without --tsv",
     .ignored_in_comparison = true});
  TsvOptions::visit(o.tabular, v);
  v("corpus", o.corpora,
    {.help = "Corpora to mix, instead of --source and --target: in a configuration each is a table "
             "[[corpus]] with name, source and target or tsv, and optionally weight, tag and "
             "filters of its own",
     .value = "JSON",
     .default_text = "none"});
  v("stage", o.stages,
    {.help = "How corpora are mixed, one stage after the other: in a configuration each is a table "
             "[[stage]] with mix (\"clean=0.6\", \"back=0.4\") and until (\"2 epochs of clean\", "
             "\"5000 steps\", \"5 validations without improvement\")",
     .value = "JSON",
     .default_text = "one, by the weights of the corpora"});
  v("text", o.text,
    {.help = "Text of a language model, plain or .gz: each line is a text of its own",
     .value = "FILE...",
     .default_text = "required with --task language-model",
     .ignored_in_comparison = true});
  v("trees", o.trees,
    {.help = "Treebank of a parser, plain or .gz: one tree per line, (ROOT (NP (DT the) (NN cat)))",
     .value = "FILE...",
     .default_text = "required with --task parse",
     .ignored_in_comparison = true});
  v("function_tags", o.function_tags,
    {.help = "Learn the labels of --trees with their function tags (NP-SBJ), not without (NP)"});
}

// The files to validate on.
void visit_validation_text(TrainOptions& o, OptionCollector& v) {
  v("valid_source", o.valid_source,
    {.help = "Source side of the validation text",
     .value = "FILE",
     .default_text = "none",
     .ignored_in_comparison = true});
  v("valid_target", o.valid_target,
    {.help = "Target side of the validation text",
     .value = "FILE",
     .default_text = "none",
     .ignored_in_comparison = true});
  v("valid_tsv", o.valid_tsv,
    {.help = "Tab-separated validation text, with the same --columns, instead of two files",
     .value = "FILE",
     .default_text = "none",
     .ignored_in_comparison = true});
  v("valid_text", o.valid_text,
    {.help = "Validation text of a language model",
     .value = "FILE",
     .default_text = "none",
     .ignored_in_comparison = true});
  v("valid_trees", o.valid_trees,
    {.help = "Validation trees of a parser",
     .value = "FILE",
     .default_text = "none",
     .ignored_in_comparison = true});
  v("validation", o.validation_texts,
    {.help = "Further validation texts: in a configuration each is a table [[validation]] with "
             "name, and source and target or tsv. Each validation reports their loss and, where it "
             "translates, their scores",
     .value = "JSON",
     .default_text = "none"});
  v("hold_out", o.hold_out,
    {.help =
         "Number of validation pairs (lines of --text or --trees) drawn at random from the "
         "training "
         "text and written to held_out.source and held_out.target (held_out.text, held_out.trees) "
         "in the model's directory. They, and all other pairs with the same source, are removed "
         "from the training text",
     .unit = "pairs",
     .default_text = "0, or chosen with --minutes if no validation text is given",
     .minimum = 0,
     .maximum = 1e6});
}

void visit_data(TrainOptions& o, OptionCollector& v) {
  v.group("Data");
  visit_text(o, v);
  visit_validation_text(o, v);
  v("model", o.model,
    {.help = "Directory of the model, created if it does not exist",
     .value = "DIR",
     .required = true,
     .ignored_in_comparison = true});
  v("source_language", o.source_language,
    {.help = "Code of the source language, such as zh; stored in the model",
     .value = "CODE",
     .default_text = "none, or that of --finetune-from"});
  v("target_language", o.target_language,
    {.help = "Code of the target language, such as en; stored in the model",
     .value = "CODE",
     .default_text = "none, or that of --finetune-from"});
  FilterOptions::visit(o.filters, v);
  TokenizerOptions::visit(o.tokenizer, v);
  v("vocabularies", o.vocabularies,
    {.help = "Learn one vocabulary for both languages (joint), or one for each language (separate; "
             "needs --tie-embeddings decoder or none)"});
  v("tokenizer_model", o.tokenizer_model,
    {.help = "Use this SentencePiece model instead of training one",
     .value = "FILE",
     .default_text = "none",
     .ignored_in_comparison = true});
  v.group("Varied text");
  SubwordSamplingOptions::visit(o.subword_sampling, v);
  v("vary", o.vary,
    {.help =
         "Vary pairs of the training text, others in each epoch: upper (both sides in capitals), "
         "title (a capital for each word), unpunctuated (without the punctuation at the end), "
         "typos (typing errors in the source), joined (two pairs as one), noise (a web address, "
         "code, placeholder or emoji on both sides). Each may have the share of the pairs that it "
         "varies (typos=0.1); 0.05 otherwise",
     .value = "NAME[=X]...",
     .default_text = "none"});
  v.group("Alignment");
  v("guided_alignment", o.guided_alignment,
    {.help = "Teach an attention head of the decoder which words translate each other, for better "
             "alignments: self learns them from the text, as heed align does; or files with a line "
             "of links for each pair (0-0 2-1)",
     .value = "self|FILE...",
     .default_text = "none"});
  v("guided_alignment_weight", o.guided_alignment_weight,
    {.help = "Weight of the loss of that head, beside that of the translation",
     .default_text = "0.1",
     .maximum = 100,
     .above = 0});
}

void visit_model(TrainOptions& o, OptionCollector& v, const OptionTexts& texts) {
  v.group("Model");
  v("preset", o.preset,
    {.help = texts.presets, .default_text = "base, or sizes chosen with --minutes"});
  v("encoder_layers", o.encoder_layers,
    {.help = "Number of encoder layers",
     .default_text = "by preset, or chosen with --minutes",
     .minimum = 1,
     .maximum = 1000});
  v("decoder_layers", o.decoder_layers,
    {.help = "Number of decoder layers",
     .default_text = "by preset, or chosen with --minutes",
     .minimum = 1,
     .maximum = 1000});
  v("d_model", o.d_model,
    {.help = "Dimension of the model",
     .default_text = "by preset, or chosen with --minutes",
     .minimum = 2,
     .maximum = 65536});
  v("heads", o.heads,
    {.help = "Number of attention heads; must divide --d-model",
     .default_text = "by preset, or chosen with --minutes",
     .minimum = 1,
     .maximum = 65536});
  v("d_ff", o.d_ff,
    {.help = "Inner dimension of the feed-forward networks",
     .default_text = "by preset, or chosen with --minutes",
     .minimum = 1,
     .maximum = 1 << 20});
  v("activation", o.activation,
    {.help = "Activation function of the feed-forward networks; swiglu multiplies silu by a second "
             "projection (a third matrix of d_model x d_ff)"});
  v("tie_embeddings", o.tie_embeddings,
    {.help = "Matrices that are shared: all (source embedding, target embedding and output "
             "projection), decoder (target embedding and output projection), none"});
  v("dropout", o.dropout,
    {.help = "Dropout on sub-layer outputs and on the sums of embeddings and positional encodings",
     .default_text = "by preset, that of --finetune-from, or chosen with --minutes",
     .minimum = 0,
     .below = 1});
  v("attention_dropout", o.attention_dropout,
    {.help = "Dropout on attention weights",
     .default_text = texts.attention_dropout,
     .minimum = 0,
     .below = 1});
  v("activation_dropout", o.activation_dropout,
    {.help = "Dropout on the activations of the feed-forward networks",
     .default_text = texts.activation_dropout,
     .minimum = 0,
     .below = 1});
  v("initialization", o.initialization,
    {.help = "Initialization of weight matrices: fan-in (uniform within 1 / sqrt(inputs)) or "
             "xavier (uniform within sqrt(6 / (inputs + outputs)), which needs a long warm-up)",
     .default_text = texts.initialization});
  v("finetune_from", o.finetune_from,
    {.help =
         "Fine-tune this model: start from its weights, with its vocabulary and sizes, and with "
         "its dropout unless given",
     .value = "DIR",
     .default_text = "none: random weights",
     .ignored_in_comparison = true});
}

void visit_batches(TrainOptions& o, OptionCollector& v) {
  v.group("Batches");
  BatchOptions::visit(o.batches, v);
  v("accumulate", o.accumulate,
    {.help = "Gradient accumulation: number of batches per optimizer step",
     .unit = "batches",
     .minimum = 1,
     .maximum = 4096});
  v("shards", o.shards,
    {.help =
         "Split each batch into N parts (a power of two), computed in parallel by at most N "
         "threads. Their gradients are summed in a fixed order, so the result depends on N, but "
         "not on the number of threads",
     .default_text = "4, or 1 with --device cuda",
     .minimum = 1,
     .maximum = 1024});
}

void visit_optimizer(TrainOptions& o, OptionCollector& v, const OptionTexts& texts) {
  v.group("Optimizer");
  v("schedule", o.schedule,
    {.help = "Learning rate schedule after the warm-up; noam (the paper's) and inverse-sqrt: falls "
             "with the inverse square root of the step; linear and cosine: falls from the peak to "
             "--final-fraction of it; constant: stays at the peak",
     .default_text = "noam, or linear with --minutes"});
  v("learning_rate", o.learning_rate,
    {.help = "Peak learning rate; with noam: factor on the paper's formula",
     .default_text = texts.learning_rate,
     .maximum = 1000,
     .above = 0});
  v("warmup_steps", o.warmup_steps,
    {.help = "Number of steps over which the learning rate rises to its peak",
     .unit = "steps",
     .default_text = texts.warmup,
     .minimum = 0,
     .maximum = kMaxSteps});
  v("decay_steps", o.decay_steps,
    {.help =
         "Step, counted from the start of the run, at which a linear or cosine schedule reaches "
         "its final learning rate",
     .unit = "steps",
     .default_text = "--steps, the steps of --epochs, or as many as --minutes allows, estimated "
                     "after 100 steps",
     .minimum = 1,
     .maximum = kMaxSteps});
  v("final_fraction", o.final_fraction,
    {.help = "Final learning rate of a linear or cosine schedule, as a fraction of the peak",
     .default_text = texts.final_fraction,
     .minimum = 0,
     .maximum = 1});
  v("optimizer", o.optimizer,
    {.help = "Optimizer: adam (the paper's), or adamw, which also subtracts learning rate * "
             "--weight-decay * parameter, except from biases and layer norms"});
  v("weight_decay", o.weight_decay,
    {.help = "Weight decay of adamw",
     .default_text = texts.weight_decay,
     .minimum = 0,
     .maximum = 1000});
  v("beta1", o.beta1, {.help = "Decay rate of Adam's first moments", .minimum = 0, .below = 1});
  v("beta2", o.beta2, {.help = "Decay rate of Adam's second moments", .minimum = 0, .below = 1});
  v("epsilon", o.epsilon, {.help = "Adam's epsilon", .maximum = 1, .above = 0});
  v("ema", o.ema,
    {.help =
         "Compute an exponential moving average (EMA) of the weights: after step s, ema = d * "
         "ema + (1 - d) * weights, with d = min(D, (1 + s) / (10 + s)). Validation, checkpoints "
         "and the model use it",
     .value = "D",
     .default_text = "off",
     .above = 0,
     .below = 1});
  v("clip_norm", o.clip_norm,
    {.help = "Maximum norm of the gradient, which is scaled down to it; 0 disables",
     .minimum = 0,
     .maximum = 1e9});
  v("label_smoothing", o.label_smoothing,
    {.help = "Label smoothing: share of the target probability spread evenly over the vocabulary",
     .default_text = texts.label_smoothing,
     .minimum = 0,
     .below = 1});
}

void visit_duration(TrainOptions& o, OptionCollector& v, const OptionTexts& texts) {
  v.group("Duration");
  v("epochs", o.epochs,
    {.help = "Stop after this many passes over the data",
     .unit = "epochs",
     .default_text = texts.epochs,
     .minimum = 1,
     .maximum = 1e6,
     .ignored_in_comparison = true});
  v("steps", o.steps,
    {.help = "Stop after this many steps",
     .unit = "steps",
     .default_text = "off",
     .minimum = 1,
     .maximum = kMaxSteps,
     .ignored_in_comparison = true});
  v("minutes", o.minutes,
    {.help = "Stop after this time, which includes training the vocabulary; the result depends on "
             "the speed of the machine. Without --steps and --epochs, a translator's size, "
             "vocabulary, batches, learning rate, dropout and held-out text are chosen for the "
             "text and this time, unless given, and the log says which",
     .unit = "minutes",
     .default_text = "off",
     .maximum = 1e6,
     .above = 0,
     .ignored_in_comparison = true});
}

void visit_validation(TrainOptions& o, OptionCollector& v) {
  v.group("Validation");
  v("validate_every", o.validate_every,
    {.help = "Validate every N steps; 0: after each epoch",
     .unit = "steps",
     .minimum = 0,
     .maximum = kMaxSteps});
  v("validation_metric", o.validation_metric,
    {.help =
         "Metric by which --patience and --average best:K compare validations: the loss, or BLEU "
         "or chrF of the translated validation source (with bleu or chrf, both BLEU and chrF are "
         "reported), or the bracket F1 of a parser's trees"});
  v("scored_lines", o.scored_lines,
    {.help =
         "Number of validation lines, evenly spaced, that are translated for BLEU and chrF (with "
         "--task parse: for bracket F1) at validations by loss, unless that would take more than "
         "1% of the time; 0: none",
     .unit = "lines",
     .minimum = 0,
     .maximum = 1e6,
     .ignored_in_comparison = true});
  v("bleu_tokenize", o.bleu_tokenize,
    {.help = "Tokenizer of BLEU in validations, named as sacreBLEU's --tokenize",
     .default_text = "by the writing system of the validation target"});
  v("patience", o.patience,
    {.help = "Stop after this many validations without improvement; 0 disables",
     .unit = "validations",
     .minimum = 0,
     .maximum = 1e6,
     .ignored_in_comparison = true});
  v("patience_on", o.patience_on,
    {.help = "What --patience, and stages that end without improvement, wait for: "
             "--validation-metric of the first validation text, any, or all of the numbers that "
             "validations rank: the loss and, if --validation-metric is not loss, the scores, of "
             "each validation text"});
}

void visit_checkpoints(TrainOptions& o, OptionCollector& v) {
  v.group("Checkpoints");
  v("keep_checkpoints", o.keep_checkpoints,
    {.help = "Keep the N most recent checkpoints (the weights after each epoch, or every "
             "--validate-every steps); 0: only those that --average needs. With --average best:K, "
             "keep the N best. --resume needs only those that --average needs",
     .unit = "checkpoints",
     .minimum = 0,
     .maximum = 10000});
  v("keep_best", o.keep_best,
    {.help = "Keep the weights with the best of each number that validations rank "
             "(--patience-on) in training/best-NUMBER.safetensors, such as best-bleu.safetensors, "
             "with the translations of that validation; heed average makes a model of them"});
  v("average", o.average,
    {.help = "Write the average of the last K checkpoints, or of the best K, as the model",
     .value = "last:K|best:K",
     .default_text = "no averaging"});
  v("save_minutes", o.save_minutes,
    {.help = "Save the training state every X minutes, and after each validation; 0: after each "
             "step",
     .unit = "minutes",
     .minimum = 0,
     .maximum = 1e6,
     .ignored_in_comparison = true});
  v("resume", o.resume,
    {.help = "Resume an interrupted run, with the same options", .ignored_in_comparison = true});
  v("overwrite", o.overwrite,
    {.help = "Overwrite an existing model, or write into a directory that holds other files",
     .ignored_in_comparison = true});
  v("allow_other_instruction_set", o.allow_other_instruction_set,
    {.help = "Allow --resume on a CPU with another instruction set, which changes the result",
     .ignored_in_comparison = true});
}

void visit_runtime(TrainOptions& o, OptionCollector& v) {
  v.group("Runtime");
  v("seed", o.seed,
    {.help = "Random seed for initialization, data order and dropout",
     .minimum = 0,
     .maximum = 9e15});
  v("device", o.device, kDeviceOption);
  v("compute", o.compute,
    {.help = "Compute type of matrix products; auto: bf16 if that is faster on this machine, else "
             "fp32. Weights, sums and all other operations are fp32 in either case",
     .excluded = "int8",
     .ignored_in_comparison = true});
  v("threads", o.threads, kThreadsOption);
  v("memory_check", o.memory_check,
    {.help =
         "Refuse to train if it needs more memory than the machine, the control group (cgroup) or "
         "ulimit -v has left",
     .ignored_in_comparison = true});
  v("strict", o.strict,
    {.help = "Fail on invalid UTF-8 or, with --tsv, missing columns instead of dropping the pair",
     .ignored_in_comparison = true});
  v("report_every", o.report_every,
    {.help = "Report every N steps",
     .unit = "steps",
     .minimum = 1,
     .maximum = kMaxSteps,
     .ignored_in_comparison = true});
  v("tensorboard", o.tensorboard,
    {.help = "Also write reports and validations to an event file in this directory, which "
             "TensorBoard shows as curves",
     .value = "DIR",
     .default_text = "none",
     .ignored_in_comparison = true});
  v("report", o.report,
    {.help = "Keep training/report.html in the directory of the model up to date: a page of the "
             "run's curves, options and samples of its output, for a browser",
     .ignored_in_comparison = true});
  v("examples", o.examples,
    {.help = "Store three short lines of the validation text (without one, of the training text) "
             "with the model, which the page of heed serve offers as examples",
     .ignored_in_comparison = true});
}

}  // namespace

void TrainOptions::visit(TrainOptions& self, OptionCollector& v) {
  static const OptionTexts texts;
  visit_data(self, v);
  visit_model(self, v, texts);
  Variants::visit(self.variants, v);
  visit_batches(self, v);
  visit_optimizer(self, v, texts);
  visit_duration(self, v, texts);
  visit_validation(self, v);
  visit_checkpoints(self, v);
  visit_runtime(self, v);
}

}  // namespace heed
