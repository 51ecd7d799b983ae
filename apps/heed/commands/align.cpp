// heed align: word alignments of parallel text.
#include <algorithm>

#include "commands/commands.h"
#include "files/outputs.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/decode/alignment.h"
#include "heed/decode/line_aligner.h"
#include "heed/decode/model.h"
#include "heed/decode/pair_aligner.h"
#include "heed/text/parallel_text.h"

namespace heed {
namespace {

struct AlignSettings {
  std::vector<std::string> source, target;
  TsvOptions tabular;
  std::string model;
  std::optional<Symmetrization> symmetrize;
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
    v("model", self.model,
      {.help = "Align by the attention of this translator, which is best if it learned with "
               "--guided-alignment, instead of learning from the text",
       .value = "DIR",
       .default_text = "none"});
    v("symmetrize", self.symmetrize,
      {.help =
           "Links that are kept of the two directions: of both and their neighbours, of both, of "
           "either, or of one: for each target word a source word, or the reverse",
       .default_text = "grow-diag-final-and"});
    v("threads", self.threads, kThreadsOption);
    v.group("Output");
    v("output", self.output,
      {.help = "File of the alignments, one line for each pair", .value = "FILE"});
  }
};

// A line of links for each pair, in order.
class LinkWriter {
 public:
  LinkWriter(const std::string& output, Console& console) : output_(output, console) {}

  void write(const std::vector<AlignedPair>& links) {
    output_.write(pharaoh_text(links) + "\n");
    links_ += int64_t(links.size());
    ++pairs_;
    empty_ += links.empty();
  }
  // Ends the file. `longest` says which pairs are too long.
  void finish(Console& console, const std::string& longest) {
    output_.commit();
    console.note(
        fmt::format("{} in {}", detail::counted(links_, "link"), detail::counted(pairs_, "pair")));
    if (empty_ > 0)
      console.warn(fmt::format(
          "{} without a link: an empty side, more than {}, not UTF-8, or nothing in common",
          detail::counted(empty_, "pair"), longest));
  }

 private:
  TextOutput output_;
  int64_t links_ = 0, pairs_ = 0, empty_ = 0;
};

constexpr int64_t kChunk = 4096;  // pairs that are aligned before they are written

void check_settings(const AlignSettings& settings) {
  settings.tabular.check();
  const bool tabular = !settings.tabular.tsv.empty();
  if (!settings.model.empty() && settings.symmetrize)
    fail_usage(
        "--symmetrize joins the directions that are learned from the text: it contradicts "
        "--model");
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
  auto [source, target] =
      open_sides(settings.source, settings.target, settings.tabular, reported_copying(console));
  return {std::move(source), std::move(target)};
}

// Learns from all pairs, then aligns them.
void align_by_statistics(const ParallelText& text, Symmetrization symmetrization, Workers& workers,
                         LinkWriter& output) {
  LineAligner aligner(text.pairs());  // lines that cannot be read stay empty
  std::string source, target;
  for (PairReader reader(text); reader.next(source, target);)
    aligner.set(reader.line(), source, target);
  aligner.learn(workers);
  for (int64_t begin = 0; begin < text.pairs(); begin += kChunk)
    for (const std::vector<AlignedPair>& of_pair :
         aligner.links(begin, std::min(begin + kChunk, text.pairs()), symmetrization, workers))
      output.write(of_pair);
}

// Aligns each pair by the attention of a model.
void align_by_model(const ParallelText& text, const ModelParts& parts, Workers& workers,
                    LinkWriter& output) {
  std::vector<PairAligner> aligners;
  aligners.reserve(size_t(workers.count()));
  for (int worker = 0; worker < workers.count(); ++worker) aligners.emplace_back(parts);
  std::vector<std::pair<std::string, std::string>> lines;
  std::vector<std::vector<AlignedPair>> links;
  PairReader reader(text);
  std::pair<std::string, std::string> next;
  bool more = reader.next(next.first, next.second);
  for (int64_t begin = 0; begin < text.pairs(); begin += kChunk) {
    lines.assign(size_t(std::min(kChunk, text.pairs() - begin)), {});
    for (; more && reader.line() < begin + int64_t(lines.size());
         more = reader.next(next.first, next.second))
      lines[size_t(reader.line() - begin)] = next;
    links.resize(lines.size());
    workers.run(int64_t(lines.size()), [&](int64_t i, int worker) {
      const auto& [source, target] = lines[size_t(i)];
      links[size_t(i)] = aligners[size_t(worker)].links(source, target);
    });
    for (const std::vector<AlignedPair>& of_pair : links) output.write(of_pair);
  }
}

int run_align(const AlignSettings& settings, const Words&, Console& console) {
  check_settings(settings);
  expect_another_file("--output", settings.output, files_read(settings.model, inputs_of(settings)));
  std::optional<Model> model;
  if (!settings.model.empty()) model.emplace(settings.model);
  const ParallelText text = open_text(settings, console);
  Workers workers(int(settings.threads.value_or(available_threads())));
  LinkWriter output(settings.output, console);
  if (model) {
    align_by_model(text, model->parts(), workers, output);
    output.finish(console, fmt::format("{} tokens", model->config().max_positions - 1));
  } else {
    align_by_statistics(text, settings.symmetrize.value_or(Symmetrization::grow_diag_final_and),
                        workers, output);
    output.finish(console, fmt::format("{} words", WordAligner::kMaxTokens));
  }
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
           "0-0 2-1, source first (the Pharaoh format). With --model, a translator tells instead, "
           "for each target word, the source word that it attends to. Words are what stands "
           "between white space; "
           "text without spaces, as Chinese, is aligned by characters. There is one line for each "
           "pair, empty where nothing is aligned. The result does not depend on the threads.",
       .inputs = {{"source", "target"}, {"tsv"}},
       .memory_advice = "less text takes less"});
}

}  // namespace heed
