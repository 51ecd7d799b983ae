// config.json and model.safetensors of a model directory: what loads can be run.
#include "fuzz.h"
#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "reference/reference_backend.h"

namespace {

using namespace heed;

// A step over the shortest source and target.
void run(const SequenceModel& model) {
  const std::unique_ptr<Backend> backend = make_reference_backend();
  TensorPool pool;
  ForwardPass pass(*backend, pool);
  const ModelConfig& config = model.config();
  Tokens source, target;
  if (!config.has_decoder()) return;
  if (config.has_encoder()) source.add(std::vector{config.end_id()});
  target.add(std::vector{config.start_id()});
  const Tensor states = model.decode(pass, target, model.encode(pass, source));
  fuzzing::require(model.output().logits(pass, states).size() == config.output_vocabulary_size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzzing::MemoryFile config, weights;
  static const fuzzing::MemoryDirectory directory;
  static const bool ready = [] {
    directory.add("config.json", config);
    directory.add("model.safetensors", weights);
    return true;
  }();
  const auto [first, second] = fuzzing::two_files(fuzzing::text_of(data, size));
  config.hold(first);
  weights.hold(second);
  fuzzing::read_or_refuse([&] {
    fuzzing::require(ready);
    run(load_model(directory.path()));
  });
  return 0;
}
