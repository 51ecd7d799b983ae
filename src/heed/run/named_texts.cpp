#include "heed/run/named_texts.h"

#include <algorithm>

#include "heed/core/error.h"
#include "heed/core/utf8.h"
#include "heed/run/run_settings.h"

namespace heed {
namespace {

// The names of files of a run have the name of a validation text between two dots.
constexpr size_t kMaxFileName = 100;

void check_file_name(const std::string& name) {
  if (name.size() > kMaxFileName || name.find_first_of("./\\") != name.npos)
    fail_usage(
        "validation '{}': files are named by it: expected at most {} bytes, without '.' and "
        "slashes",
        excerpt(name), kMaxFileName);
}

}  // namespace

void check_text_name(const std::string& kind, const std::string& name,
                     const std::vector<std::string>& earlier) {
  if (name.empty()) fail_usage("[[{}]]: name is missing", kind);
  for (const char c : name)
    if (uint8_t(c) <= ' ' || c == '=' || c == ',' || c == '"')
      fail_usage("{} '{}': a name has neither spaces nor '=', ',' and '\"'", kind, excerpt(name));
  if (find_invalid_utf8(name)) fail_usage("{}: the name is not UTF-8", kind);
  if (std::ranges::count(earlier, name) > 0)
    fail_usage("{} '{}': the name is given twice", kind, name);
}

void check_text_files(const std::string& where, const std::vector<std::string>& source,
                      const std::vector<std::string>& target, const TsvOptions& tabular) {
  const bool has_table = !tabular.tsv.empty();
  try {
    tabular.check();
  } catch (const UsageError& error) {
    fail_usage("{}: {}", where, error.what());
  }
  if (has_table && (!source.empty() || !target.empty()))
    fail_usage("{}: tsv has both sides of the text: it contradicts source and target", where);
  if (!has_table && (source.empty() || target.empty()))
    fail_usage("{}: {} is missing: give source and target, or tsv", where,
               source.empty() ? "source" : "target");
  if (source.size() != target.size())
    fail_usage("{}: source and target have {} and {} files: they go together one by one", where,
               source.size(), target.size());
}

void check_validation_texts(const TrainOptions& o) {
  if (o.validation_texts.empty()) return;
  if (!o.translates()) fail_usage("[[validation]] is not for --task {}", to_text(o.task));
  std::vector<std::string> names;
  for (const ValidationTextOptions& text : o.validation_texts) {
    check_text_name("validation", text.name, names);
    check_file_name(text.name);
    names.push_back(text.name);
    check_text_files(fmt::format("validation '{}'", text.name), text.source, text.target,
                     text.tabular);
  }
  if (!validates(o))
    fail_usage(
        "[[validation]] names further validation texts: give the first one, by which the run goes, "
        "by --valid-source and --valid-target, --valid-tsv or --hold-out");
}

}  // namespace heed
