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
void survey_pairs(Surveyor& source, Surveyor& target, TextFaults& faults) {
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
  std::vector<uint64_t> parts;
  for (size_t i = 0; i < source_.size(); ++i) {
    Surveyor left(source_[i]), right(target_[i]);
    survey_pairs(left, right, faults_);
    (left.reader.column() > right.reader.column() ? left : right).count_wider_rows(faults_);
    if (faults_.invalid_utf8 > 0 && faults_.conversion.empty())
      faults_.conversion = detail::conversion_advice(left.encoding, right.encoding);
    if (left.lines() != right.lines()) {
      fail("{} has {} and {} has {}; expected line by line translations", source_[i].name(),
           detail::counted(left.lines(), "line"), target_[i].name(),
           detail::counted(right.lines(), "line"));
    }
    parts.push_back(left.hash.value());
    parts.push_back(right.hash.value());
    pairs_ += left.lines();
  }
  if (pairs_ == 0) {
    fail("{} and {} are empty; expected at least one line", source_.front().name(),
         target_.front().name());
  }
  if (faults_.count() > 0 && invalid == InvalidLines::refuse)
    fail("{}; correct the text{}, or omit --strict to drop such pairs", faults_.first,
         in_parentheses(faults_.conversion));
  if (faults_.extra_columns > 0 && invalid == InvalidLines::refuse)
    fail("{}; correct the text, or omit --strict to ignore the columns after those of --columns",
         faults_.first_extra);
  if (faults_.count() == pairs_)
    fail("{}; no pair of the text can be used: correct its encoding or columns{}", faults_.first,
         in_parentheses(faults_.conversion));
  fingerprint_ = hash_of(parts);
}

bool PairReader::next(std::string& source, std::string& target) {
  for (;;) {
    if (source_ && source_->next(source)) {
      if (!target_->next(target)) break;
      ++lines_;
      const bool sound =
          text_.faults().count() == 0 || (fault_of(*source_, source) == LineFault::none &&
                                          fault_of(*target_, target) == LineFault::none);
      if (sound) return true;
      continue;
    }
    if (target_ && target_->next(target)) break;
    if (file_ == text_.source().size()) return false;
    source_.emplace(text_.source()[file_].lines());
    target_.emplace(text_.target()[file_].lines());
    ++file_;
  }
  fail("{} or {} changed while it was read", source_->name(), target_->name());
}

}  // namespace heed
