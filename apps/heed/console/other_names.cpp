#include "console/other_names.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "console/command.h"

namespace heed {
namespace {

constexpr std::string_view kOnCpu = "heed runs on the CPU";
constexpr std::string_view kByMinutes = "heed saves by time";

// From Marian, fairseq, OpenNMT-py, CTranslate2, transformers, sacreBLEU and SentencePiece.
constexpr OtherNames kOptions[] = {
    // Text and files
    {"source", "src s i input train_src train_sets trainpref source_file data train"},
    {"target", "tgt trg t train_tgt train_sets trainpref target_file train"},
    {"valid_source", "valid_src valid_sets validpref dev_source valid dev"},
    {"valid_target", "valid_tgt valid_trg valid_sets validpref dev_target valid dev"},
    {"hold_out", "valid valid_data validation_split val_split valid_size test_size"},
    {"tsv", "data csv"},
    {"input", "i src s source input_file text"},
    {"hypothesis", "hyp hyps hypotheses sys i input prediction predictions translations"},
    {"reference", "r ref refs tgt t target"},
    {"model",
     "m models path model_path model_dir model_name_or_path model_name checkpoint ct2_model"},
    {"model", "save_dir save_model output output_dir destdir o", "", "train"},
    {"output", "o out output_file output_dir results_path save_dir"},
    {"source_language", "source_lang src_lang"},
    {"target_language", "target_lang tgt_lang trg_lang"},
    {"config", "c config_file yaml"},
    // Vocabulary
    {"user_symbols", "user_defined_symbols extra_symbols"},
    {"vocabulary_size", "vocabulary vocab_size src_vocab_size tgt_vocab_size dim_vocabs v"},
    {"vocabularies", "share_vocab joined_dictionary"},
    {"tokenizer_model", "vocab vocabs v src_vocab tgt_vocab spm sentencepiece_model"},
    {"tokenizer", "model_type tokenizer_type bpe"},
    {"normalization", "normalization_rule_name"},
    {"max_sentence_tokens",
     "max_tokens src_seq_length tgt_seq_length max_source_positions max_length max_len",
     "of a sentence"},
    // Model
    {"preset", "arch a task size type"},
    {"encoder_layers", "enc_depth enc_layers layers num_layers"},
    {"decoder_layers", "dec_depth dec_layers layers num_layers"},
    {"d_model", "dim_emb hidden_size rnn_size word_vec_size encoder_embed_dim decoder_embed_dim"},
    {"d_ff", "transformer_dim_ffn transformer_ff encoder_ffn_embed_dim ffn_dim"},
    {"heads", "transformer_heads num_heads attention_heads encoder_attention_heads"},
    {"activation",
     "activation_fn activation_function transformer_ffn_activation pos_ffn_activation_fn "
     "hidden_act"},
    {"attention", "global_attention attention_type score_function"},
    {"attention_reach", "sliding_window attention_window local_attention"},
    {"key_value_heads", "num_key_value_heads num_kv_heads num_kv multiquery kv_heads"},
    {"d_key", "d_k d_kv head_dim"},
    {"d_value", "d_v"},
    {"positions",
     "position_encoding position_encoding_type position_embedding_type max_relative_positions "
     "encoder_learned_pos decoder_learned_pos transformer_train_position_embeddings"},
    {"norm",
     "encoder_normalize_before decoder_normalize_before normalize_before norm_first "
     "transformer_preprocess transformer_postprocess"},
    {"norm_kind", "layer_norm"},
    {"tie_embeddings",
     "tied_embeddings tied_embeddings_all share_embeddings share_all_embeddings "
     "share_decoder_input_output_embed"},
    {"dropout", "transformer_dropout"},
    {"attention_dropout", "transformer_dropout_attention"},
    {"activation_dropout", "transformer_dropout_ffn relu_dropout"},
    {"finetune_from", "initialize pretrained_model train_from restore_file finetune_from_model"},
    {"initialization", "initial_weights init param_init param_init_glorot"},
    // Batches and the optimizer
    {"batch_tokens", "batch_size max_batch_size max_tokens mini_batch mini_batch_words b",
     "in tokens"},
    {"batch_sentences", "batch_size mini_batch max_sentences per_device_train_batch_size b"},
    {"accumulate",
     "update_freq accum_count gradient_accumulation_steps accumulate_grad_batches optimizer_delay"},
    {"schedule", "lr_scheduler lr_scheduler_type decay_method lr_decay_strategy"},
    {"learning_rate", "lr learn_rate l"},
    {"warmup_steps", "warmup lr_warmup warmup_updates"},
    {"optimizer", "optim"},
    {"beta1", "adam_beta1 adam_betas optimizer_params"},
    {"beta2", "adam_beta2 adam_betas optimizer_params"},
    {"epsilon", "adam_eps adam_epsilon"},
    {"ema", "exponential_smoothing ema_decay average_decay"},
    {"clip_norm", "max_grad_norm gradient_clip_val"},
    {"label_smoothing", "label_smoothing_factor"},
    // The run
    {"epochs", "max_epoch max_epochs num_train_epochs num_epochs after_epochs after e"},
    {"steps", "max_update max_updates max_steps train_steps num_steps after_batches after"},
    {"minutes", "time max_time hours"},
    {"validate_every",
     "valid_freq valid_steps eval_steps validate_interval validate_interval_updates"},
    {"validation_metric", "validate_by valid_metrics best_checkpoint_metric metric_for_best_model"},
    {"patience", "early_stopping early_stopping_patience"},
    {"keep_checkpoints",
     "keep keep_checkpoint keep_last_epochs keep_interval_updates save_total_limit"},
    {"save_minutes", "save_freq save_interval save_checkpoint_steps save_steps", kByMinutes},
    {"guided_alignment", "load_alignments align alignments guided_alignment_file", "", "train"},
    {"guided_alignment_weight", "lambda_align alignment_weight", "", "train"},
    {"report_every", "disp_freq log_interval logging_steps"},
    {"tensorboard",
     "tensorboard_logdir tensorboard_log_dir logdir log_dir logging_dir report_to summary_dir"},
    {"allow_other_instruction_set", "other_instruction_set"},
    {"resume", "resume_from_checkpoint train_from restore_file continue"},
    {"overwrite", "overwrite_output_dir no_reload force f"},
    {"compute", "compute_type fp16 bf16 int8 precision dtype torch_dtype amp mixed_precision"},
    {"type", "quantization compute compute_type dtype q"},
    {"threads", "cpu_threads num_threads num_workers workers inter_threads intra_threads jobs j"},
    {"threads", "gpu gpus gpu_ranks device devices device_index cuda d world_size", kOnCpu},
    {"quiet", "q silent quiet_translation"},
    // Translation
    {"beam", "beam_size beams num_beams beam_width b"},
    {"nbest", "n_best num_hypotheses num_return_sequences"},
    {"length_penalty", "lenpen alpha normalize"},
    {"extra_length", "max_len_a max_len_b max_length_factor"},
    {"max_length", "max_len max_len_b max_new_tokens max_decoding_length"},
    {"min_length", "min_len min_new_tokens min_decoding_length"},
    {"no_repeat_ngram_size", "no_repeat_ngram block_ngram_repeat"},
    {"beam_groups", "diverse_beam_groups num_beam_groups diverse_groups"},
    {"diversity_penalty", "diverse_beam_strength diversity"},
    {"sample", "sampling do_sample output_sampling"},
    {"temperature", "sampling_temperature random_sampling_temp temp"},
    {"top_k", "sampling_topk random_sampling_topk topk"},
    {"top_p", "sampling_topp random_sampling_topp topp nucleus"},
    {"target_prefix", "prefix tgt_prefix prefix_size force_decode"},
    {"alignments", "alignment print_alignment report_align return_attention output_attentions"},
    {"format", "return_scores print_scores with_score json"},
    // Inspection
    {"max_ratio_deviation", "max_ratio", "", "inspect"},
    {"max_table_entries", "table"},
    // Evaluation
    {"metrics", "m metric"},
    {"bleu_tokenize", "tokenize tok"},
    {"lowercase", "lc uncased"},
    {"sentence", "sentence_level sl sentence_bleu"},
    {"paired", "paired_bs paired_ar bootstrap"},
    {"paired_trials", "paired_bs_n paired_ar_n num_samples"},
    {"json", "format"},
    // The server
    {"listen", "host port bind address"},
    {"max_characters", "char_limit"},
    {"max_body", "body_limit"},
    {"timeout", "batch_timeout request_timeout"},
    {"trusted_proxies", "proxy trusted_proxy trusted_hosts"},
    // The demo
    {"directory", "output o dir output_dir model m"},
};

constexpr OtherNames kCommands[] = {
    {"train", "fit learn finetune fine_tune trainer run"},
    {"train", "preprocess tokenize build_vocab spm_train vocab",
     "heed train learns the vocabulary"},
    {"translate", "decode decoder infer inference predict interactive translator"},
    {"serve", "server api http web daemon listen"},
    {"evaluate", "eval bleu sacrebleu chrf ter test validate metrics measure"},
    {"score", "scorer rescore rescorer perplexity ppl logprob"},
    {"generate", "complete continue lm gpt"},
    {"tag", "tagger pos ner label"},
    {"classify", "classifier classification sentiment"},
    {"align", "aligner word_align fast_align eflomal giza awesome_align"},
    {"calibrate", "confidence quality quality_estimation qe estimate bergamot_qe"},
    {"clean", "filter cleaner opuscleaner opusfilter bicleaner dedup deduplicate"},
    {"average", "avg mean average_checkpoints merge"},
    {"quantize", "compress convert converter export",
     "heed reads MarianMTModel directories as they are"},
    {"inspect", "info stats show describe summary analyze"},
    {"bench", "benchmark perf profile speed"},
    {"phrasebook", "data download sample corpus dataset"},
    {"demo", "example tutorial quickstart start init"},
    {"manual", "man docs"},
};

bool has_word(std::string_view words, std::string_view wanted) {
  std::istringstream stream{std::string(words)};
  for (std::string word; stream >> word;)
    if (names_choice(wanted, word)) return true;
  return false;
}

std::string with_underscores(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '-', '_');
  return text;
}

// The commands that have the option, without heed's own tools: "heed translate, bench".
std::string commands_with(std::string_view option) {
  std::string names;
  for (const Command& command : all_commands()) {
    if (command.hidden || !find_option(command.options(), option)) continue;
    names += (names.empty() ? "heed " : ", ") + command.name;
  }
  return names;
}

std::string noted(std::string_view note) {
  return note.empty() ? "" : fmt::format(" ({})", note);
}

}  // namespace

std::span<const OtherNames> other_option_names() {
  return kOptions;
}

std::span<const OtherNames> other_command_names() {
  return kCommands;
}

std::string option_hint(const std::string& command, const Options& options, std::string_view name,
                        std::string_view prefix) {
  const std::string wanted = with_underscores(name);
  std::vector<std::string> found;
  for (const OtherNames& row : kOptions) {
    const Option* option = find_option(options, row.ours);
    if (!option || !has_word(row.others, wanted)) continue;
    if (!row.command.empty() && row.command != command) continue;
    found.push_back(
        fmt::format("'{}'{}", prefix.empty() ? option->name : option->flag(), noted(row.note)));
  }
  if (!found.empty()) return fmt::format("; did you mean {}?", fmt::join(found, " or "));
  // "-beam" is the command's own option with one dash missing.
  const std::string elsewhere = find_option(options, wanted) ? "" : commands_with(wanted);
  if (!elsewhere.empty()) return fmt::format("; it is an option of {}", elsewhere);
  return suggestion(options, name, prefix);
}

std::string command_hint(std::string_view name, std::string_view open, std::string_view close) {
  const auto meant = [&](std::string_view command, std::string_view note) {
    return fmt::format("; did you mean {}{}{}{}?", open, command, close, noted(note));
  };
  const std::string wanted = with_underscores(name);
  for (const OtherNames& row : kCommands)
    if (has_word(row.others, wanted)) return meant(row.ours, row.note);
  const std::string option(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  const std::string having = name.starts_with('-') ? commands_with(option) : "";
  if (!having.empty()) return fmt::format("; options follow the command: it is one of {}", having);
  std::vector<std::string> known;
  if (name.starts_with('-')) known = {"--help", "--version"};
  for (const Command& command : all_commands()) known.push_back(command.name);
  const std::string near = nearest(name, known);
  return near.empty() ? "" : meant(near, "");
}

}  // namespace heed
