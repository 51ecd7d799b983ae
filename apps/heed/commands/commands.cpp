#include "commands/commands.h"

namespace heed {

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_train_command());
  commands.push_back(make_translate_command());
  commands.push_back(make_serve_command());
  commands.push_back(make_evaluate_command());
  commands.push_back(make_score_command());
  commands.push_back(make_average_command());
  commands.push_back(make_quantize_command());
  commands.push_back(make_inspect_command());
  commands.push_back(make_bench_command());
  commands.push_back(make_phrasebook_command());
  commands.push_back(make_demo_command());
  commands.push_back(make_version_command());
  commands.push_back(make_completion_command());
  commands.push_back(make_manual_command());
  commands.push_back(make_options_command());
  return commands;
}

}  // namespace heed
