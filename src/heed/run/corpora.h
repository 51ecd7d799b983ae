// The corpora of a run: their files, their places in its text, and the mixture of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/data/mixture.h"
#include "heed/run/observer.h"
#include "heed/run/run_settings.h"

namespace heed {

// The parts of the text of these options, one for each corpus; empty without corpora.
std::vector<CorpusPart> corpus_parts(const TrainOptions& options, const ParallelText& text);

// The tags of the corpora.
std::vector<std::string> corpus_tags(const TrainOptions& options);

// Mixes the examples of `data`, which has those of `corpus` in their order. Null without corpora.
// Error: a corpus of which no pair was kept.
std::unique_ptr<Mixture> make_mixture(const RunSettings& settings,
                                      const std::vector<CorpusPart>& parts, const Corpus& corpus,
                                      const Dataset& data);

// Says what was kept of each corpus, and how they are mixed; warns of tags that are not tokens.
void report_corpora(const RunSettings& settings, const std::vector<CorpusPart>& parts,
                    const Corpus& corpus, const Tokenizer& source, TrainObserver& observer);

// The steps of all epochs of the run, by the first epoch of each stage. `mixture` may be null.
// UsageError if the end of a stage is not known before the run.
double total_steps(const RunSettings& settings, const Dataset& data, Mixture* mixture);

}  // namespace heed
