#include "heed/run/resolved_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// What --help says of an option that is not set is what a run then takes.
TEST(ResolvedOptions, DefaultsAreThoseOfTheHelp) {
  for (const auto& [name, schedule] : enum_names(Schedule{})) {
    TrainOptions unset;
    unset.schedule = schedule;
    unset.optimizer = Optimizer::adamw;
    TrainOptions filled = with_defaults(unset);
    filled.epochs = epoch_limit(unset);
    const Options before = options_of(unset), after = options_of(filled);
    int count = 0;
    for (size_t i = 0; i < before.size(); ++i) {
      if (!before[i].read().empty() || after[i].read().empty()) continue;
      ++count;
      EXPECT_THAT(before[i].info.default_text,
                  AnyOf(StartsWith("by preset"), HasSubstr(after[i].read()[0])))
          << before[i].name << ", " << name;
    }
    EXPECT_GE(count, 13);
  }
}

}  // namespace
}  // namespace heed
