#include "heed/decode/model.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/small_translator.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

// translate() keeps a translator between calls: for other options it must be another one.
TEST(ModelTranslate, EveryCallHasItsOwnOptions) {
  const testing::TemporaryFolder folder;
  testing::write_small_translator(folder.path());
  const Model model(folder.path(), ComputeChoice::fp32);
  const std::vector<std::string> lines = {"the quick fox", "a dog", "", "over the lazy dog"};
  std::vector<DecodeOptions> options(4);
  for (DecodeOptions& o : options) o.search.min_length = 3;  // the model prefers to say nothing
  options[1].search.beam = 1;
  options[2].threads = 1;
  options[2].search.max_length = 4;
  options[3].search.sample = true;
  std::vector<std::vector<std::string>> expected;
  for (const DecodeOptions& o : options)
    expected.push_back(best_translations(model.translator(o), lines));
  EXPECT_NE(expected[0], expected[2]);
  const auto expect_same = [&] {
    for (size_t i : {0, 0, 1, 2, 3, 2, 0}) {
      EXPECT_EQ(model.translate(lines, options[i]), expected[i]) << i;
      EXPECT_EQ(model.translate(lines[1], options[i]), expected[i][1]) << i;
    }
  };
  expect_same();
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) callers.emplace_back(expect_same);
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace heed
