// heed inspect run: one training run, or several beside each other.
#include <fmt/format.h>

#include "commands/commands.h"
#include "files/outputs.h"
#include "heed/pages/run_page.h"
#include "heed/run/run_files.h"
#include "heed/run/run_history.h"

namespace heed {
namespace {

struct InspectRunSettings {
  std::string html;
  bool json = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("html", self.html, kInspectionPageOption);
    v.group("Output");
    v("json", self.json, kInspectionJsonOption);
  }
};

int run_runs(const InspectRunSettings& settings, const Words& directories, Console& console) {
  std::vector<RunHistory> runs;
  std::vector<std::string> read;
  for (const std::string& directory : directories) {
    const RunFiles files{directory};
    for (const std::filesystem::path& path : files.present())
      if (path != files.report()) read.push_back(path.string());
  }
  PageFile page(settings.html, read, console);
  runs.reserve(directories.size());
  for (const std::string& directory : directories) {
    runs.push_back(read_run(directory));
    for (const std::string& warning : runs.back().warnings) console.warn(warning);
  }
  console.out().write(settings.json ? runs_json(runs) : runs_text(runs));
  console.out().flush();
  page.write([&] { return run_page_html(runs, PageOf::files); }, "page of the runs");
  return 0;
}

}  // namespace

Command make_inspect_run_command() {
  return with_settings(run_runs, {.name = "run"});
}

}  // namespace heed
