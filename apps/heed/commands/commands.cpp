#include "commands/commands.h"

namespace heed {

std::vector<Command> all_commands() {
  return {make_train_command(),      make_translate_command(), make_serve_command(),
          make_evaluate_command(),   make_score_command(),     make_average_command(),
          make_quantize_command(),   make_inspect_command(),   make_bench_command(),
          make_phrasebook_command(), make_demo_command(),      make_version_command(),
          make_completion_command(), make_manual_command(),    make_options_command()};
}

}  // namespace heed
