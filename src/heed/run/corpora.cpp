#include "heed/run/corpora.h"

#include <algorithm>
#include <numeric>

#include "heed/core/counted.h"
#include "heed/core/error.h"
#include "heed/data/batches.h"

namespace heed {
namespace {

// The number of the first pair of the corpus that is of this line or a later one.
int64_t first_pair(const Corpus& corpus, int64_t line) {
  int64_t low = 0, high = corpus.size();
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (corpus.line(middle) < line)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::vector<MixturePart> parts_of(const std::vector<CorpusPart>& parts, const Corpus& corpus) {
  std::vector<MixturePart> found;
  int64_t begin = 0;
  for (const CorpusPart& part : parts) {
    const int64_t end = first_pair(corpus, part.end);
    found.push_back({begin, end});
    begin = end;
  }
  return found;
}

int64_t files_of(const CorpusOptions& corpus) {
  return int64_t(std::max(corpus.source.size(), corpus.tabular.tsv.size()));
}

// The steps of an epoch.
int64_t steps_of(const RunSettings& settings, const Dataset& data, int64_t epoch) {
  const LoopOptions& loop = settings.loop;
  const int64_t batches = BatchPlan::shuffled(data, loop.batches, loop.seed, epoch).size();
  return (batches + loop.accumulate - 1) / loop.accumulate;
}

}  // namespace

std::vector<CorpusPart> corpus_parts(const TrainOptions& options, const ParallelText& text) {
  std::vector<CorpusPart> parts;
  const FilterOptions& all = options.filters;
  int64_t files = 0;
  for (const CorpusOptions& corpus : options.corpora) {
    files += files_of(corpus);
    parts.push_back({.end = text.ends()[size_t(files) - 1],
                     .limits = {corpus.max_sentence_tokens.value_or(all.max_sentence_tokens),
                                corpus.max_words.value_or(all.max_words),
                                corpus.max_ratio.value_or(all.max_ratio)},
                     .tag = corpus.tag});
  }
  return parts;
}

std::vector<std::string> corpus_tags(const TrainOptions& options) {
  std::vector<std::string> tags;
  for (const CorpusOptions& corpus : options.corpora)
    if (!corpus.tag.empty() && std::ranges::count(tags, corpus.tag) == 0)
      tags.push_back(corpus.tag);
  return tags;
}

std::unique_ptr<Mixture> make_mixture(const RunSettings& settings,
                                      const std::vector<CorpusPart>& parts, const Corpus& corpus,
                                      const Dataset& data) {
  if (settings.stages.empty()) return nullptr;
  std::vector<MixturePart> found = parts_of(parts, corpus);
  for (size_t i = 0; i < found.size(); ++i)
    if (found[i].size() == 0)
      fail("corpus '{}': no pair of it passes the filters", settings.options.corpora[i].name);
  std::vector<MixtureStage> stages;
  stages.reserve(settings.stages.size());
  for (const StagePlan& stage : settings.stages) stages.push_back(stage.mix_of(found));
  return std::make_unique<Mixture>(data, std::move(found), std::move(stages),
                                   uint64_t(settings.options.seed));
}

void report_corpora(const RunSettings& settings, const std::vector<CorpusPart>& parts,
                    const Corpus& corpus, const Tokenizer& source, TrainObserver& observer) {
  const std::vector<MixturePart> found = parts_of(parts, corpus);
  int64_t begin = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const CorpusOptions& options = settings.options.corpora[i];
    observer.message(fmt::format(
        "corpus {}: kept {} of {}{}", options.name, found[i].size(),
        detail::counted(parts[i].end - begin, "pair"),
        options.tag.empty() ? "" : fmt::format("; {} before each source", options.tag)));
    begin = parts[i].end;
    const std::vector<TokenId> ids = source.encode(options.tag);
    const bool whole = ids.size() <= 2 && std::ranges::count(ids, source.unknown_id()) == 0;
    if (!options.tag.empty() && !whole)
      observer.warning(fmt::format(
          "corpus {}: its tag {} is {} pieces of the vocabulary, not one: a vocabulary that this "
          "run learns would have it as a whole",
          options.name, options.tag, ids.size()));
  }
  for (size_t s = 0; s < settings.stages.size(); ++s)
    observer.message(fmt::format("stage {} of {}: {}", s + 1, settings.stages.size(),
                                 to_string(settings.stages[s], settings.options)));
}

double total_steps(const RunSettings& settings, const Dataset& data, Mixture* mixture) {
  const RunLimits& limits = settings.limits;
  const double epochs = double(limits.epochs.value_or(0));
  if (!mixture) return epochs * double(steps_of(settings, data, 0));
  double steps = 0, before = 0;  // epochs before the stage
  std::vector<int64_t> begins;
  for (size_t s = 0; s < limits.stages.size(); ++s) {
    begins.push_back(int64_t(s));  // as if each stage before had one epoch
    mixture->set_begins(begins);
    const auto of_epoch = double(steps_of(settings, data, int64_t(s)));
    const StageLimit& limit = limits.stages[s];
    if (limit.end == StageEnd::patience)
      fail_usage(
          "--schedule {} must know the last step, and stage {} ends after {}: give "
          "--decay-steps",
          to_text(settings.schedule.schedule), s + 1, limit.text);
    double here = limit.end == StageEnd::epochs  ? double(limit.count)
                  : limit.end == StageEnd::steps ? std::ceil(double(limit.count) / of_epoch)
                                                 : epochs - before;
    if (limits.epochs) here = std::clamp(here, 0.0, epochs - before);
    steps += limit.end == StageEnd::steps ? std::min(double(limit.count), here * of_epoch)
                                          : here * of_epoch;
    before += here;
  }
  mixture->set_begins({0});
  return steps;
}

}  // namespace heed
