#include "commands/inspect_run.h"

#include <fmt/format.h>

#include "files/page_file.h"
#include "heed/train/run_files.h"
#include "heed/train/run_page.h"
#include "pages/runs_page.h"

namespace heed {

void inspect_runs(const std::vector<std::string>& directories, RunsFormat format,
                  const std::string& html, Console& console) {
  std::vector<RunHistory> runs;
  std::vector<std::string> read;
  for (const std::string& directory : directories) {
    const RunFiles files{directory};
    for (const std::filesystem::path& path :
         {files.metrics(), files.samples(), files.training_state()})
      read.push_back(path.string());
  }
  expect_page_file(html, read);
  runs.reserve(directories.size());
  for (const std::string& directory : directories) runs.push_back(read_run(directory));
  if (!html.empty()) write_page(html, run_page_html(runs, PageOf::files), console);
  console.out().write(format == RunsFormat::json ? runs_json(runs) : runs_text(runs));
  console.out().flush();
  if (!html.empty()) console.note(fmt::format("page of the runs: {}", html));
}

}  // namespace heed
