// heed align: word alignments of parallel text.
#include <algorithm>
#include <unordered_map>

#include "commands/commands.h"
#include "files/outputs.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/decode/alignment.h"
#include "heed/decode/text_units.h"
#include "heed/text/parallel_text.h"
#include "heed/text/word_aligner.h"

namespace heed {
namespace {

struct AlignSettings {
  std::vector<std::string> source, target;
  TsvOptions tabular;
  Symmetrization symmetrize = Symmetrization::grow_diag_final_and;
  std::string output;
  std::optional<int64_t> threads;

  static void visit(auto& self, auto&& v) {
    v.group("Text");
    v("source", self.source,
      {.help = "Source text, one sentence per line, plain or .gz; several files are concatenated",
       .value = "FILE..."});
    v("target", self.target,
      {.help = "Target text: line i translates line i of the source", .value = "FILE..."});
    TsvOptions::visit(self.tabular, v);
    v.group("Alignment");
    v("symmetrize", self.symmetrize,
      {.help =
           "Links that are kept of the two directions: of both and their neighbours, of both, of "
           "either, or of one: for each target word a source word, or the reverse"});
    v("threads", self.threads, kThreadsOption);
    v.group("Output");
    v("output", self.output,
      {.help = "File of the alignments, one line for each pair", .value = "FILE"});
  }
};

// A word without the punctuation around it, unless it has nothing else: "end." is "end".
std::string_view without_punctuation(std::string_view word) {
  size_t begin = word.size(), end = 0;
  for (size_t at = 0; at < word.size();) {
    const Utf8Character character = first_utf8_character(word.substr(at));
    if (!is_punctuation(character.value)) {
      begin = std::min(begin, at);
      end = at + character.bytes;
    }
    at += character.bytes;
  }
  return begin < end ? word.substr(begin, end - begin) : word;
}

// Words as numbers, those of both sides apart.
class WordIds {
 public:
  std::vector<TokenId> of(std::string_view line) {
    std::vector<TokenId> ids;
    const TextUnits units(line);
    for (const std::string_view unit : units.texts(line)) {
      const auto [found, is_new] =
          ids_.try_emplace(lowercase(without_punctuation(unit)), TokenId(ids_.size()));
      ids.push_back(found->second);
    }
    return ids;
  }

 private:
  std::unordered_map<std::string, TokenId> ids_;
};

std::string line_of(const std::vector<WordLink>& links) {
  std::vector<AlignedPair> pairs;
  pairs.reserve(links.size());
  for (const WordLink& link : links) pairs.push_back({link.source, link.target});
  return pharaoh_text(pairs) + "\n";
}

void check_settings(const AlignSettings& settings) {
  settings.tabular.check();
  const bool tabular = !settings.tabular.tsv.empty();
  if (tabular && (!settings.source.empty() || !settings.target.empty()))
    fail_usage("--tsv has both sides of the text: it contradicts --source and --target");
  if (settings.source.size() != settings.target.size())
    fail_usage("--source names {} and --target {}: they go together one by one",
               detail::counted(int64_t(settings.source.size()), "file"), settings.target.size());
}

std::vector<NamedInput> inputs_of(const AlignSettings& settings) {
  std::vector<NamedInput> inputs;
  for (const std::string& name : settings.source) inputs.emplace_back("--source", name);
  for (const std::string& name : settings.target) inputs.emplace_back("--target", name);
  for (const std::string& name : settings.tabular.tsv) inputs.emplace_back("--tsv", name);
  return inputs;
}

ParallelText open_text(const AlignSettings& settings, const Console& console) {
  const CopyOptions copying = reported_copying(console);
  if (!settings.tabular.tsv.empty()) {
    auto [source, target] = settings.tabular.open(settings.tabular.tsv, copying);
    return {std::move(source), std::move(target)};
  }
  TextFiles source, target;
  for (const std::string& name : settings.source) source.emplace_back(name, copying);
  for (const std::string& name : settings.target) target.emplace_back(name, copying);
  return {std::move(source), std::move(target)};
}

int run_align(const AlignSettings& settings, const Words&, Console& console) {
  check_settings(settings);
  expect_another_file("--output", settings.output, files_read("", inputs_of(settings)));
  const ParallelText text = open_text(settings, console);
  WordIds source_words, target_words;
  std::vector<TokenPair> pairs(size_t(text.pairs()));  // lines that cannot be read stay empty
  std::string source, target;
  for (PairReader reader(text); reader.next(source, target);)
    pairs[size_t(reader.line())] = {source_words.of(source), target_words.of(target)};
  Workers workers(int(settings.threads.value_or(available_threads())));
  const WordAligner aligner(pairs, workers);
  TextOutput output(settings.output, console);
  constexpr size_t kChunk = 4096;
  int64_t links = 0, none = 0;
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < pairs.size(); begin += kChunk) {
    lines.resize(std::min(kChunk, pairs.size() - begin));
    workers.run(int64_t(lines.size()), [&](int64_t i, int) {
      lines[size_t(i)] = line_of(aligner.links(pairs[begin + size_t(i)], settings.symmetrize));
    });
    for (const std::string& line : lines) {
      output.write(line);
      links += std::ranges::count(line, '-');
      none += line == "\n";
    }
  }
  output.commit();
  console.note(fmt::format("{} in {}", detail::counted(links, "link"),
                           detail::counted(text.pairs(), "pair")));
  if (none > 0)
    console.warn(fmt::format(
        "{} without a link: an empty side, more than {} words, not UTF-8, or nothing in common",
        detail::counted(none, "pair"), WordAligner::kMaxTokens));
  return 0;
}

}  // namespace

Command make_align_command() {
  return with_settings(
      run_align,
      {.name = "align",
       .summary = "Aligns the words of parallel text",
       .description =
           "Learns from the text itself, without a model, which words are translations of each "
           "other, and prints for each pair of lines the pairs of words that are, counted from 0: "
           "0-0 2-1, source first (the Pharaoh format). Words are what stands between white space; "
           "text without spaces, as Chinese, is aligned by characters. There is one line for each "
           "pair, empty where nothing is aligned. The result does not depend on the threads.",
       .inputs = {{"source", "target"}, {"tsv"}},
       .memory_advice = "less text takes less"});
}

}  // namespace heed
