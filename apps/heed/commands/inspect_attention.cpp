// heed inspect attention: what the heads look at, in a terminal or as JSON.
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "commands/commands.h"
#include "heed/decode/model.h"
#include "heed/pages/attention_text.h"

namespace heed {
namespace {

struct InspectAttentionSettings {
  std::string model;
  std::string target;
  AttentionChoice choice;
  ComputeChoice compute = ComputeChoice::fp32;
  bool json = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("model", self.model, kInspectedModelOption);
    v("target", self.target,
      {.help = "Its translation, instead of the model's own", .value = "TEXT"});
    v("site", self.choice.site,
      {.help = "Whose attention is drawn: the encoder's and the decoder's self-attention, or that "
               "of the translation to the sentence"});
    v("layer", self.choice.layer,
      {.help = "Layer to draw",
       .default_text = "one, and a small map of each",
       .minimum = 1,
       .maximum = 1024});
    v("head", self.choice.head,
      {.help = "Head to draw",
       .default_text = "the mean, and a small map of each",
       .minimum = 1,
       .maximum = 1024});
    v("units", self.choice.units,
      {.help = "What rows and columns are: words (characters in text without spaces), or tokens"});
    v("compute", self.compute, {.help = "Compute type of matrix products"});
    v.group("Output");
    v("json", self.json, kInspectionJsonOption);
  }
};

TerminalStyle style_of_output() {
  // As no-color.org describes it: set, and not empty.
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  const bool colour = isatty(STDOUT_FILENO) == 1 && (!no_colour || !*no_colour) && kind &&
                      std::string(kind) != "dumb";
  return {terminal_columns(STDOUT_FILENO), colour};
}

SentenceAttention inspect(const Model& model, const std::string& sentence,
                          const std::string& target) {
  if (!target.empty()) return {sentence, target, {}, model.attention(sentence, target)};
  const Explanation all = model.explain(sentence);
  if (all.parts.empty()) fail("the sentence has no tokens: there is no attention to show");
  if (all.translation.status.split)
    fail("the sentence is too long for the model, which translates it in parts: give one of them");
  const TextHypothesis& best = all.translation.hypotheses.front();
  return {sentence, best.text, best.score, all.parts[0].attention, all.parts[0].alignment};
}

void expect_within(const char* flag, const std::optional<int64_t>& chosen, int64_t count,
                   const char* what) {
  if (chosen && *chosen > count)
    fail_usage("{} {}: the model has {} {}", flag, *chosen, count, what);
}

int run_attention(const InspectAttentionSettings& settings, const Words& words, Console& console) {
  if (settings.model.empty()) fail_usage("--model is missing: whose attention is to be shown");
  const std::string& sentence = words[0];
  const Model opened(settings.model, settings.compute);
  const ModelConfig& config = opened.config();
  const AttentionChoice& choice = settings.choice;
  const int64_t layers = attention_layers(config, choice.site);
  if (layers == 0)
    fail_usage("--site {}: the model has no attention there{}", to_text(choice.site),
               attention_layers(config, AttentionSite::cross) > 0 ? ", expected cross" : "");
  expect_within("--layer", choice.layer, layers, "layers there");
  expect_within("--head", choice.head, config.heads, "heads");
  const SentenceAttention shown = inspect(opened, sentence, settings.target);
  // The layer from which alignments are taken, else the last.
  const int64_t usual = choice.site == AttentionSite::cross
                            ? alignment_heads_of(opened.parts().model).heads.back().layer + 1
                            : layers;
  console.out().write(settings.json
                          ? attention_json(shown)
                          : attention_text(shown, choice, config, usual, style_of_output()));
  return 0;
}

}  // namespace

Command make_inspect_attention_command() {
  return with_settings(run_attention, {.name = "attention"});
}

}  // namespace heed
