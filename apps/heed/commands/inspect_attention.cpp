// heed inspect attention: what the heads look at, in a terminal or as JSON.
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "commands/commands.h"
#include "heed/decode/open_model.h"
#include "heed/model/directory.h"
#include "heed/pages/attention_text.h"

namespace heed {
namespace {

struct InspectAttentionSettings {
  std::string model;
  std::string target;
  std::optional<AttentionSite> site;
  AttentionChoice choice;
  ComputeChoice compute = ComputeChoice::fp32;
  bool json = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("model", self.model, kInspectedModelOption);
    v("target", self.target,
      {.help = "Its translation, or what follows a prompt, instead of the model's own",
       .value = "TEXT"});
    v("site", self.site,
      {.help = "Whose attention is drawn: the encoder's and the decoder's self-attention, or that "
               "of the translation, or tree, to the sentence",
       .default_text = "cross, or what the model has"});
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

SentenceAttention inspect(const OpenedModel& model, const std::string& sentence,
                          const std::string& target) {
  if (!target.empty()) {
    const ModelConfig& config = model.config();
    if (config.parses() || !config.has_decoder())
      fail_usage(
          "--target: the model chooses its output itself; expected one that translates, or a "
          "language model");
    const std::string text = config.has_encoder() ? target : sentence + target;
    return {sentence, text, {}, attention(model.parts(), sentence, text)};
  }
  const Explanation all = model.explain(sentence);
  if (all.translation.status.prefix_too_long)
    fail("the prompt has more tokens than the model has room for");
  if (all.parts.empty() || all.translation.status.empty)
    fail("the sentence has no tokens: there is no attention to show");
  if (all.translation.status.split)
    fail("the sentence is too long for the model, which reads it in parts: give one of them");
  const TextHypothesis& best = all.translation.hypotheses.front();
  return {sentence, best.text, best.score, all.parts[0].attention, all.parts[0].alignment};
}

// The site that is drawn: the chosen one, or else the first that the model has. UsageError if the
// model has no attention, or has it at other sites alone.
AttentionSite site_of(const ModelConfig& config, std::optional<AttentionSite> chosen) {
  std::vector<std::string> sites;
  for (const AttentionSite site :
       {AttentionSite::cross, AttentionSite::decoder_self, AttentionSite::encoder_self}) {
    if (attention_layers(config, site) == 0) continue;
    if (site == chosen.value_or(site)) return site;
    sites.push_back(to_text(site));
  }
  if (sites.empty()) fail_usage("the model has no attention");
  fail_usage("--site {}: the model has no attention there, expected {}", to_text(*chosen),
             fmt::join(sites, " or "));
}

void expect_within(const char* flag, const std::optional<int64_t>& chosen, int64_t count,
                   const char* what) {
  if (chosen && *chosen > count)
    fail_usage("{} {}: the model has {} {}", flag, *chosen, count, what);
}

int run_attention(const InspectAttentionSettings& settings, const Words& words, Console& console) {
  if (settings.model.empty()) fail_usage("--model is missing: whose attention is to be shown");
  const std::string& sentence = words[0];
  const std::unique_ptr<const OpenedModel> opened =
      open_model(settings.model, task_of(read_config(settings.model)), settings.compute);
  const ModelConfig& config = opened->config();
  AttentionChoice choice = settings.choice;
  choice.site = site_of(config, settings.site);
  const int64_t layers = attention_layers(config, choice.site);
  expect_within("--layer", choice.layer, layers, "layers there");
  expect_within("--head", choice.head, config.heads, "heads");
  const SentenceAttention shown = inspect(*opened, sentence, settings.target);
  // The layer from which alignments are taken, else the last.
  const int64_t usual = choice.site == AttentionSite::cross
                            ? alignment_heads_of(opened->parts().model).heads.back().layer + 1
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
