#include "commands/inspect_run.h"

#include <fmt/format.h>

#include "files/page_file.h"
#include "heed/pages/run_page.h"
#include "heed/run/run_files.h"
#include "heed/run/run_history.h"
#include "pages/runs_page.h"

namespace heed {

void inspect_runs(const std::vector<std::string>& directories, RunsFormat format,
                  const std::string& html, Console& console) {
  std::vector<RunHistory> runs;
  std::vector<std::string> read;
  for (const std::string& directory : directories) {
    const RunFiles files{directory};
    for (const std::filesystem::path& path : files.present())
      if (path != files.report()) read.push_back(path.string());
  }
  PageFile page(html, read, console);
  runs.reserve(directories.size());
  for (const std::string& directory : directories) {
    runs.push_back(read_run(directory));
    for (const std::string& warning : runs.back().warnings) console.warn(warning);
  }
  console.out().write(format == RunsFormat::json ? runs_json(runs) : runs_text(runs));
  console.out().flush();
  if (!page.wanted()) return;
  page.write(run_page_html(runs, PageOf::files));
  console.note(fmt::format("page of the runs: {}", html));
}

}  // namespace heed
