#include "heed/decode/score_options.h"

namespace heed {

void ScoreOptions::visit(ScoreOptions& self, OptionCollector& v) {
  v.group("Runtime");
  v("batch_tokens", self.batch_tokens,
    {.help = "Maximum number of source tokens, and of target tokens, per batch (each thread has "
             "its own batch); does not affect the result",
     .unit = "tokens",
     .minimum = 1,
     .maximum = 1 << 20,
     .ignored_in_comparison = true});
  v("compute", self.compute,
    {.help = "Compute type of matrix products; fp32: the scores of the stored weights; bf16, int8: "
             "those of the model when it runs in that type"});
  v("threads", self.threads, kThreadsOption);
  v("strict", self.strict, kStrictOption);
}

}  // namespace heed
