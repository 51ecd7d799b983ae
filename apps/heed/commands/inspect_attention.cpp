// heed inspect attention: what the heads look at, in a terminal or as JSON.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include "commands/inspect.h"
#include "heed/core/json_text.h"
#include "heed/decode/model.h"
#include "heed/pages/attention_text.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

struct InspectAttentionSettings {
  std::string model;
  std::string target;
  AttentionSite site = AttentionSite::cross;
  std::optional<int64_t> layer, head;
  AlignmentUnit units = AlignmentUnit::words;
  ComputeChoice compute = ComputeChoice::fp32;
  bool json = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("model", self.model, kInspectedModelOption);
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
    v.group("Output");
    v("json", self.json, kInspectionJsonOption);
  }
};

// What is drawn of a sentence.
struct Inspected {
  PairAttention attention;
  std::string translation;
  std::optional<double> score;              // of the model's own translation
  std::vector<AlignedPair> alignment = {};  // of words
};

TerminalStyle style_of_output() {
  TerminalStyle style;
  winsize size{};
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.columns = size.ws_col;
  // As no-color.org describes it: set, and not empty.
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  style.colour = terminal && (!no_colour || !*no_colour) && kind && std::string(kind) != "dumb";
  return style;
}

Inspected inspect(const Model& model, const std::string& sentence, const std::string& target) {
  if (!target.empty()) return {model.attention(sentence, target), target, {}};
  const Explanation all = model.explain(sentence);
  if (all.parts.empty()) fail("the sentence has no tokens: there is no attention to show");
  if (all.translation.status.split)
    fail("the sentence is too long for the model, which translates it in parts: give one of them");
  const TextHypothesis& best = all.translation.hypotheses.front();
  return {all.parts[0].attention, best.text, best.score, all.parts[0].alignment};
}

int64_t layers_of(const ModelConfig& config, AttentionSite site) {
  return site == AttentionSite::encoder_self ? config.encoder_layers : config.decoder_layers;
}

void expect_within(const char* flag, const std::optional<int64_t>& chosen, int64_t count,
                   const char* what) {
  if (chosen && *chosen > count)
    fail_usage("{} {}: the model has {} {}", flag, *chosen, count, what);
}

const char* name_of(AttentionSite site) {
  if (site == AttentionSite::encoder_self) return "Self-attention of the encoder";
  return site == AttentionSite::decoder_self ? "Self-attention of the decoder"
                                             : "Attention of the translation to the sentence";
}

std::string text_of(const Inspected& inspected, const std::string& sentence,
                    const InspectAttentionSettings& settings, const Model& opened,
                    const TerminalStyle& style) {
  const ModelConfig& config = opened.config();
  const int64_t layers = layers_of(config, settings.site);
  // The layer from which alignments are taken, else the last.
  const int64_t usual = settings.site == AttentionSite::cross
                            ? alignment_heads_of(opened.parts().model).heads.back().layer + 1
                            : layers;
  const int64_t large = settings.layer.value_or(usual);
  AttentionChoice choice{settings.site, large, settings.head.value_or(0), settings.units};
  std::string text = "sentence     " + one_line(sentence) + "\ntranslation  " +
                     one_line(inspected.translation) + "\n";
  if (inspected.score) text += fmt::format("score        {:.4f}\n", *inspected.score);
  if (!inspected.alignment.empty())
    text += "alignment    " + alignment_text(inspected.attention, inspected.alignment, style, 13) +
            "\n";
  text += fmt::format("\n{}, layer {} of {}, {}\n\n", name_of(settings.site), large, layers,
                      settings.head ? fmt::format("head {}", *settings.head)
                                    : fmt::format("mean of the {} heads", config.heads));
  text += map_text(attention_map(inspected.attention, choice, large - 1), style) + "\n";
  std::vector<std::pair<std::string, AttentionMap>> maps;
  for (int64_t layer = settings.layer.value_or(1); layer <= settings.layer.value_or(layers);
       ++layer)
    for (int64_t head = settings.head.value_or(1); head <= settings.head.value_or(config.heads);
         ++head) {
      choice.head = head;
      maps.emplace_back(fmt::format("{}.{}", layer, head),
                        attention_map(inspected.attention, choice, layer - 1));
    }
  if (maps.size() > 1) text += "Layer.head\n" + maps_text(maps, style) + "\n";
  return text + map_legend() + "\n";
}

// Nested arrays of [layers, heads, queries, keys], to four decimal places.
nlohmann::ordered_json numbers_of(const Tensor& tensor) {
  const auto* values = tensor.data<float>();
  const auto array = [&](auto&& self, size_t axis) -> nlohmann::ordered_json {
    if (axis == tensor.shape().size()) return std::round(double(*values++) * 1e4) / 1e4;
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (int64_t i = 0; i < tensor.dim(int(axis)); ++i) all.push_back(self(self, axis + 1));
    return all;
  };
  return array(array, 0);
}

std::string json_of(const Inspected& inspected, const std::string& sentence) {
  const PairAttention& attention = inspected.attention;
  nlohmann::ordered_json json = {{"source", sentence}, {"translation", inspected.translation}};
  if (inspected.score) json["score"] = *inspected.score;
  json["source_pieces"] = attention.source_pieces;
  json["target_pieces"] = attention.target_pieces;
  json["encoder"] = numbers_of(attention.encoder);
  json["decoder"] = numbers_of(attention.decoder);
  json["cross"] = numbers_of(attention.cross);
  return json_text(json) + "\n";
}

int run_attention(const InspectAttentionSettings& settings, const Words& words, Console& console) {
  if (settings.model.empty()) fail_usage("--model is missing: whose attention is to be shown");
  const std::string& sentence = words[0];
  const Model opened(settings.model, settings.compute);
  const ModelConfig& config = opened.config();
  expect_within("--layer", settings.layer, layers_of(config, settings.site), "layers there");
  expect_within("--head", settings.head, config.heads, "heads");
  const Inspected inspected = inspect(opened, sentence, settings.target);
  console.out().write(settings.json
                          ? json_of(inspected, sentence)
                          : text_of(inspected, sentence, settings, opened, style_of_output()));
  return 0;
}

}  // namespace

Command make_inspect_attention_command() {
  return with_settings(run_attention, {.name = "attention"});
}

}  // namespace heed
