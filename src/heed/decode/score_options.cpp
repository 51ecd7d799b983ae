#include "heed/decode/score_options.h"

namespace heed {

void ScoreOptions::visit(ScoreOptions& self, OptionCollector& v) {
  v.group("Running");
  v("batch_tokens", self.batch_tokens,
    {.help = "Tokens of either side that a thread works on at a time; no result depends on it",
     .unit = "tokens",
     .minimum = 1,
     .maximum = 1 << 20,
     .incidental = true});
  v("compute", self.compute,
    {.help = "Compute type of matrix products: fp32 scores the stored weights; bf16 and int8 score "
             "the model as it translates in that type"});
  v("threads", self.threads, kThreadsOption);
  v("strict", self.strict, kStrictOption);
}

}  // namespace heed
