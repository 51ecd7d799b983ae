#include "heed/serve/scheduling.h"

#include <algorithm>

#include "heed/decode/tree_lines.h"

namespace heed {

// A token has about 3 bytes, and a word of a sentence that is parsed about 5.
LikelyTokens likely_tokens(const TranslationSetup& setup, size_t bytes) {
  const ServedModel& model = *setup.model;
  const int64_t positions = model.model.config().max_positions;
  const int64_t tokens = std::min(int64_t(bytes / 3) + 1, positions / 2);
  if (model.task == LearningTask::parse)
    return {.source = tokens, .target = max_tree_length(int64_t(bytes / 5) + 1, positions)};
  const int64_t most = max_target_length(setup.options.search, tokens, positions);
  if (model.task == LearningTask::language_model) return {.prompt = tokens, .target = most};
  return {.source = tokens, .target = most};
}

}  // namespace heed
