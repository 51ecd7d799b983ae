#include "heed/decode/options.h"

#include <fmt/format.h>

#include "heed/model/sequence_model.h"

namespace heed {
namespace {

constexpr OptionInfo kSplitOption{
    .help =
        "What is translated at a time: each line, or each sentence of a line; the translations "
        "of its sentences are joined to one line"};

constexpr OptionInfo kProtectOption{
    .help =
        "Parts of a line that its translation has as they are, each as often: placeholders "
        "such as %s and {name}, urls, emails (addresses), unknown (symbols that the model "
        "has not seen, such as emoji), and if named numbers (with units and versions), paths (of "
        "files), code (between backquotes) and what the regular expressions in the lines of a FILE "
        "match; what the model leaves out or changes is put into its place. accelerators: the sign "
        "of _Open, &Save or ~File stands before a letter of the translation. none: what the model "
        "writes",
    .value = "NAME|FILE...",
    .default_text = "placeholders, urls, emails, unknown"};

constexpr OptionInfo kPromptTokensOption = [] {
  OptionInfo info = kBatchTokensOption;
  info.help =
      "Size of the batch of each thread: twice this number of tokens, of prompts and "
      "continuations, "
      "for each hypothesis; does not affect the result";
  return info;
}();

void add_runtime(DecodeOptions& self, OptionCollector& v,
                 const OptionInfo& batch_tokens = kBatchTokensOption) {
  v.group("Runtime");
  v("batch_tokens", self.batch_tokens, batch_tokens);
  v("device", self.device, kDeviceOption);
  v("compute", self.compute,
    {.help = "Compute type of matrix products; auto: int8 if that is faster on this CPU, else "
             "fp32, and bf16 with --device cuda. int8 rounds weights and activations to 8 bits, "
             "and keeps keys and values in bf16"});
  v("threads", self.threads, kThreadsOption);
  v("strict", self.strict, kStrictOption);
}

}  // namespace

void DecodeOptions::visit(DecodeOptions& self, OptionCollector& v) {
  v.group("Text");
  v("split", self.split, kSplitOption);
  v("protect", self.protect, kProtectOption);
  SearchOptions::visit(self.search, v);
  add_runtime(self, v);
}

void DecodeOptions::visit_to_generate(DecodeOptions& self, OptionCollector& v) {
  SearchOptions::visit_to_generate(self.search, v);
  add_runtime(self, v, kPromptTokensOption);
}

void DecodeOptions::visit_to_parse(DecodeOptions& self, OptionCollector& v) {
  SearchOptions::visit_to_parse(self.search, v);
  add_runtime(self, v);
}

void DecodeOptions::visit_runtime(DecodeOptions& self, OptionCollector& v) {
  add_runtime(self, v);
}

void DecodeOptions::visit_without_nbest(DecodeOptions& self, OptionCollector& v,
                                        std::string_view note) {
  v.group(fmt::format("Splitting{}", note));
  v("split", self.split, kSplitOption);
  v("protect", self.protect, kProtectOption);
  SearchOptions::visit_without_nbest(self.search, v, note);
  add_runtime(self, v);
}

void check_options(const DecodeOptions& options) {
  check_options(options.search);
  if (options.min_confidence && options.search.sample)
    fail_usage("confidence is measured for beam search: it contradicts --sample");
  if (!options.terms) return;
  if (options.search.sample) fail_usage("terms need beam search: they contradict --sample");
  if (options.search.beam_groups > 1)
    fail_usage("terms need one beam: they contradict --beam-groups {}", options.search.beam_groups);
}

DecodeOptions with_defaults(DecodeOptions options, const SequenceModel& model) {
  const GenerationDefaults& defaults = model.generation_defaults();
  options.search = with_defaults(options.search, defaults.search);
  const Confidences& confidence = defaults.confidence;
  if (options.min_confidence && !(options.reverse ? confidence.with_reverse : confidence.alone))
    fail("the model has no confidence{} yet: heed calibrate{} measures it",
         options.reverse ? " with a reverse model" : "", options.reverse ? " --reverse-model" : "");
  if (!options.protected_kinds)
    options.protected_kinds =
        std::make_shared<const ProtectedKinds>(ProtectedKinds::with_files(options.protect));
  return options;
}

void ScoreOptions::visit(ScoreOptions& self, OptionCollector& v) {
  v.group("Runtime");
  v("batch_tokens", self.batch_tokens,
    {.help = "Maximum number of source tokens, and of target tokens, in the batch of each thread; "
             "does not affect the result",
     .unit = "tokens",
     .minimum = 1,
     .maximum = 1 << 20,
     .ignored_in_comparison = true});
  v("device", self.device, kDeviceOption);
  v("compute", self.compute,
    {.help = "Compute type of matrix products; fp32: the scores of the stored weights; bf16, int8: "
             "those of the model when it runs in that type"});
  v("threads", self.threads, kThreadsOption);
  v("strict", self.strict, kStrictOption);
}

}  // namespace heed
