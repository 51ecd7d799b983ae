// heed inspect model DIR|PRESET: what a model consists of.
#include <filesystem>

#include "command.h"
#include "heed/model/directory.h"
#include "heed/train/options.h"
#include "model_page.h"

namespace heed {
namespace {

struct InspectSettings {
  int64_t vocabulary = 37000;
  int64_t length = 25;
  bool json = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Model");
    v("vocabulary", self.vocabulary,
      {.help = "Vocabulary to assume for a preset",
       .unit = "pieces",
       .minimum = 4,
       .maximum = 1 << 24});
    v("length", self.length,
      {.help = "Length of the sentences to count for",
       .unit = "tokens",
       .minimum = 1,
       .maximum = 65536});
    v.group("Output");
    v("json", self.json, {.help = "Print one JSON object"});
  }
};

class InspectCommand : public CommandOf<InspectSettings> {
 public:
  std::string name() const override { return "inspect"; }
  std::string summary() const override { return "Shows a model's layers, shapes and cost"; }
  std::string description() const override {
    return "Prints the layers in the paper's words, with the shape and number of parameters of "
           "each "
           "and its multiply-adds per token: of a trained model in its directory, or of a preset "
           "(tiny, small, base, big).";
  }
  std::string words() const override { return "model DIR|PRESET"; }

  int run(const std::vector<std::string>& words, Console& console) override {
    if (words.size() != 2 || words[0] != "model") {
      fail_usage(
          "expected 'heed inspect model DIR' or 'heed inspect model PRESET' "
          "(tiny, small, base, big)");
    }
    const std::string& model = words[1];
    const ModelConfig config = config_of(model);
    console.out().write(settings_.json ? model_json(model, config, settings_.length)
                                       : model_page(model, config, settings_.length));
    return 0;
  }

 private:
  ModelConfig config_of(const std::string& model) const {
    if (std::filesystem::is_directory(model)) return load_model(model).config();
    for (const auto& [name, ignored] : enum_names(Preset{})) {
      if (name != model) continue;
      ModelConfig config = preset(name);
      config.vocabulary = settings_.vocabulary;
      config.classes = settings_.vocabulary - 1;
      return config;
    }
    fail_usage("'{}' is neither a folder nor a preset (tiny, small, base, big)", model);
  }
};

}  // namespace

std::unique_ptr<Command> make_inspect_command() {
  return std::make_unique<InspectCommand>();
}

}  // namespace heed
