// heed clean: parallel text without the pairs that harm a model.
#include <algorithm>
#include <optional>

#include "commands/commands.h"
#include "files/inspection_files.h"
#include "files/outputs.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/data/cleaning.h"
#include "heed/pages/cleaning_page.h"
#include "heed/text/line_damage.h"

namespace heed {
namespace {

struct CleanSettings {
  std::optional<int64_t> threads;
  TsvOptions tabular;
  std::vector<std::string> output;
  std::string rejected;
  std::string test_source, test_target;
  CleaningOptions cleaning;
  std::string html;
  bool json = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("threads", self.threads, kThreadsOption);
    TsvOptions::visit(self.tabular, v);
    v("test_source", self.test_source,
      {.help = "Source side of the test set; pairs with its lines are dropped", .value = "FILE"});
    v("test_target", self.test_target,
      {.help = "Target side of the test set; with --test-source, pairs of both are dropped",
       .value = "FILE"});
    v.group("Findings");
    CleaningOptions::visit(self.cleaning, v);
    v.group("Output");
    v("output", self.output,
      {.help = "The files of the pairs that are kept, source and target; of --tsv one file with "
               "both; gzip if the name ends in .gz",
       .value = "NEW...",
       .required = true});
    v("rejected", self.rejected,
      {.help = "File of the other pairs, tab-separated: the source's file and line, the findings, "
               "what was found, and the pair as it was",
       .value = "FILE",
       .default_text = "none"});
    v("html", self.html,
      {.help = "Also write an HTML page of the text before and after to this file; inspects both",
       .value = "FILE"});
    v("json", self.json, {.help = "Print the counts as one JSON object"});
  }
};

InspectionNames names_of(const CleanSettings& settings, const Words& words) {
  return {words, settings.tabular, settings.test_source, settings.test_target};
}

void check_settings(const CleanSettings& settings, const Words& words) {
  settings.tabular.check();
  const bool tabular = !settings.tabular.tsv.empty();
  if (tabular && !words.empty())
    fail_usage("--tsv has both sides of the text: it contradicts SOURCE TARGET");
  if (!tabular && words.empty())
    fail_usage(
        "expected heed clean SOURCE TARGET --output SOURCE TARGET, or heed clean --tsv FILE "
        "--output FILE");
  if (words.size() % 2 != 0) fail_usage("TARGET is missing: expected heed clean SOURCE TARGET");
  const size_t files = tabular ? 1 : 2;
  if (settings.output.size() != files)
    fail_usage("--output names {}, expected {}",
               detail::counted(int64_t(settings.output.size()), "file"),
               tabular ? "one for tab-separated text" : "two: source and target");
  std::vector<std::string> written = settings.output;
  if (!settings.rejected.empty()) written.push_back(settings.rejected);
  if (!settings.html.empty()) written.push_back(settings.html);
  const std::vector<std::string> read = files_read("", names_of(settings, words).inputs());
  for (const std::string& name : written) {
    if (name == "-") fail_usage("--output, --rejected and --html are files, '-' is none");
    if (std::ranges::count(written, name) > 1) fail_usage("two outputs have the name {}", name);
    expect_another_file(name == settings.html       ? "--html"
                        : name == settings.rejected ? "--rejected"
                                                    : "--output",
                        name, read);
  }
}

class Outputs {
 public:
  Outputs(const CleanSettings& settings, Console& console) {
    for (const std::string& name : settings.output)
      kept_.push_back(std::make_unique<TextOutput>(name, console));
    if (!settings.rejected.empty()) rejected_.emplace(settings.rejected, console);
  }

  void write(const CleanedPair& pair) {
    if (pair.kept()) {
      kept_.front()->write(pair.clean_source + (kept_.size() == 1 ? "\t" : "\n"));
      kept_.back()->write(pair.clean_target + "\n");
    } else if (rejected_) {
      rejected_->write(rejected_row(pair) + "\n");
    }
  }
  void commit() {
    for (const auto& output : kept_) output->commit();
    if (rejected_) rejected_->commit();
  }

 private:
  std::vector<std::unique_ptr<TextOutput>> kept_;
  std::optional<TextOutput> rejected_;
};

// The first pair that was dropped for each finding.
using FirstDropped = std::array<std::string, kFindings>;

void remember(const CleanedPair& pair, FirstDropped& first) {
  for (const DropReason& reason : pair.reasons) {
    std::string& place = first[size_t(reason.kind)];
    if (!place.empty()) continue;
    place = fmt::format("{}:{}{}{}", pair.source_file, pair.line, reason.note.empty() ? "" : ": ",
                        reason.note);
  }
}

std::string text_of(const CleaningReport& report, const FirstDropped& first) {
  std::string text = fmt::format("kept {} of {}, {} of them repaired", report.kept,
                                 detail::counted(report.pairs, "pair"), report.repaired);
  const int64_t dropped = report.pairs - report.kept;
  if (dropped == 0) return text + "\n";
  text += fmt::format("; dropped {}:\n", dropped);
  for (const FindingKind kind : dropped_kinds(report))
    text += fmt::format("{:>9}  {} ({})\n           first: {}\n", report.dropped_for[size_t(kind)],
                        text_of(kind).title, text_of(kind).name, first[size_t(kind)]);
  return text;
}

// Inspects the text that was read and that which was written.
std::string page_of(const CleanSettings& settings, const InspectionFiles& read,
                    const CleaningFacts& facts, Workers& workers) {
  InspectionFiles written = read;
  std::tie(written.source, written.target) =
      settings.output.size() == 1
          ? open_sides({}, {}, {.tsv = settings.output})
          : open_sides({settings.output.front()}, {settings.output.back()}, {});
  InspectionOptions options;
  options.max_ratio_deviation = settings.cleaning.max_ratio_deviation;
  options.max_sentence_tokens = std::max<int64_t>(settings.cleaning.max_words, 2);
  return cleaning_html(title_of(read), inspect_data(read, options, nullptr, workers),
                       inspect_data(written, options, nullptr, workers), facts);
}

int run_clean(const CleanSettings& settings, const Words& words, Console& console) {
  check_settings(settings, words);
  settings.cleaning.dropped();  // may throw
  const InspectionNames names = names_of(settings, words);
  PageFile page(settings.html, files_read("", names.inputs()), console);
  const InspectionFiles files = names.open(console);
  Workers workers(int(settings.threads.value_or(available_threads())));
  Outputs outputs(settings, console);
  FirstDropped first;
  CleaningFacts facts;
  const CleaningReport report = facts.counts =
      clean_data(files, settings.cleaning, workers, [&](const CleanedPair& pair) {
        remember(pair, first);
        add_repaired(pair, facts);
        outputs.write(pair);
      });
  if (report.kept == 0) fail("no pair is left: the outputs are not written");
  outputs.commit();
  console.out().write(settings.json ? cleaning_json(report) : text_of(report, first));
  console.out().flush();
  page.write([&] { return page_of(settings, files, facts, workers); }, "page of the text");
  return 0;
}

}  // namespace

Command make_clean_command() {
  return with_settings(
      run_clean,
      {.name = "clean",
       .summary = "Separate the pairs of parallel text that harm a model from the others",
       .description =
           "Writes the pairs that have none of the findings of heed inspect data that --drop "
           "names: "
           "different numbers, tags or placeholders, another language, an unusual length, repeated "
           "pairs and others. Text that was encoded twice is repaired first. With --rejected the "
           "other pairs are written too, with the findings. See docs/data.md.",
       .words = "[SOURCE TARGET...]",
       .memory_advice = "clean the files one by one"});
}

}  // namespace heed
