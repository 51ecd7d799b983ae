// What `heed translate` can be told about decoding.
#pragma once

#include <optional>

#include "heed/backend/compute.h"
#include "heed/core/options.h"
#include "heed/decode/search.h"

namespace heed {

struct DecodeOptions {
  SearchOptions search;
  ComputeChoice compute = ComputeChoice::automatic;
  std::optional<int64_t> threads;
  bool strict = false;

  template <class Self, class Visitor>
  static void visit(Self& o, Visitor&& v) {
    v.group("Search");
    v("beam", o.search.beam,
      {.help = "Hypotheses kept at each step; 1 is greedy", .minimum = 1, .maximum = 1024});
    v("length_penalty", o.search.length_penalty,
      {.help = "The paper's alpha: greater favours longer translations",
       .minimum = 0,
       .maximum = 10});
    v("extra_length", o.search.extra_length,
      {.help = "A translation has at most its source's tokens and so many more",
       .unit = "tokens",
       .minimum = 0,
       .maximum = 65536});
    v("max_length", o.search.max_length,
      {.help = "Instead: at most so many tokens, </s> included; 0 is by --extra-length",
       .unit = "tokens",
       .minimum = 0,
       .maximum = 65536});
    v("min_length", o.search.min_length,
      {.help = "At least so many tokens before </s>",
       .unit = "tokens",
       .minimum = 0,
       .maximum = 65536});
    v("nbest", o.search.nbest,
      {.help = "Translations given for each line, at most the beam",
       .minimum = 1,
       .maximum = 1024});
    v.group("Running");
    v("batch_tokens", o.search.batch_tokens,
      {.help = "Source tokens that a thread works on at a time; no result depends on it",
       .unit = "tokens",
       .minimum = 1,
       .maximum = 1 << 20,
       .incidental = true});
    v("compute", o.compute,
      {.help = "What matrix products compute in: auto is int8 where this machine multiplies it "
               "faster, else fp32. int8 rounds weights and states to 8 bits"});
    v("threads", o.threads, kThreadsOption);
    v("strict", o.strict,
      {.help = "Stop at a line that is not UTF-8 instead of reading U+FFFD for its broken bytes"});
  }
};

}  // namespace heed
