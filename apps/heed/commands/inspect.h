// The inspections of `heed inspect`: each is a command, whose words are those after its name.
#pragma once

#include "console/command.h"

namespace heed {

Command make_inspect_model_command();
Command make_inspect_attention_command();
Command make_inspect_run_command();
Command make_inspect_data_command();

// Options that several of them have.
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
