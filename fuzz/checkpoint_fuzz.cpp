// training/state.safetensors: what is accepted is a run's state within sane bounds.
#include <cmath>

#include "fuzz.h"
#include "heed/model/sequence_model.h"
#include "heed/run/averaging.h"
#include "heed/run/training_state.h"
#include "reference/reference_backend.h"
#include "small_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  static const fuzzing::MemoryFile file;
  static const std::unique_ptr<Backend> backend = make_reference_backend();
  static Workers workers(1);
  static SequenceModel model(fuzzing::small_config());
  static Adam adam(parameters(model), *backend, workers);
  file.hold(fuzzing::text_of(data, size));
  fuzzing::read_or_refuse([&] {
    const Progress progress = load_training_state(file.path(), fuzzing::small_identity(), adam);
    fuzzing::require(progress.step >= 0 && progress.step + progress.batch + progress.epoch >= 0);
    fuzzing::require(std::isfinite(progress.seconds) && progress.seconds >= 0);
    for (const Checkpoint& checkpoint : progress.checkpoints)
      fuzzing::require(checkpoint.step <= progress.step);
  });
  fuzzing::read_or_refuse([&] { load_average({file.path()}, model.config(), adam.parameters()); });
  return 0;
}
