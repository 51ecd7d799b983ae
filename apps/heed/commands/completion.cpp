// heed completion bash|zsh|fish: a completion script.
#include <algorithm>
#include <filesystem>

#include "commands/commands.h"
#include "console/shell_completion.h"

namespace heed {
namespace {

class CompletionCommand : public CommandOf<NoSettings> {
 public:
  std::string name() const override { return "completion"; }
  std::string summary() const override { return "Prints the completion script of a shell"; }
  std::string description() const override {
    return "cmake --install installs it. Otherwise add 'source <(heed completion bash)' to "
           "~/.bashrc, or 'source <(heed completion zsh)' to ~/.zshrc after compinit, or run "
           "'heed completion fish > ~/.config/fish/completions/heed.fish'.";
  }
  std::string words() const override { return "bash|zsh|fish"; }
  std::vector<std::string> first_words() const override { return {"bash", "zsh", "fish"}; }

  // $SHELL is a path.
  std::string meant_by(const std::vector<std::string>& words) const override {
    const std::string shell = std::filesystem::path(words[0]).filename().string();
    return std::ranges::count(first_words(), shell) > 0 ? "heed completion " + shell : "";
  }

  int run(const std::vector<std::string>& words, Console& console) override {
    const std::string shell = words.size() == 1 ? words[0] : "";
    if (shell == "bash") {
      console.out().write(bash_completion());
    } else if (shell == "zsh") {
      console.out().write(zsh_completion());
    } else if (shell == "fish") {
      console.out().write(fish_completion());
    } else {
      fail_usage(
          "expected 'heed completion bash', 'heed completion zsh' or 'heed completion fish'");
    }
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_completion_command() {
  return std::make_unique<CompletionCommand>();
}

}  // namespace heed
