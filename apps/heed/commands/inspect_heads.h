// heed inspect model --source: what the heads look at over a text, and which the model needs.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "console/console.h"
#include "heed/core/options.h"
#include "heed/decode/head_analysis.h"

namespace heed {

// Measuring the heads that align words, and storing the best.
enum class AlignmentAction { none, measure, store };
constexpr auto enum_names(AlignmentAction) {
  return std::array<std::pair<std::string_view, AlignmentAction>, 3>{
      {{"none", AlignmentAction::none},
       {"measure", AlignmentAction::measure},
       {"store", AlignmentAction::store}}};
}

struct HeadsInspection {
  std::string source, reference;
  int64_t lines = 100;
  AlignmentAction alignment = AlignmentAction::none;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("source", self.source,
      {.help = "Also show what each head looks at over this text, and the loss without it",
       .value = "FILE"});
    v("reference", self.reference,
      {.help = "Translations of --source, instead of the model's own", .value = "FILE"});
    v("lines", self.lines,
      {.help = "The first N lines of --source", .value = "N", .minimum = 1, .maximum = 1'000'000});
    v("alignment", self.alignment,
      {.help = "Measure instead which heads align the words of --source and --reference; store: "
               "and let the model's alignments be theirs from now on"});
  }
};

// Of the model in `directory`. Prints how far it is if it takes long.
HeadAnalysis inspect_heads(const std::string& directory, const HeadsInspection& settings,
                           int threads, Console& console);

}  // namespace heed
