#include "commands/inspect_heads.h"

#include <algorithm>
#include <chrono>

#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/decode/alignment.h"
#include "heed/decode/model.h"
#include "heed/model/directory.h"

namespace heed {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Says from time to time how many heads are done.
class HeadProgress {
 public:
  explicit HeadProgress(Console& console) : console_(console) {}
  void operator()(int64_t done, int64_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::seconds(10) || done == all) return;
    console_.note(fmt::format("left out {} of {} heads", done, all));
    last_ = now;
  }

 private:
  Console& console_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void warn_of_left_out(const std::string& lines, const ModelConfig& config, const Console& console) {
  console.warn(
      fmt::format("{} left out: empty, or with more tokens than the model has positions, {}", lines,
                  config.max_positions));
}

// Pairs that the model can be given; `left_out` counts the others.
AlignmentText text_of(const Model& model, const std::vector<std::string>& sources,
                      const std::vector<std::string>& targets, int64_t lines, int64_t& left_out) {
  const TokenizerPair& tokenizers = model.tokenizers();
  AlignmentText text;
  double token_pairs = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    EncodedText source = encode_to_fit(tokenizers.source(), sources[i], model.config());
    EncodedText target = encode_to_fit(tokenizers.target(), targets[i], model.config());
    if (source.ids.empty() || target.ids.empty() || source.truncated || target.truncated) {
      ++left_out;
      continue;
    }
    TokenPair pair{std::move(source.ids), std::move(target.ids)};
    token_pairs += double(pair.source.size()) * double(pair.target.size());
    if (int64_t(i) < lines) text.measured.push_back(pair);
    if (token_pairs <= WordLinks::kMaxTokenPairs)
      text.lexical.push_back(std::move(pair));
    else if (int64_t(i) >= lines)
      break;
  }
  return text;
}

}  // namespace

HeadAnalysis inspect_heads(const HeadsInspection& inspection, Console& console) {
  EqualTexts texts(console);
  std::vector<std::string> sources = texts.read(inspection.source), targets;
  if (sources.empty()) fail("{}: no lines to look at", inspection.source);
  if (!inspection.reference.empty()) targets = texts.read(inspection.reference);
  sources.resize(std::min(sources.size(), size_t(inspection.lines)));
  const std::unique_ptr<Backend> backend = make_backend(ComputeChoice::fp32, Purpose::training);
  auto model = load_model(inspection.directory);
  model.move_to(backend->memory());
  const TokenizerPair tokenizers = TokenizerPair::load(inspection.directory);
  Workers workers(inspection.threads);
  pack(model, *backend, Purpose::training, &workers);
  const ModelParts parts{{model, *backend}, tokenizers};
  if (targets.empty()) {
    DecodeOptions decode;
    decode.threads = inspection.threads;
    decode.search.beam = 1;
    targets = best_translations(Translator(parts, decode), sources);
  }
  Pairs pairs;
  for (size_t i = 0; i < sources.size(); ++i) pairs.emplace_back(sources[i], targets[i]);
  HeadProgress progress(console);
  HeadAnalysis analysis =
      analyze_heads(parts, parameters(model), pairs, workers, std::ref(progress));
  if (analysis.left_out > 0)
    warn_of_left_out(
        fmt::format("{} of {}", analysis.left_out, detail::counted(int64_t(pairs.size()), "line")),
        model.config(), console);
  return analysis;
}

AlignmentReport inspect_alignment(const HeadsInspection& inspection, Console& console) {
  EqualTexts texts(console);
  const std::vector<std::string> sources = texts.read(inspection.source),
                                 targets = texts.read(inspection.reference);
  const Model model(inspection.directory, ComputeChoice::fp32);
  const ModelParts parts = model.parts();
  int64_t left_out = 0;
  const AlignmentText text = text_of(model, sources, targets, inspection.lines, left_out);
  if (left_out > 0) warn_of_left_out(detail::counted(left_out, "line"), model.config(), console);
  Workers workers(inspection.threads);
  AlignmentReport found{model.config(), alignment_heads_of(parts.model), false,
                        measure_alignment(parts, text, workers)};
  if (!found.measured.best)
    fail("{} and {}: {} word links in {}, expected at least {}: give more text, or more --lines",
         inspection.source, inspection.reference, found.measured.links,
         detail::counted(found.measured.pairs, "pair"), AlignmentMeasurement::kMinLinks);
  return found;
}

}  // namespace heed
