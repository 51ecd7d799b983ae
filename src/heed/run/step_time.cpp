#include "heed/run/step_time.h"

#include <cmath>
#include <limits>

#include "heed/core/memory.h"
#include "heed/model/sequence_model.h"
#include "heed/run/memory_plan.h"
#include "heed/run/run_reports.h"
#include "heed/tasks/translation_task.h"

namespace heed {
namespace {

// Sentences of random ids, as long as those of a text.
class RandomSentences : public Dataset {
 public:
  RandomSentences(const TextSize& text, int64_t ids, int64_t most_tokens) : ids_(ids) {
    for (const TextSize::Pair& pair : text.sample) {
      const ExampleSize size{std::llround(expected_tokens(pair.source, text, ids)),
                             std::llround(expected_tokens(pair.target, text, ids))};
      if (std::max(size.source, size.target) <= most_tokens) sizes_.push_back(size);
    }
    if (sizes_.empty()) sizes_.push_back({most_tokens, most_tokens});
  }

  int64_t size() const override { return int64_t(sizes_.size()); }
  ExampleSize bound(int64_t index) const override { return sizes_[size_t(index)]; }
  std::vector<Example> examples(int64_t, std::span<const uint32_t> indices) const override {
    std::vector<Example> drawn;
    drawn.reserve(indices.size());
    for (const uint32_t index : indices) {
      Random random(index);
      const ExampleSize& size = sizes_[index];
      drawn.push_back({ids(random, size.source - 1), ids(random, size.target - 1)});
    }
    return drawn;
  }

 private:
  // `count` of those that are pieces of text.
  std::vector<TokenId> ids(Random& random, int64_t count) const {
    std::vector<TokenId> drawn;
    drawn.reserve(size_t(count));
    for (int64_t i = 0; i < count; ++i)
      drawn.push_back(TokenId(2 + random.below(uint64_t(ids_ - 3))));
    return drawn;
  }

  const int64_t ids_;
  std::vector<ExampleSize> sizes_;
};

}  // namespace

double step_seconds(const TrainOptions& options, const TextSize& text, double most_seconds,
                    Backend& backend) {
  constexpr int kMaxTimedSteps = 8;
  const RunSettings settings = resolve(options);
  const int64_t ids = settings.options.tokenizer.size();
  const ModelConfig config = model_config(options, ids, ids - 1);
  const RandomSentences data(
      text, ids, std::min(options.filters.max_sentence_tokens, settings.loop.batches.tokens()));
  const MemoryPlan plan = plan_memory(settings.loop, settings.threads, config, backend, data);
  const auto limit = available_memory();
  if (backend.memory()->is_host() && limit && plan.to_allocate() > limit->bytes)
    return std::numeric_limits<double>::infinity();
  SequenceModel model = random_model(config, uint64_t(options.seed));
  model.move_to(backend.memory());
  TranslationTask task(std::move(model), *settings.options.label_smoothing);
  Workers workers(settings.threads);
  LoopPosition position;
  TrainingLoop loop(task, data, settings.loop, position, backend, workers);
  loop.pack();
  const auto step = [&] {
    AdamStep adam = settings.adam;
    adam.step = position.step + 1;
    adam.learning_rate = 1e-4;
    const Stopwatch time;
    loop.step(adam);
    return time.seconds();
  };
  double spent = step(), timed = 0;  // the first step allocates its memory
  int steps = 0;
  while (steps == 0 || (steps < kMaxTimedSteps && spent < most_seconds)) {
    const double seconds = step();
    spent += seconds;
    timed += seconds;
    ++steps;
  }
  return timed / steps;
}

}  // namespace heed
