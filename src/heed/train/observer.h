// What a run tells its caller, and what it asks.
#pragma once

#include <optional>
#include <string>

#include "heed/evaluate/bleu_tokenizer.h"
#include "heed/model/transformer.h"
#include "heed/text/tokenizer.h"

namespace heed {

// How a run is going.
struct TrainReport {
  int64_t step = 0;
  double epoch = 0;  // 1.5: in the middle of the second
  double loss = 0;   // smoothed, per target token, since the last report()
  double nll = 0;    // -log p(token), without smoothing, likewise
  double learning_rate = 0;
  double gradient_norm = 0;      // of the last step, before clipping
  double tokens_per_second = 0;  // mean of source and target tokens, </s> included
  double seconds = 0;            // of the run, its preparation and earlier processes included
  double done = 0;               // share of the run, 0 to 1
  double seconds_left = 0;       // estimated
};

// What translations of the validation source score against its target.
struct TranslationScores {
  double bleu = 0, chrf = 0;
  BleuTokenizer bleu_tokenizer = BleuTokenizer::mteval_13a;
};

struct ValidationReport {
  int64_t step = 0;
  double epoch = 0;
  int64_t averaged = 0;  // checkpoints whose mean was validated; 0: the weights of this step
  std::optional<double> train_loss;               // smoothed, of the epoch that just ended
  std::optional<double> loss;                     // smoothed, as in training but without dropout
  std::optional<double> perplexity;               // exp of -log p per target token
  std::optional<TranslationScores> translations;  // where validation_metric is bleu or chrf
  bool best = false;                              // better than every validation before
  double seconds = 0;
};

// Receives what a run reports. All calls come from the training thread.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void message(const std::string&) {}
  // What the user should know before spending hours on the run.
  virtual void warning(const std::string& text) { message(text); }
  // Each `report_every` steps, and where an epoch or the run ends: what metrics.jsonl records.
  virtual void report(const TrainReport&) {}
  // After every other step, so that a display can follow a run whose steps are slow.
  virtual void progress(const TrainReport&) {}
  virtual void validated(const ValidationReport&) {}
  // Once, before the run first changes a file in its folder. Until then, while a vocabulary is
  // learned, which nothing can interrupt, a process may end at any moment and leaves at most the
  // folders that remove_temporary_files() removes.
  virtual void begins_to_write() {}
  // Now and then before the first step. Where it throws, the folder is left as it was.
  virtual void preparing() {}
  // train() asks after each step: true saves and ends the run.
  virtual bool stop_requested() { return false; }
  // Scores of the model's translations of the validation text: train/ does not know how to decode.
  virtual TranslationScores translation_scores(const Transformer&, const TokenizerPair&);
};

}  // namespace heed
