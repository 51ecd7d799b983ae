// heed phrasebook: the embedded corpus as files.
#include "commands/commands.h"
#include "files/phrasebook_files.h"
#include "heed/core/counted.h"

namespace heed {
namespace {

struct PhrasebookCommandSettings {
  PhrasebookSettings phrasebook;
  std::string output;
  bool overwrite = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    PhrasebookSettings::visit(self.phrasebook, v);
    v.group("Output");
    v("output", self.output, {.help = "Output folder", .value = "DIR", .required = true});
    v("overwrite", self.overwrite, {.help = "Overwrite existing files"});
  }
};

class PhrasebookCommand : public CommandOf<PhrasebookCommandSettings> {
 public:
  std::string name() const override { return "phrasebook"; }
  std::string summary() const override { return "Writes an artificial Chinese-English corpus"; }
  std::string description() const override {
    return "A grammar generates everyday sentences in both languages. Writes train, valid and "
           "test, "
           "each as .zh and .en, line by line translations of each other. The same seed gives the "
           "same files. Each sentence of valid and test contains a pair of words that never occur "
           "in the same sentence of train.";
  }

  int run(const std::vector<std::string>&, Console& console) override {
    expect_folder_name(settings_.output);
    write_phrasebook(settings_.phrasebook, settings_.output,
                     settings_.overwrite ? Existing::replace : Existing::refuse);
    console.note(fmt::format("wrote {} to train on, {} to validate and {} to test to {}",
                             detail::counted(settings_.phrasebook.pairs, "pair"),
                             settings_.phrasebook.valid_pairs, settings_.phrasebook.test_pairs,
                             settings_.output));
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> make_phrasebook_command() {
  return std::make_unique<PhrasebookCommand>();
}

}  // namespace heed
