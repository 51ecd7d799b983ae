// The subcommands, one source file each.
#pragma once

#include <memory>

#include "console/command.h"

namespace heed {

std::unique_ptr<Command> make_train_command();
std::unique_ptr<Command> make_translate_command();
std::unique_ptr<Command> make_evaluate_command();
std::unique_ptr<Command> make_score_command();
std::unique_ptr<Command> make_serve_command();
std::unique_ptr<Command> make_average_command();
std::unique_ptr<Command> make_quantize_command();
std::unique_ptr<Command> make_inspect_command();
std::unique_ptr<Command> make_bench_command();
std::unique_ptr<Command> make_phrasebook_command();
std::unique_ptr<Command> make_demo_command();
std::unique_ptr<Command> make_version_command();
std::unique_ptr<Command> make_completion_command();
std::unique_ptr<Command> make_manual_command();
std::unique_ptr<Command> make_options_command();

}  // namespace heed
