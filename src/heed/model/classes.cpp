#include "heed/model/classes.h"

namespace heed {
namespace {

// The mean of each sequence's rows: attention whose scores are all 0, of one query for a sequence.
Tensor means(ForwardPass& pass, const Tensor& states, const Ragged& layout, int64_t heads) {
  Tokens first;
  for (int64_t b = 0; b < layout.count(); ++b) first.add(std::vector{layout.offsets[size_t(b)]});
  const Tensor query = gather_rows(pass, states, first);
  const KeyRows keys{layout, {}};
  return attention(pass, {query, states, states}, {first.layout, keys},
                   {.heads = heads, .scale = 0});
}

}  // namespace

void ClassBatch::add(std::span<const TokenId> tokens, std::span<const int32_t> classes,
                     const ModelConfig& config) {
  const bool of_words = config.classes_of == ClassesOf::words;
  check(classes.size() == (of_words ? tokens.size() : 1),
        "a class for each token, or for the text");
  const int64_t begin = source.layout.rows();
  std::vector<TokenId> sequence(tokens.begin(), tokens.end());
  sequence.push_back(config.end_id());
  source.add(sequence);
  std::vector<int32_t> rows;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] == kNoClass) continue;
    check(classes[i] >= 0 && classes[i] < config.classes, "a class outside the model's");
    labels.push_back(classes[i]);
    rows.push_back(int32_t(begin) + int32_t(i));
  }
  if (of_words) words.add(rows);
}

Tensor class_states(const SequenceModel& model, ForwardPass& pass, const ClassBatch& batch) {
  const ModelConfig& config = model.config();
  const Tensor states = model.encode(pass, batch.source).states;
  if (config.classes_of == ClassesOf::words) return gather_rows(pass, states, batch.words);
  return means(pass, states, batch.source.layout, config.heads);
}

Loss loss_of(const SequenceModel& model, ForwardPass& pass, const ClassBatch& batch,
             const LossOptions& options) {
  if (batch.labels.empty()) return {};
  return model.output().loss(pass, class_states(model, pass, batch), batch.labels, options);
}

}  // namespace heed
