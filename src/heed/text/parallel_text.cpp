#include "heed/text/parallel_text.h"

#include <algorithm>
#include <span>
#include <utility>

#include "heed/core/counted.h"
#include "heed/core/error.h"
#include "heed/core/hash.h"
#include "heed/core/utf8.h"
#include "heed/text/text_encoding.h"

namespace heed {
namespace {

// Reads one file of a survey.
struct Surveyor {
  explicit Surveyor(const TextFile& file) : reader(file.lines()) {}

  bool next() {
    if (!reader.next(line)) return false;
    hash.add(line);
    hash.add("\n");
    fault = fault_of(reader, line);
    if (reader.has_column()) columns.add(reader.columns(), reader.line_number());
    encoding.add_line(line);
    if (fault == LineFault::invalid_utf8) encoding.add_invalid_line(line);
    return true;
  }
  // Counts the line that was read last.
  void count(TextFaults& faults) const { faults.add(reader, line, fault); }
  // Counts the rows of the file that are wider than its other rows.
  void count_wider_rows(TextFaults& faults) const {
    const detail::ColumnCounts::Rows wider = columns.wider();
    faults.extra_columns += wider.count;
    if (wider.count > 0 && faults.first_extra.empty())
      faults.first_extra =
          fmt::format("{}:{}: the line has more columns than most lines, which have {}",
                      reader.name(), wider.first_line, columns.usual());
  }
  int64_t lines() const { return reader.line_number(); }

  LineReader reader;
  std::string line;
  Hash hash;
  LineFault fault = LineFault::none;
  detail::ColumnCounts columns;
  detail::EncodingSample encoding;
};

std::string in_parentheses(const std::string& text) {
  return text.empty() ? "" : " (" + text + ")";
}

// Both files in step, so that a pair with two faulty lines counts once.
void read_pairs(Surveyor& source, Surveyor& target, TextFaults& faults) {
  for (;;) {
    const bool left = source.next(), right = target.next();
    if (!left && !right) return;
    if (!left || !right) {
      while (source.next() || target.next()) continue;
      return;
    }
    (source.fault != LineFault::none ? source : target).count(faults);
  }
}

}  // namespace

LineFault fault_of(const LineReader& reader, const std::string& line) {
  if (!reader.has_column()) return LineFault::missing_column;
  return find_invalid_utf8(line) ? LineFault::invalid_utf8 : LineFault::none;
}

void TextFaults::add(const LineReader& reader, const std::string& line, LineFault fault) {
  if (fault == LineFault::none) return;
  ++(fault == LineFault::invalid_utf8 ? invalid_utf8 : missing_column);
  if (!first.empty()) return;
  first = fmt::format("{}:{}: ", reader.name(), reader.line_number());
  if (fault == LineFault::missing_column) {
    first += fmt::format("the line has no column {}", reader.column());
    return;
  }
  const size_t at = find_invalid_utf8(line).value_or(0);
  first += fmt::format("byte {} of the line (0x{:02x}) is not UTF-8", at + 1,
                       static_cast<unsigned char>(line[at]));
}

void detail::ColumnCounts::add(int64_t columns, int64_t line) {
  Rows& rows = by_columns_[size_t(std::clamp<int64_t>(columns, 1, kMaxColumns)) - 1];
  if (rows.count++ == 0) rows.first_line = line;
}

int64_t detail::ColumnCounts::usual() const {
  const auto most = std::ranges::max_element(by_columns_, {}, &Rows::count);
  return most - by_columns_.begin() + 1;
}

detail::ColumnCounts::Rows detail::ColumnCounts::wider() const {
  Rows wider;
  for (const Rows& rows : std::span(by_columns_).subspan(size_t(usual()))) {
    if (rows.count == 0) continue;
    const bool is_first = wider.count == 0 || rows.first_line < wider.first_line;
    if (is_first) wider.first_line = rows.first_line;
    wider.count += rows.count;
  }
  return wider;
}

TextSurvey survey(const TextFile& file) {
  Surveyor surveyor(file);
  TextSurvey result;
  while (surveyor.next()) surveyor.count(result.faults);
  result.lines = surveyor.lines();
  return result;
}

ParallelText::ParallelText(TextFiles source, TextFiles target, InvalidLines invalid)
    : source_(std::move(source)), target_(std::move(target)) {
  if (source_.empty() || source_.size() != target_.size()) {
    fail_usage("{} source and {} target files; expected one target file for each source file",
               source_.size(), target_.size());
  }
  survey_files(invalid);
}

ParallelText ParallelText::without_source(TextFiles target, InvalidLines invalid) {
  check(!target.empty(), "a text without files");
  ParallelText text;
  text.target_ = std::move(target);
  text.survey_files(invalid);
  return text;
}

void ParallelText::survey_pairs(size_t file) {
  Surveyor left(source_[file]), right(target_[file]);
  read_pairs(left, right, faults_);
  (left.reader.column() > right.reader.column() ? left : right).count_wider_rows(faults_);
  if (faults_.invalid_utf8 > 0 && faults_.conversion.empty())
    faults_.conversion = detail::conversion_advice(left.encoding, right.encoding);
  if (left.lines() != right.lines()) {
    fail("{} has {} and {} has {}; expected line by line translations", source_[file].name(),
         detail::counted(left.lines(), "line"), target_[file].name(),
         detail::counted(right.lines(), "line"));
  }
  hashes_.push_back(left.hash.value());
  hashes_.push_back(right.hash.value());
  pairs_ += left.lines();
  ends_.push_back(pairs_);
}

void ParallelText::survey_lines(size_t file) {
  Surveyor lines(target_[file]);
  while (lines.next()) lines.count(faults_);
  lines.count_wider_rows(faults_);
  if (faults_.invalid_utf8 > 0 && faults_.conversion.empty())
    faults_.conversion = detail::conversion_advice(lines.encoding, lines.encoding);
  hashes_.push_back(lines.hash.value());
  pairs_ += lines.lines();
  ends_.push_back(pairs_);
}

void ParallelText::survey_files(InvalidLines invalid) {
  for (size_t i = 0; i < target_.size(); ++i) has_source() ? survey_pairs(i) : survey_lines(i);
  if (pairs_ == 0) {
    fail("{}{} {} empty; expected at least one line",
         has_source() ? source_.front().name() + " and " : "", target_.front().name(),
         has_source() ? "are" : "is");
  }
  if (faults_.count() > 0 && invalid == InvalidLines::refuse)
    fail("{}; correct the text{}, or omit --strict to drop such {}s", faults_.first,
         in_parentheses(faults_.conversion), unit());
  if (faults_.extra_columns > 0 && invalid == InvalidLines::refuse)
    fail("{}; correct the text, or omit --strict to ignore the columns after those of --columns",
         faults_.first_extra);
  if (faults_.count() == pairs_)
    fail("{}; no {} of the text can be used: correct its encoding or columns{}", faults_.first,
         unit(), in_parentheses(faults_.conversion));
  fingerprint_ = hash_of(hashes_);
}

bool PairReader::next(std::string& source, std::string& target) {
  source.clear();
  const auto is_sound = [](const std::optional<LineReader>& reader, const std::string& line) {
    return !reader || fault_of(*reader, line) == LineFault::none;
  };
  for (;;) {
    const bool left = source_ && source_->next(source), right = target_ && target_->next(target);
    if (source_ && left != right)
      fail("{} or {} changed while it was read", source_->name(), target_->name());
    if (right) {
      ++lines_;
      if (text_.faults().count() == 0 || (is_sound(source_, source) && is_sound(target_, target)))
        return true;
      continue;
    }
    if (file_ == text_.target().size()) return false;
    if (text_.has_source()) source_.emplace(text_.source()[file_].lines());
    target_.emplace(text_.target()[file_].lines());
    ++file_;
  }
}

}  // namespace heed
