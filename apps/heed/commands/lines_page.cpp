#include "commands/lines_page.h"

#include "heed/core/counted.h"
#include "heed/core/parallel.h"

namespace heed {

LinesPage::LinesPage(const LinesPageSettings& settings, const std::vector<std::string>& read,
                     Console& console, const std::string& output)
    : file_(settings.html, read, console, output), most_(size_t(settings.html_lines)) {
  if (settings.html.empty() && settings.html_lines != LinesPageSettings().html_lines)
    fail_usage("--html-lines changes nothing without --html");
}

void LinesPage::add(const TranslationInput& line) {
  if (file_.wanted() && lines_.size() < most_) lines_.push_back(line);
}

void LinesPage::write(const OpenedModel& model, const std::string& model_name,
                      const DecodeOptions& options, int64_t all_lines) {
  file_.write([&] { return html(model, model_name, options, all_lines); },
              "page with the attention of " + detail::counted(int64_t(lines_.size()), "line"));
}

std::string LinesPage::html(const OpenedModel& model, const std::string& model_name,
                            const DecodeOptions& options, int64_t all_lines) const {
  const ModelParts parts = model.parts();
  AttentionPage page(parts,
                     {model_name, shown_options(with_defaults(options, parts.model).search)});
  Workers workers(int(options.threads.value_or(default_threads(model.backend()))));
  std::vector<Explanation> explanations(size_t(workers.count()));
  for (size_t begin = 0; begin < lines_.size(); begin += explanations.size()) {
    const size_t count = std::min(explanations.size(), lines_.size() - begin);
    workers.run(int64_t(count), [&](int64_t i, int) {
      const size_t line = begin + size_t(i);
      explanations[size_t(i)] = model.explain(lines_[line], options, int64_t(line));
    });
    for (size_t i = 0; i < count; ++i) page.add(lines_[begin + i].text, explanations[i]);
  }
  return page.html(all_lines);
}

}  // namespace heed
