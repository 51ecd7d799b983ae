// A model and its backend, for headers that need not know the model (model/transformer.h).
#pragma once

#include "heed/backend/backend.h"

namespace heed {

class SequenceModel;

// A model and the backend in whose memory it is. Both must outlive a call that gets them.
struct ModelOnBackend {
  const SequenceModel& model;
  Backend& backend;
};

}  // namespace heed
