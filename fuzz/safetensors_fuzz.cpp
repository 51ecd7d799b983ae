// A safetensors file: what opens can be read to its last byte.
#include "fuzz.h"
#include "heed/model/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  static const fuzzing::MemoryFile file;
  fuzzing::read_or_refuse([&] {
    const SafetensorsFile opened(file.hold(fuzzing::text_of(data, size)));
    fuzzing::read_or_refuse([&] { opened.expect_undamaged("take another"); });
    for (const StoredTensor& stored : opened.tensors()) {
      fuzzing::require(opened.find(stored.name) == &stored);
      fuzzing::read_or_refuse([&] {
        if (stored.bytes.empty()) return;
        Tensor values(stored.shape, DType::fp64);
        opened.read(stored.name, values);
      });
    }
  });
  return 0;
}
