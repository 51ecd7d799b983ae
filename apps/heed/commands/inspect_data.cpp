// heed inspect data: statistics and defects of parallel text.
#include <optional>

#include "commands/commands.h"
#include "files/inspection_files.h"
#include "files/outputs.h"
#include "files/text_files.h"
#include "heed/core/files.h"
#include "heed/data/data_inspection.h"
#include "heed/pages/data_page.h"
#include "heed/text/text_file.h"

namespace heed {
namespace {

struct InspectDataSettings {
  std::optional<int64_t> threads;
  std::string model;
  std::string html;
  TsvOptions tabular;
  std::string test_source, test_target;
  std::string tokenizer_model;
  InspectionOptions inspection;
  bool json = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("threads", self.threads, kThreadsOption);
    v("model", self.model, kInspectedModelOption);
    v("html", self.html, kInspectionPageOption);
    TsvOptions::visit(self.tabular, v);
    v("test_source", self.test_source,
      {.help = "Source side of the test set; its lines are looked for in the data",
       .value = "FILE"});
    v("test_target", self.test_target,
      {.help = "Target side of the test set; its words are looked for in the data",
       .value = "FILE"});
    v("tokenizer_model", self.tokenizer_model,
      {.help = "Count tokens with this SentencePiece model", .value = "FILE"});
    InspectionOptions::visit(self.inspection, v);
    v.group("Output");
    v("json", self.json, kInspectionJsonOption);
  }
};

// After the report, which shows the line from which the files differ.
void expect_equal_lines(const DataReport& report) {
  const Finding& unequal = report[FindingKind::unequal_lines];
  if (unequal.pairs > 0)
    fail("{}: line i of both must belong to the same sentence", unequal.examples.front().note);
}

std::optional<TokenizerPair> open_tokenizers(const InspectDataSettings& settings) {
  if (!settings.model.empty() && !settings.tokenizer_model.empty()) {
    fail_usage("--model brings its own vocabulary: it contradicts --tokenizer-model");
  }
  if (!settings.model.empty()) return TokenizerPair::load(settings.model);
  if (settings.tokenizer_model.empty()) return std::nullopt;
  return TokenizerPair::joint(read_file(settings.tokenizer_model), settings.tokenizer_model);
}

int run_data(const InspectDataSettings& settings, const Words& words, Console& console) {
  settings.tabular.check();
  const InspectionNames names{words, settings.tabular, settings.test_source, settings.test_target};
  std::vector<std::string> read = files_read(settings.model, names.inputs());
  read.push_back(settings.tokenizer_model);
  PageFile page(settings.html, read, console);
  const std::optional<TokenizerPair> tokenizers = open_tokenizers(settings);
  Workers workers(int(settings.threads.value_or(available_threads())));
  const InspectionFiles files = names.open(console, settings.inspection.pairs);
  const DataTitle title = title_of(files);
  const DataReport report =
      inspect_data(files, settings.inspection, tokenizers ? &*tokenizers : nullptr, workers);
  console.out().write(settings.json ? data_json(title, report) : data_text(title, report));
  console.out().flush();
  page.write([&] { return data_html(title, report); }, "page with charts");
  expect_equal_lines(report);
  return 0;
}

}  // namespace

Command make_inspect_data_command() {
  return with_settings(run_data, {.name = "data"});
}

}  // namespace heed
