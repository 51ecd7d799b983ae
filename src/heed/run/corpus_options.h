// Options of a configuration that names several texts: [[corpus]] and [[stage]] mix the training
// text, [[validation]] adds validation texts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/core/options.h"
#include "heed/data/filter_options.h"
#include "heed/text/text_file.h"

namespace heed {

// One corpus. Limits that are not set are those of the run.
struct CorpusOptions {
  std::string name;
  std::vector<std::string> source, target;
  TsvOptions tabular;
  std::optional<double> weight;
  std::string tag;
  std::optional<int64_t> max_sentence_tokens, max_words;
  std::optional<double> max_ratio;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("name", self.name, {.help = "Name of the corpus in stages and reports"});
    v("source", self.source,
      {.help = "Source text, as --source", .value = "FILE...", .ignored_in_comparison = true});
    v("target", self.target,
      {.help = "Target text, as --target", .value = "FILE...", .ignored_in_comparison = true});
    TsvOptions::visit(self.tabular, v);
    v("weight", self.weight,
      {.help = "Share of the examples, relative to the other corpora",
       .default_text = "by the number of pairs",
       .maximum = 1e6,
       .above = 0});
    v("tag", self.tag,
      {.help = "Word that is put before each source, such as <back>; a token of its own",
       .default_text = "none"});
    v("max_sentence_tokens", self.max_sentence_tokens,
      {.help = "As --max-sentence-tokens, and at most that",
       .minimum = 2,
       .maximum = FilterOptions::kMaxTokens});
    v("max_words", self.max_words, {.help = "As --max-words", .minimum = 0});
    v("max_ratio", self.max_ratio, {.help = "As --max-ratio", .minimum = 0});
  }
};

// A validation text besides the first.
struct ValidationTextOptions {
  std::string name;
  std::vector<std::string> source, target;
  TsvOptions tabular;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("name", self.name, {.help = "Name of the text in reports and of its files"});
    v("source", self.source,
      {.help = "Source text, as --source", .value = "FILE...", .ignored_in_comparison = true});
    v("target", self.target,
      {.help = "Target text, as --target", .value = "FILE...", .ignored_in_comparison = true});
    TsvOptions::visit(self.tabular, v);
  }
};

// One stage of a run. They follow each other.
struct StageOptions {
  std::vector<std::string> mix;  // "clean" or "clean=0.6"
  std::string until;             // as parse_until() reads it (run/stages.h)

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("mix", self.mix,
      {.help = "Names of the corpora of this stage, each with its share of the examples",
       .value = "NAME[=X]..."});
    v("until", self.until,
      {.help = "End of the stage: \"2 epochs of NAME\", \"5000 steps\" or "
               "\"5 validations without improvement\"",
       .default_text = "with the run"});
  }
};

}  // namespace heed
