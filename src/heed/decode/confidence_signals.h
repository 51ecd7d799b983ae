// The signals from which the confidence in a translation is computed.
#pragma once

#include <vector>

#include "heed/decode/line_processor.h"

namespace heed {

// Those of a hypothesis of a line with these results of its parts.
ConfidenceSignals confidence_signals(const EncodedLine& line,
                                     const std::vector<SearchResult>& parts,
                                     const TextHypothesis& hypothesis);

}  // namespace heed
