// heed train: two text files to a model directory.
#include "command.h"
#include "heed/backend/compute.h"
#include "train_display.h"

namespace heed {
namespace {

class TrainCommand : public CommandOf<TrainOptions> {
 public:
  std::string name() const override { return "train"; }
  std::string summary() const override { return "Trains a model on two files of parallel text"; }
  std::string description() const override {
    return "Line i of the target translates line i of the source. The model's folder then holds "
           "all "
           "that translating needs, in the layout that transformers opens as MarianMTModel, and "
           "metrics.jsonl, the course of the training. SIGINT and SIGTERM finish the step, save "
           "and "
           "end; --resume goes on.";
  }

  int run(const std::vector<std::string>&, Console& console) override {
    const auto backend = make_cpu_backend(settings_.compute, Task::train);
    TrainDisplay display(settings_, *backend, console);
    return display.close(train(settings_, *backend, display));
  }
};

}  // namespace

std::unique_ptr<Command> make_train_command() {
  return std::make_unique<TrainCommand>();
}

}  // namespace heed
