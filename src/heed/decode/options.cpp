#include "heed/decode/options.h"

namespace heed {

void DecodeOptions::visit(DecodeOptions& self, OptionCollector& v) {
  SearchOptions::visit(self.search, v);  // ends in the group "Running"
  v("compute", self.compute,
    {.help = "What matrix products compute in: auto is int8 where this machine multiplies it "
             "faster, else fp32. int8 rounds weights and states to 8 bits"});
  v("threads", self.threads, kThreadsOption);
  v("strict", self.strict, kStrictOption);
}

}  // namespace heed
