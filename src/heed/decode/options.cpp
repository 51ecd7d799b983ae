#include "heed/decode/options.h"

namespace heed {

void DecodeOptions::visit(DecodeOptions& self, OptionCollector& v) {
  SearchOptions::visit(self.search, v);
  v.group("Running");
  v("batch_tokens", self.batch_tokens,
    {.help = "Maximum number of source tokens in a thread's batch; does not affect the result",
     .unit = "tokens",
     .minimum = 1,
     .maximum = 1 << 20,
     .incidental = true});
  v("compute", self.compute,
    {.help = "What matrix products compute in: auto is int8 where this machine multiplies it "
             "faster, else fp32. int8 rounds weights and states to 8 bits"});
  v("threads", self.threads, kThreadsOption);
  v("strict", self.strict, kStrictOption);
}

}  // namespace heed
