#include "heed/data/data_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/core/counted.h"

namespace heed {
namespace {

// Commands write a new file, since one that changes its input destroys a .gz; zcat -f reads plain
// text too. None of them deletes a tab, which separates columns.
constexpr std::array<FindingText, kFindings> kTexts = {{
    {"unequal_lines", "Lines without a partner",
     "heed train refuses files of different length. Find the line from which they differ (one "
     "that was split or lost) and correct it: all pairs after that line are wrong."},
    {"shifted_lines", "Stretches whose target looks shifted by some lines",
     "Lines were split, joined or lost on one side before them. Look at the example, find these "
     "lines and correct them: the pairs there are not translations."},
    {"missing_column", "Lines with fewer columns than --columns asks for",
     "heed train drops them, or stops with --strict. Many of them hint at wrong --columns."},
    {"extra_columns", "Lines with more columns than most",
     "Text that a tab separates from the columns in use is lost. Put a space in the place of that "
     "tab, or drop the line."},
    {"invalid_utf8", "Bytes that are not UTF-8",
     "heed train drops such pairs, or stops with --strict. Correct a single line by hand. If the "
     "whole file is in another encoding, convert it, and read what comes out, since a wrong "
     "ENCODING gives other letters: {command}. ENCODING is often WINDOWS-1252 of Western, "
     "WINDOWS-1251 of Cyrillic, WINDOWS-1256 of Arabic and Persian, GB18030 or BIG5 of Chinese, "
     "SHIFT_JIS of Japanese, EUC-KR of Korean text. A file of which some lines are UTF-8 would "
     "have these encoded twice.",
     "iconv -f ENCODING -t UTF-8 FILE", "iconv -f ENCODING -t UTF-8 FILE"},
    {"empty", "Pairs with an empty side",
     "Nothing to do: heed train drops them. Many of them hint at a bad alignment."},
    {"test_pairs", "Pairs that are in the test text too",
     "Take them out of the training text, or the scores on that test mean nothing: heed clean "
     "--test-source FILE --test-target FILE does."},
    {"test_sources", "Pairs whose source is in the test text",
     "Take them out of the training text, by heed clean --test-source FILE: the model has seen a "
     "translation of the test's lines."},
    {"duplicate_pairs", "Repeated pairs",
     "They count more than others. Keep one of each, in tab-separated text (train with --tsv "
     "NEW.tsv): {command}",
     R"(paste SOURCE TARGET | awk '!seen[$0]++' > NEW.tsv)",
     R"(zcat -f FILE | awk -F'\t' '!seen[${source} FS ${target}]++' > NEW.tsv)"},
    {"several_targets", "Sources that occur with several targets",
     "Fine if both are good translations. If one is wrong, the alignment may be too: look at "
     "the examples."},
    {"copied_sources", "Targets equal to their source",
     "They teach the model to copy, which is right for names and code. Drop others, or all of "
     "them (train with --tsv NEW.tsv): {command}",
     R"(paste SOURCE TARGET | awk -F'\t' '$1 != $2' > NEW.tsv)",
     R"(zcat -f FILE | awk -F'\t' '${source} != ${target}' > NEW.tsv)"},
    {"untranslated", "Targets in the source's language, or sources in the target's",
     "They teach the model to copy. Look at the examples, and drop such pairs by heed clean."},
    {"wrong_script", "Lines in a script that is not their side's",
     "Look at the examples: swapped sides, another language, or names. Drop pairs that are no "
     "translations before training."},
    {"length_ratio", "Unusual length ratio of the sides",
     "Most are no translations of each other. heed train --max-ratio (9 by default; 3 is strict) "
     "drops those whose tokens differ so much."},
    {"different_placeholders", "Placeholders that differ between the sides",
     "They teach the model to lose or change placeholders. Correct such pairs, or drop them by "
     "heed clean."},
    {"different_tags", "Tags that differ between the sides",
     "They teach the model to lose or change tags. Correct such pairs, or drop them by heed "
     "clean."},
    {"different_numbers", "Numbers that differ between the sides",
     "They teach the model to change numbers. Look at the examples: some may be in words or in "
     "other units. Correct wrong pairs, or drop them by heed clean."},
    {"too_long", "Pairs with a very long side",
     "heed train --max-sentence-tokens (256 by default) drops them. Split them into sentences "
     "to keep them."},
    {"double_encoded", "Text that was encoded twice",
     "UTF-8 was decoded as Windows-1252 (mojibake). Undo it there alone, since it damages sound "
     "text: {command}",
     "sed -n LINEp FILE | iconv -f UTF-8 -t WINDOWS-1252",
     "sed -n LINEp FILE | cut -f COLUMN | iconv -f UTF-8 -t WINDOWS-1252"},
    {"replacement_characters", "Characters that were lost (U+FFFD)",
     "They were lost in an earlier conversion. Go back to the original, or drop these pairs."},
    {"control_characters", "Control characters, byte order marks or line separators",
     "Remove them, but not tabs, which separate columns: {command}",
     R"(zcat -f FILE | perl -CSD -pe 's/[\x{85}\x{2028}\x{2029}]/ /g; )"
     R"(s/[^\P{Cc}\t\n]|\x{FEFF}//g' > NEW)",
     R"(zcat -f FILE | perl -CSD -pe 's/[\x{85}\x{2028}\x{2029}]/ /g; )"
     R"(s/[^\P{Cc}\t\n]|\x{FEFF}//g' > NEW.tsv)"},
    {"invisible_characters", "Invisible characters: zero-width, soft hyphens, direction marks",
     "Words with and without them look alike, but are different words to the model. Remove those "
     "that your language does not need (Thai and Khmer have U+200B between words; joiners within "
     "words of Arabic and Indic scripts stay): {command}",
     R"(zcat -f FILE | perl -CSD -pe )"
     R"('s/[\x{AD}\x{200B}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2060}-\x{2069}]//g; )"
     R"(s/((?<!\S)|(?<=[\p{Latin}\p{Cyrillic}\p{Greek}\p{Han}]))[\x{200C}\x{200D}]+//g' > NEW)",
     R"(zcat -f FILE | perl -CSD -pe )"
     R"('s/[\x{AD}\x{200B}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2060}-\x{2069}]//g; )"
     R"(s/((?<!\S)|(?<=[\p{Latin}\p{Cyrillic}\p{Greek}\p{Han}]))[\x{200C}\x{200D}]+//g' > NEW.tsv)"},
    {"carriage_returns", "Lines that end as on Windows",
     "The tokenizer reads them as spaces, but other tools do not. Remove the carriage returns: "
     "{command}",
     R"(zcat -f FILE | sed 's/\r$//' > NEW)",
     R"(zcat -f FILE | sed 's/\r\t/\t/g; s/\r$//' > NEW.tsv)"},
    {"unknown_tokens", "Pairs with characters that the vocabulary lacks",
     "They become <unk>. Raise heed train --character-coverage, or learn with --byte-fallback."},
}};

// Whether training itself rejects or drops such pairs, with a message.
bool is_reported_by_training(FindingKind kind) {
  return kind == FindingKind::unequal_lines || kind == FindingKind::missing_column ||
         kind == FindingKind::extra_columns || kind == FindingKind::invalid_utf8;
}

}  // namespace

const FindingText& text_of(FindingKind kind) {
  return kTexts[size_t(kind)];
}

std::string advice_for(const Finding& finding) {
  if (!finding.specific_advice.empty()) return finding.specific_advice;
  constexpr std::string_view kCommand = "{command}";
  const FindingText& text = text_of(finding.kind);
  std::string advice(text.advice);
  if (const size_t at = advice.find(kCommand); at != advice.npos)
    advice.replace(at, kCommand.size(), finding.command.empty() ? text.command : finding.command);
  return advice;
}

void LengthCounts::add(int64_t length) {
  const auto bin = size_t(std::min(length, kMaxBins - 1));
  if (bin >= bins_.size()) bins_.resize(bin + 1);
  ++bins_[bin];
  ++count_;
  sum_ += length;
  max_ = std::max(max_, length);
}

int64_t LengthCounts::quantile(double q) const {
  const auto wanted = int64_t(std::ceil(q * double(count_)));
  int64_t seen = 0;
  for (size_t bin = 0; bin < bins_.size(); ++bin) {
    seen += bins_[bin];
    if (seen >= wanted && seen > 0) return int64_t(bin);
  }
  return 0;
}

bool is_spaced(const SideReport& side) {
  return has_spaced_words(side.letters, side.words.sum(), side.words.count());
}

bool looked_for(FindingKind kind, const DataReport& report) {
  const bool tests_source = report.source.test.lines > 0,
             tests_target = report.target.test.lines > 0;
  // Reported only if there are some.
  if (kind == FindingKind::missing_column || kind == FindingKind::extra_columns) return false;
  if (kind == FindingKind::unknown_tokens) return report.tokenized;
  if (kind == FindingKind::test_sources) return tests_source;
  return kind != FindingKind::test_pairs || (tests_source && tests_target);
}

std::vector<std::string> warnings(const DataReport& report, double share) {
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    const double part = double(finding.pairs) / double(std::max<int64_t>(report.pairs, 1));
    // A single pair of the test set falsifies its scores.
    const double allowed = finding.kind == FindingKind::test_pairs ? 0 : share;
    if (part <= allowed || is_reported_by_training(finding.kind)) continue;
    const FindingText& text = text_of(finding.kind);
    std::string first;
    if (!finding.examples.empty()) {
      const FindingExample& example = finding.examples.front();
      first = fmt::format(" (first: {}:{})", example.source_file, example.line);
    }
    lines.push_back(fmt::format("{} of {}: {}{}. {}", finding.pairs,
                                detail::counted(report.pairs, "pair"), text.title, first,
                                advice_for(finding)));
  }
  return lines;
}

}  // namespace heed
