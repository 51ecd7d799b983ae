// heed's own API: every option of the search, n-best lists, alignments, probabilities, streams,
// attention.
#pragma once

#include "heed/serve/api/api.h"

namespace heed::v1 {

// POST /v1/translate.
void translate(const ApiCall& call);
// POST /v1/score.
void score(const ApiCall& call);
// POST /v1/attention: a page of how a text is translated.
void attention(const ApiCall& call);

}  // namespace heed::v1
