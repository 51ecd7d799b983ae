#include "commands/inspect_heads.h"

#include <chrono>

#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/core/error.h"
#include "heed/decode/translator.h"
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

std::vector<std::string> translations(const ModelParts& parts,
                                      const std::vector<std::string>& sources, int threads) {
  DecodeOptions decode;
  decode.threads = threads;
  decode.search.beam = 1;
  return best_translations(Translator(parts, decode), sources);
}

}  // namespace

HeadAnalysis inspect_heads(const std::string& directory, const HeadsInspection& settings,
                           int threads, Console& console) {
  std::vector<std::string> sources = read_text(settings.source, {}, console), targets;
  if (sources.empty()) fail("{}: no lines to look at", settings.source);
  if (!settings.reference.empty())
    targets =
        read_text(settings.reference, {settings.source, sources.size()}, LineRules{}, console);
  sources.resize(std::min(sources.size(), size_t(settings.lines)));
  const std::unique_ptr<Backend> backend = make_backend(ComputeChoice::fp32, Purpose::training);
  auto model = load_model(directory);
  model.move_to(backend->memory());
  const TokenizerPair tokenizers = TokenizerPair::load(directory);
  Workers workers(threads);
  pack(model, *backend, Purpose::training, &workers);
  const ModelParts parts{{model, *backend}, tokenizers};
  if (targets.empty()) targets = translations(parts, sources, threads);
  Pairs pairs;
  for (size_t i = 0; i < sources.size(); ++i) pairs.emplace_back(sources[i], targets[i]);
  HeadProgress progress(console);
  HeadAnalysis analysis =
      analyze_heads(parts, parameters(model), pairs, workers, std::ref(progress));
  if (analysis.left_out > 0)
    console.warn(fmt::format(
        "{} of {} left out: empty, or with more tokens than the model has positions, {}",
        analysis.left_out, detail::counted(int64_t(pairs.size()), "line"),
        model.config().max_positions));
  return analysis;
}

}  // namespace heed
