#include "heed/run/tensorboard_log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "heed/core/descriptor.h"
#include "heed/core/files.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// TensorBoard reads files with "tfevents" in their names.
constexpr std::string_view kPrefix = "events.out.tfevents.";
constexpr int64_t kLatest = 9'999'999'998;  // of ten digits, with a later one

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  std::array<char, 256> name{};  // longer ones are refused or cut: the last byte stays 0
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

// The name of a new file. TensorBoard reads the files of a directory in the order of their names,
// in which one of a resumed run must follow those before it, also within a second or after the
// clock was set back.
std::string new_event_file(const fs::path& directory) {
  auto seconds = int64_t(seconds_since_1970());
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!is_event_file(name)) continue;
    int64_t found = 0;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), found);
    if (found <= kLatest) seconds = std::max(seconds, found + 1);
  }
  return fmt::format("{}{:010}.{}.{}", kPrefix, seconds, host_name(), ::getpid());
}

// The options that are set, in TOML, as a block of code in Markdown.
std::string configuration(const TrainOptions& options) {
  const auto all = nlohmann::ordered_json::parse(to_json(options));
  std::string text;
  for (const auto& [name, json] : all.items()) {
    const std::string value = json.dump();
    if (value == "null" || value == "[]" || value == R"("")") continue;
    text += fmt::format("    {} = {}\n", name, value);
  }
  return text;
}

// Adds the numbers of a report that make a curve.
struct CurveWriter {
  const std::string& prefix;
  std::vector<detail::Scalar>& scalars;

  void operator()(std::string_view name, double value) const {
    // The first two are axes; the loss of an epoch is that of its steps.
    for (const char* other : {"epoch", "seconds", "train_loss"})
      if (name == other) return;
    scalars.emplace_back(prefix + std::string(name), value);
  }
  void operator()(std::string_view name, const std::optional<double>& value) const {
    if (value) (*this)(name, *value);
  }
  void operator()(std::string_view, const std::vector<Score>& scores) const {
    for (const Score& score : scores) (*this)(score.name, score.value);
  }
  void operator()(std::string_view, const std::vector<TextValidation>& texts) const {
    for (const TextValidation& text : texts) {
      const std::string of_text = prefix + text.name + "/";
      TextValidation::visit(text, CurveWriter{of_text, scalars});
    }
  }
  void operator()(std::string_view, const auto&) const {}  // step, counts
};

}  // namespace

bool is_event_file(const fs::path& path) {
  return path.filename().string().starts_with(kPrefix);
}

void expect_event_directory(const fs::path& directory) {
  std::error_code error;
  // The directory itself or, if it is to be created, the nearest one above it. A link to nothing
  // exists, and is in the way.
  fs::path existing = fs::absolute(directory, error);
  while (fs::symlink_status(existing, error).type() == fs::file_type::not_found &&
         existing.has_relative_path())
    existing = existing.parent_path();
  std::string fault;
  if (!fs::is_directory(existing, error))
    fault = error ? error.message() : "not a directory";
  else if (::access(existing.c_str(), W_OK | X_OK) != 0)
    fault = detail::reason(errno);
  if (!fault.empty())
    fail("--tensorboard {}: cannot write event files there: {}: {}", directory.string(),
         existing.string(), fault);
}

TensorBoardLog::TensorBoardLog(const TrainOptions& options, int64_t step) {
  const fs::path directory = options.tensorboard;
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    fail("--tensorboard {}: cannot make the directory: {}", directory.string(), error.message());
  path_ = directory / new_event_file(directory);
  const double now = seconds_since_1970();
  append(detail::version_record(now) + detail::session_record({now, step == 0 ? 0 : step + 1}) +
         detail::text_record({now, step}, "configuration", configuration(options)));
}

template <class Report>
void TensorBoardLog::add_curves(const std::string& prefix, const Report& report) {
  std::vector<detail::Scalar> scalars;
  Report::visit(report, CurveWriter{prefix, scalars});
  if (scalars.empty()) return;
  append(detail::scalars_record({seconds_since_1970(), report.step}, scalars));
}

void TensorBoardLog::add(const TrainReport& report) {
  add_curves("train/", report);
}

// An average of checkpoints has curves of its own: at its step the weights were validated too.
void TensorBoardLog::add(const ValidationReport& report) {
  add_curves(report.averaged_checkpoints ? "average/" : "validation/", report);
}

// Part of a record would hide all that follow it.
void TensorBoardLog::append(const std::string& records) {
  try {
    append_to_file(path_, records);
  } catch (const Error&) {
    std::error_code ignored;
    fs::resize_file(path_, size_, ignored);
    throw;
  }
  size_ += records.size();
}

}  // namespace heed
