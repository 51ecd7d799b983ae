#include "heed/data/cleaning.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/core/utf8.h"
#include "heed/data/examined_pairs.h"
#include "heed/text/line_damage.h"

namespace heed {
namespace {

using detail::PairFacts;
using detail::RawPair;

// Findings that are not of single pairs, or need a vocabulary.
constexpr std::array kOfNoPair = {FindingKind::unequal_lines, FindingKind::shifted_lines,
                                  FindingKind::several_targets, FindingKind::unknown_tokens};

// Findings with which there is no pair to keep.
constexpr std::array kUnreadable = {FindingKind::missing_column, FindingKind::invalid_utf8,
                                    FindingKind::empty};

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (size_t i = 0; i < kFindings; ++i)
    if (std::ranges::find(kOfNoPair, FindingKind(i)) == kOfNoPair.end())
      names.emplace_back(text_of(FindingKind(i)).name);
  return names;
}

FindingKind kind_named(const std::string& name, const char* flag) {
  const std::vector<std::string> names = known_names();
  for (size_t i = 0; i < kFindings; ++i) {
    if (text_of(FindingKind(i)).name != name) continue;
    if (std::ranges::find(names, name) == names.end())
      fail_usage("{} {}: this finding is not one of single pairs: look at heed inspect data", flag,
                 name);
    return FindingKind(i);
  }
  const std::string meant = suggestion(name, names);
  fail_usage("{} {}: unknown finding{}", flag, excerpt(name),
             meant.empty() ? fmt::format("; expected {}", fmt::join(names, ", ")) : meant);
}

// The pair as it is judged and written, and what an inspection finds in it then.
struct Judged {
  std::string source, target;
  PairFacts facts;
};

class Cleaning {
 public:
  Cleaning(const InspectionFiles& files, const CleaningOptions& options,
           const detail::PairSample& sample, const std::function<void(const CleanedPair&)>& take)
      : files_(files),
        options_(options),
        dropped_(options.dropped()),
        statistics_(sample.pairs),
        stream_(files.source, files.target, 0, sample.usual_columns),
        test_(files.test_source, files.test_target, kExact),
        earlier_(kExact),
        take_(take) {
    inspection_.max_ratio_deviation = options.max_ratio_deviation;
    inspection_.max_sentence_tokens = options.max_words;
  }

  CleaningReport run(Workers& workers) {
    detail::examine_all(
        stream_, workers, [&](const RawPair& pair) { return judge(pair); },
        [&](const RawPair& pair, const Judged& judged) { add(pair, judged); });
    if (stream_.unpaired() > 0) detail::fail_unequal(stream_.unequal());
    if (report_.pairs == 0)
      fail("{} and {} are empty; expected at least one line", files_.source.front().name(),
           files_.target.front().name());
    return report_;
  }

 private:
  static constexpr int64_t kExact = std::numeric_limits<int64_t>::max();

  Judged judge(const RawPair& pair) const {
    RawPair read = pair;
    if (options_.repair) {
      read.source = detail::repaired_line(read.source);
      read.target = detail::repaired_line(read.target);
    }
    PairFacts facts = detail::examine(read, statistics_, inspection_, nullptr);
    return {std::move(read.source), std::move(read.target), std::move(facts)};
  }

  void add(const RawPair& pair, const Judged& judged) {
    RawPair read = pair;
    read.source = judged.source;
    read.target = judged.target;
    const auto place = stream_.place(report_.pairs);
    CleanedPair cleaned{files_.source[place.file].name(),
                        files_.target[place.file].name(),
                        place.line,
                        pair.source,
                        pair.target,
                        judged.source,
                        judged.target,
                        {}};
    for (size_t i = 0; i < kFindings; ++i)
      if (judged.facts.findings[i] && dropped_[i])
        cleaned.reasons.push_back(
            {FindingKind(i), note_on(FindingKind(i), read, judged.facts, statistics_)});
    const bool readable =
        !judged.facts.has(FindingKind::missing_column) && !judged.facts.has(FindingKind::empty);
    if (readable) compare(judged.facts, cleaned);
    for (const DropReason& reason : cleaned.reasons) ++report_.dropped_for[size_t(reason.kind)];
    ++report_.pairs;
    report_.kept += cleaned.kept();
    report_.repaired += cleaned.kept() && cleaned.repaired();
    take_(cleaned);
  }

  // With the test set, and with the pairs that are kept so far.
  void compare(const PairFacts& facts, CleanedPair& cleaned) {
    const auto found = test_.find(facts);
    if (found && dropped_[size_t(*found)]) cleaned.reasons.push_back({*found, ""});
    if (!cleaned.kept() || !dropped_[size_t(FindingKind::duplicate_pairs)]) return;
    const int64_t first = *earlier_.insert(facts.fingerprint(), report_.pairs);
    if (first == report_.pairs) return;
    const auto place = stream_.place(first);
    const std::string& file = files_.source[place.file].name();
    cleaned.reasons.push_back({FindingKind::duplicate_pairs,
                               fmt::format("first in line {}{}", place.line,
                                           file == cleaned.source_file ? "" : " of " + file)});
  }

  const InspectionFiles& files_;
  const CleaningOptions& options_;
  const std::bitset<kFindings> dropped_;
  InspectionOptions inspection_;
  const detail::CorpusStatistics statistics_;
  detail::PairStream stream_;
  detail::TestLines test_;
  detail::SampledMap<int64_t> earlier_;  // the kept pairs, by their fingerprints
  const std::function<void(const CleanedPair&)>& take_;
  CleaningReport report_;
};

}  // namespace

std::bitset<kFindings> CleaningOptions::dropped() const {
  std::bitset<kFindings> dropped;
  for (const std::string& name : drop) dropped.set(size_t(kind_named(name, "--drop")));
  for (const std::string& name : keep) {
    const FindingKind kind = kind_named(name, "--keep");
    if (std::ranges::find(kUnreadable, kind) != kUnreadable.end())
      fail_usage("--keep {}: there is no pair to keep", name);
    if (!dropped[size_t(kind)])
      fail_usage("--keep {} changes nothing: it is not one of --drop", name);
    dropped.reset(size_t(kind));
  }
  for (const FindingKind kind : kUnreadable) dropped.set(size_t(kind));
  return dropped;
}

CleaningReport clean_data(const InspectionFiles& files, const CleaningOptions& options,
                          Workers& workers, const std::function<void(const CleanedPair&)>& take) {
  validate(options);
  if (files.source.empty() || files.source.size() != files.target.size()) {
    fail_usage("{} source and {} target files; expected one target file for each source file",
               files.source.size(), files.target.size());
  }
  return Cleaning(files, options, detail::take_sample(files.source, files.target, 0), take)
      .run(workers);
}

std::vector<FindingKind> dropped_kinds(const CleaningReport& report) {
  std::vector<FindingKind> kinds;
  for (size_t i = 0; i < kFindings; ++i)
    if (report.dropped_for[i] > 0) kinds.push_back(FindingKind(i));
  std::ranges::stable_sort(kinds, std::greater(),
                           [&](FindingKind kind) { return report.dropped_for[size_t(kind)]; });
  return kinds;
}

std::string rejected_row(const CleanedPair& pair) {
  std::vector<std::string> names, notes;
  for (const DropReason& reason : pair.reasons) {
    names.emplace_back(text_of(reason.kind).name);
    if (!reason.note.empty()) notes.push_back(reason.note);
  }
  return fmt::format("{}:{}\t{}\t{}\t{}\t{}", pair.source_file, pair.line, fmt::join(names, ","),
                     fmt::join(notes, "; "), pair.source, pair.target);
}

}  // namespace heed
