#include "heed/text/parallel_text.h"

#include <utility>

#include "heed/core/error.h"
#include "heed/core/hash.h"
#include "heed/core/utf8.h"

namespace heed {

TextSurvey survey(const std::filesystem::path& path) {
  LineReader reader(path);
  TextSurvey result;
  Hash hash;
  std::string line;
  while (reader.next(line)) {
    if (const auto bad = find_invalid_utf8(line)) {
      fail("{}:{}: byte {} of the line (0x{:02x}) is not UTF-8; convert the file to UTF-8",
           path.string(), reader.line_number(), *bad + 1, static_cast<unsigned char>(line[*bad]));
    }
    hash.add(line);
    hash.add("\n");
  }
  result.lines = reader.line_number();
  result.fingerprint = hash.value();
  return result;
}

ParallelText::ParallelText(Paths source, Paths target)
    : source_(std::move(source)), target_(std::move(target)) {
  if (source_.empty() || source_.size() != target_.size()) {
    fail_usage("{} source and {} target files; expected one target file for each source file",
               source_.size(), target_.size());
  }
  Hash hash;
  for (size_t i = 0; i < source_.size(); ++i) {
    const TextSurvey source = survey(source_[i]), target = survey(target_[i]);
    if (source.lines != target.lines) {
      fail("{} has {} lines and {} has {}; expected line by line translations", source_[i].string(),
           source.lines, target_[i].string(), target.lines);
    }
    hash.add(source.fingerprint);
    hash.add(target.fingerprint);
    pairs_ += source.lines;
  }
  if (pairs_ == 0) {
    fail("{} and {} are empty; expected at least one line", source_.front().string(),
         target_.front().string());
  }
  fingerprint_ = hash.value();
}

bool PairReader::next(std::string& source, std::string& target) {
  for (;;) {
    if (source_) {
      const bool more = source_->next(source);
      if (target_->next(target) != more) {
        fail("{} or {} changed while it was read", source_->name(), target_->name());
      }
      if (more) return true;
    }
    if (file_ == text_.source().size()) return false;
    source_.emplace(text_.source()[file_]);
    target_.emplace(text_.target()[file_]);
    ++file_;
  }
}

}  // namespace heed
