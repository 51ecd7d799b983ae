// The part of a run's text on which word alignments are measured at its end.
#pragma once

#include "heed/data/corpus.h"
#include "heed/text/word_links.h"

namespace heed {

// Evenly spaced pairs: at most 500 of the validation text, or, without one (null), of the training
// text, whose attention is measured; and pairs of the training text from which a lexicon is
// learned. Both are bounded by the tokens that the run trained on, so that two passes over the
// former and learning from the latter take less than a hundredth of its time: a measured token
// costs about a third of a trained one, and a pair of tokens in the lexicon about 150 ns.
AlignmentText alignment_text(const Corpus& training, const Corpus* validation,
                             double trained_tokens);

// Evenly spaced pairs of a text with at most `token_pairs` token pairs (WordLinks) in all, from
// which its alignments are learned.
std::vector<TokenPair> pairs_to_align(const Corpus& corpus, double token_pairs);

}  // namespace heed
