// heed's own API: every option of the search, n-best lists, alignments, probabilities, streams.
#pragma once

#include "heed/serve/api/api.h"

namespace heed::v1 {

// POST /v1/translate.
void translate(const ApiCall& call);
// POST /v1/score.
void score(const ApiCall& call);

}  // namespace heed::v1
