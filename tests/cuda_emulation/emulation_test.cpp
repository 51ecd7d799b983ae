// The emulation itself, on small kernels: what it computes, and which mistakes it shows.
#include "cuda_emulation/emulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cuda_emulation/cuda_thread.h"
#include "heed/backend/cuda/parts-inl.h"
#include "heed/core/error.h"

namespace heed::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class CudaEmulation : public ::testing::Test {
 protected:
  void TearDown() override {
    leave_out_barrier({});
    set_emulation_seed(1);
  }
};

TEST_F(CudaEmulation, RunsEachThreadOfEachBlockOnce) {
  std::vector<int> runs(5 * 64);
  std::vector<int64_t> order;
  launch<64>(5, 0, [&](const Thread& thread) {
    EXPECT_EQ(thread.blocks(), 5);
    EXPECT_EQ(thread.threads(), 64);
    EXPECT_EQ(thread.warps(), 2);
    EXPECT_EQ(thread.warp() * kWarp + thread.lane(), thread.index());
    const int64_t i = thread.block() * 64 + thread.index();
    ++runs[size_t(i)];
    order.push_back(i);
  });
  EXPECT_EQ(runs, std::vector<int>(5 * 64, 1));
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  launch<32>(0, 0, [](const Thread&) { FAIL() << "a launch without blocks"; });
}

TEST_F(CudaEmulation, ExchangesValuesWithinWarps) {
  std::vector<int> crossed(64), first(64);
  std::vector<double> sums(64);
  std::vector<float> maxima(64);
  launch<64>(1, 0, [&](const Thread& thread) {
    const auto i = size_t(thread.index());
    crossed[i] = thread.shuffle_xor(thread.index(), 5);
    first[i] = thread.shuffle(thread.index() + 100, 3);
    sums[i] = warp_sum(thread, double(i));
    maxima[i] = warp_max(thread, float(i % 7));
  });
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(crossed[size_t(i)], i ^ 5);
    EXPECT_EQ(first[size_t(i)], i / 32 * 32 + 103);
    EXPECT_EQ(sums[size_t(i)], i < 32 ? 31 * 16 : 31 * 16 + 32 * 32);
    EXPECT_EQ(maxima[size_t(i)], 6);
  }
}

TEST_F(CudaEmulation, SumsOverBlocks) {
  std::vector<int64_t> sums(128);
  std::vector<float> maxima(128);
  launch<128>(1, 2 * 4 * 8, [&](const Thread& thread) {
    SharedMemory shared(thread);
    auto* const partial = shared.take<int64_t>(thread.warps());
    auto* const partial_maxima = shared.take<float>(thread.warps());
    const auto i = size_t(thread.index());
    sums[i] = block_sum(thread, int64_t(thread.index()), partial);
    sums[i] += block_sum(thread, int64_t{1000}, partial);
    maxima[i] = block_max(thread, -float(thread.index()), partial_maxima);
  });
  EXPECT_EQ(sums, std::vector<int64_t>(128, 127 * 64 + 128000));
  EXPECT_EQ(maxima, std::vector<float>(128, 0));
}

TEST_F(CudaEmulation, BeginsSharedMemoryAsNan) {
  std::vector<float> values(3);
  for (int launches = 0; launches < 2; ++launches) {
    launch<32>(3, 64, [&](const Thread& thread) {
      SharedMemory shared(thread);
      auto* const memory = shared.take<float>(16);
      if (thread.index() != 0) return;
      values[size_t(thread.block())] = memory[7];
      memory[7] = 1;
    });
    for (float value : values) EXPECT_TRUE(std::isnan(value));
  }
}

// Reverses 64 numbers through shared memory.
std::vector<int> reversed() {
  std::vector<int> values(64);
  launch<64>(1, 256, [&](const Thread& thread) {
    SharedMemory shared(thread);
    auto* const memory = shared.take<int>(64);
    memory[thread.index()] = thread.index();
    thread.barrier();
    values[size_t(thread.index())] = memory[63 - thread.index()];
  });
  return values;
}

TEST_F(CudaEmulation, ShowsAMissingBarrier) {
  take_barriers_reached();
  std::vector<int> expected(64);
  for (int i = 0; i < 64; ++i) expected[size_t(i)] = 63 - i;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    set_emulation_seed(seed);
    EXPECT_EQ(reversed(), expected) << "seed " << seed;
  }
  const std::set<BarrierSite> sites = take_barriers_reached();
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_THAT(sites.begin()->file, HasSubstr("emulation_test.cpp"));
  leave_out_barrier(*sites.begin());
  int wrong = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    set_emulation_seed(seed);
    wrong += reversed() != expected;
  }
  EXPECT_GT(wrong, 15);
}

// Has a destructor, which must run though the kernel never ends.
struct Counted {
  explicit Counted(int& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  int& count_;
};

template <class Kernel>
void expect_failure(const char* message, int64_t shared_bytes, const Kernel& kernel) {
  int living = 0;
  EXPECT_THAT(
      [&] {
        launch<64>(2, shared_bytes, [&](const Thread& thread) {
          const Counted counted(living);
          kernel(thread);
        });
      },
      ThrowsMessage<Bug>(HasSubstr(message)));
  EXPECT_EQ(living, 0) << message;
}

TEST_F(CudaEmulation, FailsOnABarrierThatNotAllReach) {
  const char* const message = "a barrier that not all threads of the block reach";
  for (uint64_t seed = 0; seed < 5; ++seed) {
    set_emulation_seed(seed);
    expect_failure(message, 0, [](const Thread& thread) {
      if (thread.index() != 40) thread.barrier();
    });
    expect_failure(message, 0, [](const Thread& thread) {
      for (int i = 0; i < 3 + (thread.index() < 2); ++i) thread.barrier();
    });
  }
}

TEST_F(CudaEmulation, FailsOnAnExchangeWithoutAllLanes) {
  const char* const message = "a warp exchanges values without all of its lanes";
  for (uint64_t seed = 0; seed < 5; ++seed) {
    set_emulation_seed(seed);
    expect_failure(message, 0, [](const Thread& thread) {
      if (thread.lane() != 5) thread.shuffle_xor(1, 1);
    });
    expect_failure(message, 0, [](const Thread& thread) {
      if (thread.index() != 37) warp_sum(thread, 1);
      thread.barrier();
    });
  }
  expect_failure("exchange values at different places", 0, [](const Thread& thread) {
    if (thread.lane() < 9)
      thread.shuffle(1, 0);
    else
      thread.shuffle(2, 0);
  });
  expect_failure("no such lane", 0, [](const Thread& thread) { thread.shuffle(1, 32); });
}

TEST_F(CudaEmulation, FailsOnMoreSharedMemoryThanAskedFor) {
  const char* const message = "a kernel takes more shared memory than its launch asked for";
  expect_failure(message, 127, [](const Thread& thread) {
    SharedMemory shared(thread);
    shared.take<float>(28);
    shared.take<float>(1);
  });
  expect_failure("threads of a block take different pieces", 4096, [](const Thread& thread) {
    SharedMemory shared(thread);
    shared.take<float>(thread.index() == 9 ? 5 : 4);
  });
}

TEST_F(CudaEmulation, PassesOnWhatAKernelThrows) {
  // While other threads wait, and others have not begun.
  for (uint64_t seed = 0; seed < 5; ++seed) {
    set_emulation_seed(seed);
    expect_failure("thrown by a kernel", 0, [](const Thread& thread) {
      if (thread.index() == 20) throw Bug("thrown by a kernel");
      if (thread.index() > 32) thread.barrier();
    });
    // Nothing is left of it for the next launch.
    EXPECT_EQ(reversed().front(), 63);
  }
}

}  // namespace
}  // namespace heed::cuda
