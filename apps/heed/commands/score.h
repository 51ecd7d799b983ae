// The options of heed score, which its two parts share.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/commands.h"
#include "heed/decode/options.h"

namespace heed {

enum class ScoreFormat { text, tokens, jsonl, corpus };
constexpr auto enum_names(ScoreFormat) {
  return std::array<std::pair<std::string_view, ScoreFormat>, 4>{{{"text", ScoreFormat::text},
                                                                  {"tokens", ScoreFormat::tokens},
                                                                  {"jsonl", ScoreFormat::jsonl},
                                                                  {"corpus", ScoreFormat::corpus}}};
}

struct ScoreSettings {
  std::string model, source, target, text, output;
  ScoreFormat format = ScoreFormat::text;
  std::string rerank, reverse_model, language_model, reference;
  std::vector<std::string> weights;
  ScoreOptions score;

  static void visit(auto& self, auto&& v) {
    v.group("Text");
    v("model", self.model, kModelOption);
    v("source", self.source,
      {.help = "Source text, plain or .gz, one sentence per line; - is standard input",
       .value = "FILE"});
    v("target", self.target,
      {.help = "Translation of --source, line by line; - is standard input", .value = "FILE"});
    v("text", self.text,
      {.help = "Text to score by a language model, instead of --source and --target; - is standard "
               "input",
       .value = "FILE"});
    v("output", self.output, kOutputOption);
    v("format", self.format,
      {.help =
           "Output format; text: log-probability of each pair; tokens: the same, a tab, and each "
           "token with its log-probability; jsonl: the same and a status as JSON objects; corpus: "
           "one JSON object for the whole text. With --rerank text: the best translation of each "
           "list; jsonl: the lists in their new order"});
    v.group("Reranking");
    v("rerank", self.rerank,
      {.help = "Reorder these n-best lists of --source, from heed translate --nbest N --format "
               "jsonl; - is standard input",
       .value = "FILE"});
    v("reverse_model", self.reverse_model,
      {.help = "With --rerank: model that translates back, for the probability of the source given "
               "the translation",
       .value = "DIR"});
    v("language_model", self.language_model,
      {.help = "With --rerank: language model of the target language", .value = "DIR"});
    v("weights", self.weights,
      {.help = "With --rerank: weights of the log-probabilities of model, reverse and language, "
               "and of the length in tokens; 0 for those not given",
       .value = "NAME=X",
       .default_text = "tuned, with --reference"});
    v("reference", self.reference,
      {.help = "With --rerank: reference translations, to tune the weights for the highest BLEU; "
               "prints them",
       .value = "FILE"});
    ScoreOptions::visit(self.score, v);
  }
};

// heed score --rerank.
int run_rerank(const ScoreSettings& settings, Console& console);

}  // namespace heed
