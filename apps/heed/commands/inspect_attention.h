// heed inspect attention: what the heads look at, in a terminal or as JSON.
#pragma once

#include <optional>
#include <string>

#include "console/console.h"
#include "heed/backend/compute.h"
#include "heed/core/options.h"
#include "heed/decode/alignment.h"
#include "heed/model/captured_attention.h"

namespace heed {

struct AttentionInspection {
  std::string target;
  AttentionSite site = AttentionSite::cross;
  std::optional<int64_t> layer, head;
  AlignmentUnit units = AlignmentUnit::words;
  ComputeChoice compute = ComputeChoice::fp32;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("target", self.target,
      {.help = "Its translation, instead of the model's own", .value = "TEXT"});
    v("site", self.site,
      {.help = "Whose attention is drawn: the encoder's and the decoder's self-attention, or that "
               "of the translation to the sentence"});
    v("layer", self.layer,
      {.help = "Layer to draw",
       .default_text = "one, and a small map of each",
       .minimum = 1,
       .maximum = 1024});
    v("head", self.head,
      {.help = "Head to draw",
       .default_text = "the mean, and a small map of each",
       .minimum = 1,
       .maximum = 1024});
    v("units", self.units,
      {.help = "What rows and columns are: words (characters in text without spaces), or tokens"});
    v("compute", self.compute, {.help = "Compute type of matrix products"});
  }
};

// Prints to the console what `model` (its directory) computes for the sentence.
void inspect_attention(const std::string& model, const std::string& sentence,
                       const AttentionInspection& settings, bool json, Console& console);

}  // namespace heed
