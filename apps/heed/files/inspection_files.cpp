#include "files/inspection_files.h"

#include <tuple>

#include "files/text_files.h"

namespace heed {

std::vector<NamedInput> InspectionNames::inputs() const {
  std::vector<NamedInput> inputs{{"--test-source", test_source}, {"--test-target", test_target}};
  for (size_t i = 0; i < words.size(); ++i)
    inputs.emplace_back(i % 2 == 0 ? "SOURCE" : "TARGET", words[i]);
  for (const std::string& name : tabular.tsv) inputs.emplace_back("--tsv", name);
  return inputs;
}

InspectionFiles InspectionNames::open(const Console& console, int64_t max_lines) const {
  const CopyOptions whole = reported_copying(console);
  CopyOptions first = whole;
  first.max_lines = max_lines;
  InspectionFiles files;
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    files.source.emplace_back(words[i], first);
    files.target.emplace_back(words[i + 1], first);
  }
  if (words.empty()) std::tie(files.source, files.target) = tabular.open(tabular.tsv, first);
  files.test_source = InspectionFiles::optional_file(test_source, whole);
  files.test_target = InspectionFiles::optional_file(test_target, whole);
  return files;
}

DataTitle title_of(const InspectionFiles& files) {
  const auto title = [](const TextFiles& side) {
    const std::string first = side.front().title();
    return side.size() == 1 ? first : fmt::format("{} and {} more", first, side.size() - 1);
  };
  return {title(files.source), title(files.target)};
}

}  // namespace heed
