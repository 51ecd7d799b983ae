// The subcommands, one source file each.
#pragma once

#include "console/command.h"

namespace heed {

Command make_train_command();
Command make_translate_command();
Command make_evaluate_command();
Command make_score_command();
Command make_generate_command();
Command make_tag_command();
Command make_classify_command();
Command make_parse_command();
Command make_serve_command();
Command make_align_command();
Command make_clean_command();
Command make_calibrate_command();
Command make_average_command();
Command make_quantize_command();
Command make_inspect_command();
Command make_bench_command();
Command make_phrasebook_command();
Command make_demo_command();
Command make_version_command();
Command make_completion_command();
Command make_manual_command();
Command make_options_command();

// Options that several commands have.
inline constexpr OptionInfo kModelOption{
    .help = "Model directory", .value = "DIR", .required = true};

// For TextOutput.
inline constexpr OptionInfo kOutputOption{
    .help = "Output file, written atomically, gzip if its name ends in .gz; - is standard output",
    .value = "FILE",
    .default_text = "standard output"};

// Where the number of threads matters: measurements, and training for a number of minutes.
inline constexpr OptionInfo kThreadCountOption = [] {
  OptionInfo info = kThreadsOption;
  info.help = "Number of threads";
  return info;
}();

// The inspections of `heed inspect`: each is a command, whose words are those after its name, and
// these are options and names that several of them have.
Command make_inspect_model_command();
Command make_inspect_attention_command();
Command make_inspect_run_command();
Command make_inspect_data_command();

inline constexpr OptionInfo kInspectedModelOption{
    .help = "The model whose attention is shown; for data: count tokens with its tokenizers",
    .value = "DIR"};
inline constexpr OptionInfo kInspectionPageOption{
    .help = "Also write an HTML page with pictures to this file", .value = "FILE"};
inline constexpr OptionInfo kInspectionJsonOption{
    .help = "Print one JSON object; of data with all lines of every finding"};

// Whether this is the name of a preset of a model.
bool is_preset(const std::string& name);

}  // namespace heed
