// The whole library in one header: from two text files to a translator (docs/library.md).
//
//   train()       text files to a model directory; Trainer does the same step by step
//   Model         an opened model directory: translate(), score()
//   LanguageModel an opened language model: generate(), score()
//   Classifier    an opened tagger or classifier: classify()
//   Parser        an opened parser: parse()
//   evaluate()    scores translations against references; bleu(), chrf() and ter() have options,
//                 brackets() is for parse trees, label_report() and span_report() for labels
//   Reranker      n-best lists in the order of several models
//   paper::       the components of "Attention Is All You Need" as functions
//
// Errors are exceptions. heed::Error: bad input or environment, for the end user to fix.
// heed::UsageError (derived from it): wrong options or arguments, for the caller to fix. The
// library never prints or exits.
#pragma once

#include "heed/core/error.h"
#include "heed/decode/classifier.h"
#include "heed/decode/language_model.h"
#include "heed/decode/model.h"
#include "heed/decode/parser.h"
#include "heed/decode/reranker.h"
#include "heed/evaluate/bleu.h"
#include "heed/evaluate/brackets.h"
#include "heed/evaluate/chrf.h"
#include "heed/evaluate/labels.h"
#include "heed/evaluate/spans.h"
#include "heed/evaluate/ter.h"
#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "heed/paper.h"
#include "heed/paper_variants.h"
#include "heed/run/settings_choice.h"
#include "heed/run/trainer.h"
#include "heed/tasks/calibration.h"
#include "heed/tasks/rerank_tuning.h"
#include "heed/text/lines.h"

namespace heed {

// Trains and writes a model directory: `heed train` as a function. Settings that a run limited by
// minutes leaves open are chosen (with_chosen_settings()). The observer is called with reports and
// may stop training.
TrainResult train(const TrainOptions& options, TrainObserver& observer);
// The same with the text of the options already open (open_training_text).
TrainResult train(const TrainOptions& options, const TrainingText& text, TrainObserver& observer);
// The same without an observer.
TrainResult train(const TrainOptions& options);

// The measurements of these functions, for a Trainer: it needs scores of translations where
// options.validation_metric is bleu or chrf, shows samples in the run's report, and stores at the
// end which attention aligns words. All arguments must outlive the result.
TranslationMeasures measures_of(const TrainOptions& options, const TrainingText& text,
                                TrainObserver& observer);

struct Evaluation {
  BleuScore bleu;
  ChrfScore chrf;
  TerScore ter;
};

// The scores of `heed evaluate`: reference i belongs to hypothesis i. The defaults are sacreBLEU's:
// the tokenizer of BLEU is 13a for any text, which does not separate the words of Chinese, Japanese
// or Thai. suitable_bleu_tokenizer() chooses by the writing system of the references:
//   evaluate(hypotheses, references, {.tokenizer = suitable_bleu_tokenizer({&references, 1})})
Evaluation evaluate(const Lines& hypotheses, const Lines& references,
                    const BleuOptions& bleu_options = {});

}  // namespace heed
