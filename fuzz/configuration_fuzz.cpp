// A TOML configuration of `heed train`, and the same options as JSON, as a checkpoint keeps them.
#include "console/arguments.h"
#include "fuzz.h"
#include "heed/run/train_options.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  static const fuzzing::MemoryFile file;
  const std::string_view text = fuzzing::text_of(data, size);
  fuzzing::read_or_refuse([&] {
    TrainOptions options;
    const Options list = options_of(options);
    apply(read_config_file(file.hold(text), list, "train", {"train", "translate"}));
    validate(list);
  });
  fuzzing::read_or_refuse([&] {
    TrainOptions options;
    from_json(options, text, "state.safetensors");
    TrainOptions again;
    from_json(again, to_json(options), "written");
    fuzzing::require(differences(options, again).empty());
  });
  return 0;
}
