// A Transformer under a search: it keeps the keys and values of sources and hypotheses.
#pragma once

#include "heed/model/decoder_context.h"
#include "heed/model/step_model.h"
#include "heed/model/transformer.h"

namespace heed {

class TransformerSteps : public StepModel {
 public:
  // Both must outlive it.
  TransformerSteps(const Transformer& model, Backend& backend, const StepRows& rows);

  Description description() const override;
  void admit(const Tokens& sources, const Indices& rows) override;
  Tensor logits(const StepTokens& step) override;
  int64_t bytes_held() const override { return pool_.bytes_held(); }

 private:
  const Transformer& model_;
  const StepRows rows_;
  TensorPool pool_;
  ForwardPass pass_;
  DecoderCache cache_;
};

}  // namespace heed
