#include "heed/train/observer.h"

#include "heed/core/error.h"

namespace heed {

TranslationScores TrainObserver::translation_scores(const Transformer&, const TokenizerPair&) {
  fail_usage("--validation-metric: this program does not translate to validate, expected loss");
}

}  // namespace heed
