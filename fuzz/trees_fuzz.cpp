// Lines of trees: what is read is written and read again as it is, and a tree of at least one
// constituent comes back from its symbols and words.
#include "fuzz.h"
#include "heed/text/linear_tree.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const std::string_view line = fuzzing::text_of(data, size);
  fuzzing::read_or_refuse([&] {
    const TreeReading reading = read_tree(line);
    fuzzing::require(reading.tree.depth() == 0);
    const std::string written = to_line(reading.tree);
    const TreeReading again = read_tree(written);
    fuzzing::require(!again.defect && to_line(again.tree) == written);
    if (reading.defect) return;
    for (const FunctionTags tags : {FunctionTags::keep, FunctionTags::drop}) {
      const LinearTree linear = linear_tree(reading.tree, tags);
      if (linear.symbols.empty() || reading.tree.nodes().front().has_word()) continue;
      const LinearTree same = linear_tree(tree_of(linear.symbols, linear.words), tags);
      fuzzing::require(same.symbols == linear.symbols && same.words == linear.words);
    }
  });
  return 0;
}
