// The interface of a model to a search: logits of the next tokens of many hypotheses, step by step.
#pragma once

#include <memory>

#include "heed/backend/backend.h"

namespace heed {

// The room of a model's memory: a row for each token.
struct StepRows {
  int64_t target = 0;  // of hypotheses
  int64_t source = 0;  // of their sources
};

// The tokens of one step. The search numbers the rows of the model's memory, so that hypotheses
// share those of their common past.
struct StepTokens {
  Tokens tokens;     // a sequence for each hypothesis: its new tokens, at first the start token too
  Indices new_rows;  // of each new token, the row where its memory is written
  KeyRows past;      // of each sequence, the rows of all its tokens, the new ones last
  Ragged sentences;  // the new tokens of each sentence, of all its hypotheses
  KeyRows sources;   // of each sentence, the rows of its source
};

// A model with its memory of sources and of the hypotheses so far, for one thread.
class StepModel {
 public:
  struct Description {
    TokenId start_id = 0, end_id = 0;
    int64_t max_positions = 0;  // longest source with its end, longest target with its start
    bool reads_sources = false;
  };

  virtual ~StepModel() = default;
  virtual Description description() const = 0;
  // Allocates its memory. Called once, before the first source or step.
  virtual void reserve(const StepRows& rows) = 0;
  // Reads sources into unused rows of its memory, if it reads_sources.
  virtual void admit(const Tokens& sources, const Indices& rows) = 0;
  // Logits [tokens, classes] of what follows each token. They depend on the token's own past and
  // source alone.
  virtual Tensor logits(const StepTokens& step) = 0;
  // Memory of tensors in bytes: of all rows, and of the steps so far.
  virtual int64_t bytes_held() const = 0;
};

}  // namespace heed
