#include "heed/tasks/classes_task.h"

#include <algorithm>
#include <numeric>

#include "heed/text/word_encoding.h"

namespace heed {
std::vector<int32_t> classes_of_target(const std::vector<TokenId>& target) {
  std::vector<int32_t> classes;
  classes.reserve(target.size());
  for (const TokenId id : target)
    classes.push_back(id < kFirstLabel ? kNoClass : int32_t(id - kFirstLabel));
  return classes;
}

ClassBatch ClassesTask::batch_of(const std::vector<Example>& examples) const {
  ClassBatch batch;
  for (const Example& example : examples)
    batch.add(example.source, classes_of_target(example.target), model().config());
  return batch;
}

Loss ClassesTask::loss(ForwardPass& pass, const std::vector<Example>& examples,
                       double gradient_factor) const {
  return loss_of(model(), pass, batch_of(examples), {label_smoothing_, gradient_factor});
}

std::vector<Score> ClassesTask::scores(Backend& backend) const {
  if (validation_ == nullptr) return {};
  constexpr int64_t kTogether = 64;  // examples of a batch
  TensorPool pool(backend.memory());
  double right = 0, all = 0;
  for (int64_t begin = 0; begin < validation_->size(); begin += kTogether) {
    std::vector<uint32_t> numbers(size_t(std::min(kTogether, validation_->size() - begin)));
    std::iota(numbers.begin(), numbers.end(), uint32_t(begin));
    const std::vector<Example> examples = validation_->examples(0, numbers);
    for (const Example& example : examples)
      all += double(std::ranges::count_if(
          example.target, [this](TokenId id) { return id != model().config().end_id(); }));
    const ClassBatch batch = batch_of(examples);
    if (batch.labels.empty()) continue;
    ForwardPass pass(backend, pool);
    const TopK best =
        backend.top_k(model().output().logits(pass, class_states(model(), pass, batch)), 1);
    for (size_t i = 0; i < batch.labels.size(); ++i) right += best.ids[i] == batch.labels[i];
  }
  return {{"accuracy", "accuracy", all > 0 ? 100 * right / all : 0}};
}

}  // namespace heed
