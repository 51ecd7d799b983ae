#include "heed/data/data_inspection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "heed/core/counted.h"
#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/data/examined_pairs.h"
#include "heed/data/line_shift.h"
#include "heed/text/parallel_text.h"
#include "heed/text/text_encoding.h"
#include "heed/text/text_file.h"
#include "heed/text/words.h"

namespace heed {
namespace detail {
namespace {

constexpr size_t kExampleCharacters = 160;  // of each side of an example
constexpr std::array<int64_t, 4> kCoverage = {100, 1000, 10'000, 100'000};

// Counts one side of the report.
class SideCounter {
 public:
  SideCounter(int64_t table, const Tokenizer* tokenizer)
      : words_(table),
        tokenizer_(tokenizer),
        normalized_(tokenizer ? tokenizer->normalizer()
                              : Normalizer(TokenizerOptions().normalization, false)) {
    if (tokenizer) used_.resize(size_t(tokenizer->size()));
  }

  void add(const std::string& text, const LineFacts& line) {
    encoding_.add_line(text);
    if (line.damage.invalid)
      encoding_.add_invalid_line(text);
    else
      normalized_.add(text);
    side_.words.add(int64_t(line.words.size()));
    side_.characters.add(line.characters);
    for (size_t i = 0; i < kScripts; ++i) side_.letters[i] += line.letters[i];
    for (const uint64_t word : line.words) {
      if (int64_t* count = words_.insert(word, 0)) ++*count;
    }
    if (!tokenizer_) return;
    side_.tokens.add(int64_t(line.tokens.size()));
    for (const TokenId id : line.tokens) {
      used_[size_t(id)] = true;
      side_.vocabulary_use.unknown += id == tokenizer_->unknown_id();
    }
  }

  const EncodingSample& encoding() const { return encoding_; }

  SideReport finish(const TextFiles& test, const SampledMap<bool>& held_out) const {
    constexpr size_t kChanges = 20;
    SideReport side = side_;
    side.normalization = {tokenizer_ ? "the vocabulary" : to_text(TokenizerOptions().normalization),
                          normalized_.changed_lines(), normalized_.changes(kChanges)};
    side.vocabulary = vocabulary();
    side.vocabulary_use.tokens = side.tokens.sum();
    side.vocabulary_use.vocabulary = int64_t(used_.size());
    side.vocabulary_use.used = std::count(used_.begin(), used_.end(), true);
    for (const TextFile& file : test) read_test(file, side.test);
    held_out.for_each([&](uint64_t, bool seen) { side.test.lines_seen += seen; });
    return side;
  }

 private:
  VocabularyReport vocabulary() const {
    std::vector<int64_t> counts;
    words_.for_each([&](uint64_t, int64_t count) { counts.push_back(count); });
    std::sort(counts.rbegin(), counts.rend());
    const int64_t period = words_.period();
    VocabularyReport report;
    report.words = side_.words.sum();
    report.types = int64_t(counts.size()) * period;
    report.singletons = std::count(counts.begin(), counts.end(), 1) * period;
    report.estimated = period > 1;
    const auto all = double(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
    for (const int64_t types : kCoverage) {
      if (types >= report.types) break;
      const auto end = counts.begin() + types / period;
      const auto covered = std::accumulate(counts.begin(), end, int64_t{0});
      report.coverage.push_back({types, double(covered) / all});
    }
    if (report.types > 0) report.coverage.push_back({report.types, 1});
    return report;
  }

  void read_test(const TextFile& file, TestReport& test) const {
    LineReader reader = file.lines();
    for (std::string line; reader.next(line); ++test.lines) {
      for (const uint64_t word : facts_of(line).words) {
        if (!words_.sampled(word)) continue;
        ++test.words;
        test.unseen_words += words_.find(word) == nullptr;
      }
    }
  }

  SampledMap<int64_t> words_;
  const Tokenizer* tokenizer_;
  CharacterCounter normalized_;
  EncodingSample encoding_;
  std::vector<bool> used_;  // by id
  SideReport side_;
};

class Inspection {
 public:
  Inspection(const InspectionFiles& files, const InspectionOptions& options,
             const TokenizerPair* tokenizers, const PairSample& sample)
      : files_(files),
        options_(options),
        tokenizers_(tokenizers),
        statistics_(sample.pairs),
        stream_(files.source, files.target, options.pairs, sample.usual_columns),
        test_(files.test_source, files.test_target, options.max_table_entries),
        source_(options.max_table_entries, tokenizers ? &tokenizers->source() : nullptr),
        target_(options.max_table_entries, tokenizers ? &tokenizers->target() : nullptr),
        earlier_{SampledMap<FirstPair>(options.max_table_entries),
                 SampledMap<FirstTarget>(options.max_table_entries)} {
    for (size_t i = 0; i < kFindings; ++i) report_.findings[i].kind = FindingKind(i);
  }

  DataReport run(Workers& workers) {
    examine_all(
        stream_, workers,
        [&](const RawPair& pair) { return examine(pair, statistics_, options_, tokenizers_); },
        [&](const RawPair& pair, const PairFacts& facts) { add(pair, facts); });
    return finish();
  }

 private:
  struct FirstPair {
    uint32_t pair = 0;     // the first one
    uint32_t repeats = 0;  // number of repetitions
  };
  struct FirstTarget {
    uint32_t target = 0;  // half of its fingerprint
    uint32_t pair = 0;
    uint32_t others = 0;  // pairs with another target, without repeated pairs
  };

  // The pairs and the sources so far, by their fingerprints.
  struct Earlier {
    SampledMap<FirstPair> pairs;
    SampledMap<FirstTarget> sources;
  };
  // The search for shifted lines in a block.
  struct Shifts {
    ShiftDetector detector;
    std::vector<int64_t> pairs;
    FindingExample first;
  };

  void add(const RawPair& pair, const PairFacts& facts) {
    source_.add(pair.source, facts.source);
    target_.add(pair.target, facts.target);
    for (size_t i = 0; i < kFindings; ++i) {
      if (!facts.findings[i]) continue;
      count(FindingKind(i), report_.pairs);
      if (wants_example(FindingKind(i))) {
        keep_example(FindingKind(i), pair, note_on(FindingKind(i), pair, facts, statistics_));
      }
    }
    if (!facts.has(FindingKind::empty) && !facts.has(FindingKind::missing_column)) {
      count_ratio(facts);
      look_for_shift(pair, facts);
      look_back(pair, facts);
      look_for_test(pair, facts);
    }
    ++report_.pairs;
  }

  void count_ratio(const PairFacts& facts) {
    const double ratio = double(facts.target.characters) / double(facts.source.characters);
    constexpr int kLast = DataReport::kRatioBins - 1;
    const int bin = int(std::lround(std::log2(ratio) * 5)) + kLast / 2;
    ++report_.ratios[size_t(std::clamp(bin, 0, kLast))];
  }

  void look_for_shift(const RawPair& pair, const PairFacts& facts) {
    if (shifts_.pairs.empty()) shifts_.first = example_of(pair, "");
    shifts_.pairs.push_back(report_.pairs);
    const auto traits = [](const LineFacts& line) {
      return LineTraits{line.characters, line.question, line.number};
    };
    if (shifts_.detector.add(traits(facts.source), traits(facts.target))) close_block();
  }

  void close_block() {
    const int shift = shifts_.detector.close_block();
    const auto [detector, pairs, example] = std::exchange(shifts_, {});
    if (shift == 0) return;
    for (const int64_t pair : pairs) count(FindingKind::shifted_lines, pair);
    if (!wants_example(FindingKind::shifted_lines)) return;
    finding(FindingKind::shifted_lines).examples.push_back(example);
    finding(FindingKind::shifted_lines).examples.back().note =
        fmt::format("in {} from here, a source goes with the target {} {} it",
                    counted(int64_t(pairs.size()), "pair"), counted(std::abs(shift), "line"),
                    shift > 0 ? "after" : "before");
  }

  Finding& finding(FindingKind kind) { return report_.findings[size_t(kind)]; }

  // Counts a pair and lists its line.
  void count(FindingKind kind, int64_t pair) {
    ++finding(kind).pairs;
    list(kind, stream_.place(pair));
  }
  void list(FindingKind kind, const PairStream::Place& place) {
    Finding& found = finding(kind);
    if (found.listed >= Finding::kMaxLines) return;
    if (last_listed_file_[size_t(kind)] != place.file || found.lines.empty()) {
      found.lines.push_back(
          {files_.source[place.file].name(), files_.target[place.file].name(), {}});
      last_listed_file_[size_t(kind)] = place.file;
    }
    found.lines.back().lines.push_back(uint32_t(place.line));
    ++found.listed;
  }

  // Finds repeated pairs and sources.
  void look_back(const RawPair& pair, const PairFacts& facts) {
    const auto number = uint32_t(report_.pairs);
    const auto target = uint32_t(facts.target.fingerprint);
    FirstPair* same = earlier_.pairs.insert(facts.fingerprint(), {number, 0});
    if (same && same->pair != number) {
      ++same->repeats;
      list(FindingKind::duplicate_pairs, stream_.place(report_.pairs));
      note_earlier(FindingKind::duplicate_pairs, pair, same->pair, "first in line");
      return;
    }
    FirstTarget* first = earlier_.sources.insert(facts.source.fingerprint, {target, number, 0});
    if (!first || first->target == target) return;
    ++first->others;
    list(FindingKind::several_targets, stream_.place(report_.pairs));
    note_earlier(FindingKind::several_targets, pair, first->pair, "another target in line");
  }

  void look_for_test(const RawPair& pair, const PairFacts& facts) {
    const auto found = test_.find(facts);
    if (!found) return;
    count(*found, report_.pairs);
    keep_example(*found, pair, "");
  }

  bool wants_example(FindingKind kind) {
    return int64_t(finding(kind).examples.size()) < options_.examples;
  }

  void note_earlier(FindingKind kind, const RawPair& pair, int64_t earlier, const char* what) {
    const auto place = stream_.place(earlier);
    const bool here = place.file == stream_.place(report_.pairs).file;
    keep_example(kind, pair,
                 fmt::format("{} {}{}", what, place.line,
                             here ? "" : " of " + files_.source[place.file].name()));
  }

  void keep_example(FindingKind kind, const RawPair& pair, std::string note) {
    if (wants_example(kind)) finding(kind).examples.push_back(example_of(pair, std::move(note)));
  }

  FindingExample example_of(const RawPair& pair, std::string note) const {
    const auto place = stream_.place(report_.pairs);
    return {files_.source[place.file].name(),
            files_.target[place.file].name(),
            place.line,
            visible(pair.source, kExampleCharacters),
            visible(pair.target, kExampleCharacters),
            std::move(note)};
  }

  DataReport finish() {
    if (report_.pairs == 0) {
      if (stream_.unpaired() > 0) fail_unequal(stream_.unequal());
      fail("{} and {} are empty; expected at least one line", files_.source.front().name(),
           files_.target.front().name());
    }
    report_.first_pairs_only = stream_.cut();
    report_.tokenized = tokenizers_ != nullptr;
    report_.typical_ratio = statistics_.ratio;
    report_.source = source_.finish(files_.test_source, test_.sources);
    report_.target = target_.finish(files_.test_target, test_.targets);
    int64_t repeats = 0, others = 0;
    earlier_.pairs.for_each([&](uint64_t, const FirstPair& first) { repeats += first.repeats; });
    earlier_.sources.for_each([&](uint64_t, const FirstTarget& first) { others += first.others; });
    estimate(FindingKind::duplicate_pairs, repeats, earlier_.pairs.period());
    estimate(FindingKind::several_targets, others, earlier_.sources.period());
    close_block();
    finish_unpaired();
    finish_commands();
    finish_encoding();
    return std::move(report_);
  }

  void estimate(FindingKind kind, int64_t in_sample, int64_t period) {
    finding(kind).pairs = in_sample * period;
    finding(kind).estimated = period > 1;
  }

  void finish_unpaired() {
    if (stream_.unpaired() == 0) return;
    Finding& found = finding(FindingKind::unequal_lines);
    found.pairs = stream_.unpaired();
    for (const auto& [begin, length] : stream_.stretches()) {
      const int64_t listed = std::min(length, Finding::kMaxLines);
      for (int64_t i = 0; i < listed; ++i)
        list(FindingKind::unequal_lines, PairStream::Place{begin.file, begin.line + i});
    }
    const auto place = stream_.first_unpaired();
    found.examples.push_back({files_.source[place.file].name(), files_.target[place.file].name(),
                              place.line, "", "", stream_.unequal()});
  }

  // The command of each kind, for two files or for the columns of tab-separated text.
  void finish_commands() {
    const int64_t source = files_.source.front().column(), target = files_.target.front().column();
    for (Finding& finding : report_.findings) {
      const FindingText& text = text_of(finding.kind);
      finding.command = source == 0 ? text.command : text.tsv_command;
      for (const auto& [name, column] :
           {std::pair{std::string_view("{source}"), source}, {"{target}", target}}) {
        if (const size_t at = finding.command.find(name); at != std::string::npos)
          finding.command.replace(at, name.size(), std::to_string(column));
      }
    }
  }

  // Text in another encoding needs conversion, whatever findings its bytes cause.
  void finish_encoding() {
    std::string advice = conversion_advice(source_.encoding(), target_.encoding());
    if (advice.empty()) return;
    advice = "T" + advice.substr(1) + ".";  // a sentence
    for (const FindingKind kind : {FindingKind::invalid_utf8, FindingKind::control_characters}) {
      if (finding(kind).pairs > 0) finding(kind).specific_advice = advice;
    }
  }

  const InspectionFiles& files_;
  const InspectionOptions& options_;
  const TokenizerPair* tokenizers_;
  CorpusStatistics statistics_;
  PairStream stream_;
  TestLines test_;
  SideCounter source_, target_;
  Shifts shifts_;
  std::array<size_t, kFindings> last_listed_file_{};  // the file of the last of Finding::lines
  Earlier earlier_;
  DataReport report_;
};

}  // namespace
}  // namespace detail

DataReport inspect_data(const InspectionFiles& files, const InspectionOptions& options,
                        const TokenizerPair* tokenizers, Workers& workers) {
  validate(options);
  if (files.source.empty() || files.source.size() != files.target.size()) {
    fail_usage("{} source and {} target files; expected one target file for each source file",
               files.source.size(), files.target.size());
  }
  detail::Inspection inspection(files, options, tokenizers,
                                detail::take_sample(files.source, files.target, options.pairs));
  return inspection.run(workers);
}

}  // namespace heed
