// The library in one header: two text files in, a translator out (docs/library.md).
//
//   train()       text files to a model directory; Trainer does the same step by step
//   Model         a model directory, opened: translate(), score()
//   evaluate()    translations against references; bleu(), chrf() and ter() say more
//   paper::       the pieces of "Attention Is All You Need", each callable alone
//
// Errors are exceptions: heed::Error for bad input or surroundings, which the caller's user can
// fix; heed::UsageError, derived from it, for wrong options or arguments, which the caller can. The
// library never prints or exits.
#pragma once

#include "heed/core/error.h"
#include "heed/decode/model.h"
#include "heed/evaluate/bleu.h"
#include "heed/evaluate/bleu_tokenizer_choice.h"
#include "heed/evaluate/chrf.h"
#include "heed/evaluate/ter.h"
#include "heed/model/directory.h"
#include "heed/paper.h"
#include "heed/text/lines.h"
#include "heed/train/trainer.h"

namespace heed {

// Trains on this machine's CPU and writes a model directory, as `heed train` does. Calls the
// observer, which may stop training, but not its translation_scores(): this function translates the
// validation text itself if options.validate_by needs it.
TrainResult train(const TrainOptions& options, TrainObserver& observer);
// The same for text that is open already (open_training_text).
TrainResult train(const TrainOptions& options, const TrainingText& text, TrainObserver& observer);
// The same without an observer.
TrainResult train(const TrainOptions& options);

struct Evaluation {
  BleuScore bleu;
  ChrfScore chrf;
  TerScore ter;
};

// The scores of translations, line by line against references, as `heed evaluate` reports them. The
// defaults are sacreBLEU's: BLEU's tokenizer is 13a for every text, which does not separate the
// words of Chinese, Japanese or Thai. suitable_bleu_tokenizer() chooses one by the script:
//   evaluate(hypotheses, references, {.tokenizer = suitable_bleu_tokenizer({&references, 1})})
Evaluation evaluate(const Lines& hypotheses, const Lines& references,
                    const BleuOptions& bleu_options = {});

}  // namespace heed
