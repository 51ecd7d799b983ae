// The results of training steps and of validations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// A measurement of a model besides its loss; greater is better.
struct Score {
  std::string name;   // "bleu", as in metrics.jsonl
  std::string title;  // "BLEU"
  double value = 0;
  std::string tokenize = {};  // the tokenizer of the metric, where it has several: "13a"
};

// The examples of a corpus that a run has drawn.
struct CorpusCount {
  std::string name;
  int64_t examples = 0;
};

// Progress and metrics of a run, after a step.
struct TrainReport {
  int64_t step = 0;
  double epoch = 0;  // 1.5: in the middle of the second
  double loss = 0;   // with label smoothing, per target token; mean since the last TrainReport
  double nll = 0;    // -log p(token) without label smoothing; mean since the last TrainReport
  // -log of the attention to the aligned source tokens, per aligned target token; mean since the
  // last TrainReport. Only where the attention follows alignments.
  std::optional<double> alignment_loss = {};
  double learning_rate = 0;
  double gradient_norm = 0;      // of the last step, before clipping
  double tokens_per_second = 0;  // (source + target tokens) / 2, </s> included, per second
  double seconds = 0;            // of the run, its preparation and earlier processes included
  double fraction_done = 0;      // of the run, 0 to 1
  double seconds_left = 0;       // estimated
  int64_t memory = 0;            // bytes in memory (resident), of the whole process
  // With corpora: the stage, from 1, and what was drawn of each since the run began.
  std::optional<int64_t> stage = {};
  std::vector<CorpusCount> corpora = {};

  // The fields of a log, with their names there. fraction_done and seconds_left are not among them:
  // they make sense only while the run is in progress.
  static void visit(auto& self, auto&& field) {
    field("step", self.step);
    field("epoch", self.epoch);
    field("loss", self.loss);
    field("nll", self.nll);
    field("alignment_loss", self.alignment_loss);
    field("learning_rate", self.learning_rate);
    field("gradient_norm", self.gradient_norm);
    field("tokens_per_second", self.tokens_per_second);
    field("seconds", self.seconds);
    field("memory", self.memory);
    field("stage", self.stage);
    field("corpora", self.corpora);
  }
};

// What a validation found for a further validation text.
struct TextValidation {
  std::string name;
  std::optional<double> loss = {}, perplexity = {};
  std::vector<Score> scores = {};
  std::optional<int64_t> scored_lines = {};

  static void visit(auto& self, auto&& field) {
    field("loss", self.loss);
    field("perplexity", self.perplexity);
    field("scores", self.scores);
    field("scored_lines", self.scored_lines);
  }
};

struct ValidationReport {
  int64_t step = 0;
  double epoch = 0;
  // Number of checkpoints whose average was validated; otherwise the weights of this step were.
  std::optional<int64_t> averaged_checkpoints;
  std::optional<double> train_loss;     // with label smoothing, of the epoch that just ended
  std::optional<double> loss;           // with label smoothing, as in training, but without dropout
  std::optional<double> perplexity;     // exp(nll) per target token
  std::vector<Score> scores;            // those of the task, or of translations
  std::optional<int64_t> scored_lines;  // number of lines with these scores, if not all
  std::vector<TextValidation> texts;    // of the further validation texts
  bool best = false;                    // better than every earlier validation
  double seconds = 0;

  // The score of this name, if there is one.
  std::optional<double> score(std::string_view name) const {
    for (const Score& s : scores)
      if (s.name == name) return s.value;
    return {};
  }

  static void visit(auto& self, auto&& field) {
    field("step", self.step);
    field("epoch", self.epoch);
    field("checkpoints", self.averaged_checkpoints);
    field("train_loss", self.train_loss);
    field("loss", self.loss);
    field("perplexity", self.perplexity);
    field("scores", self.scores);
    field("scored_lines", self.scored_lines);
    field("texts", self.texts);
    field("best", self.best);
    field("seconds", self.seconds);
  }
};

}  // namespace heed
