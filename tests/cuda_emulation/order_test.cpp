// That results do not depend on the order of blocks and threads, and that each barrier is needed
// for that.
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "backend/compare.h"
#include "cuda_emulation/emulation.h"

namespace heed::testing {
namespace {

// The bits of a result.
using Bits = std::string;

template <class T>
void append(const std::vector<T>& values, Bits& bits) {
  bits.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}
void append(const Tensor& tensor, Bits& bits) {
  bits.append(reinterpret_cast<const char*>(tensor.bytes()), size_t(tensor.byte_count()));
}
void append(double value, Bits& bits) {
  append(std::vector<double>{value}, bits);
}

template <class... Results>
Bits bits_of(const Results&... results) {
  Bits bits;
  (append(results, bits), ...);
  return bits;
}

Bits sum_of_squares(Backend& backend) {
  return bits_of(backend.sum_of_squares(random_tensor({5003}, 1)));
}

Bits cross_entropy(Backend& backend, int64_t rows, int64_t classes) {
  Tensor logits = random_tensor({rows, classes}, 2, 4), losses({rows, 2});
  Indices labels;
  for (int64_t r = 0; r < rows; ++r) labels.push_back(TokenId(r * 7919 % classes));
  backend.cross_entropy(logits, labels, 0, {0.1, 0.5}, losses);
  return bits_of(logits, losses);
}

Bits top_k(Backend& backend, int64_t rows, int64_t classes, int64_t k) {
  const TopK top = backend.top_k(random_tensor({rows, classes}, 3, 4), k);
  return bits_of(top.ids, top.log_probabilities);
}

struct Call {
  const char* name;
  std::function<Bits(Backend&)> run;
};
// Each kernel that sums or shares memory, and each of its ways. Shapes should be small, but have
// several warps and blocks.
const Call kCalls[] = {
    {"sum of squares", sum_of_squares},
    {"cross entropy", [](Backend& b) { return cross_entropy(b, 3, 301); }},
    {"cross entropy of many classes", [](Backend& b) { return cross_entropy(b, 2, 5003); }},
    {"few best", [](Backend& b) { return top_k(b, 3, 301, 4); }},
    {"few best of many classes", [](Backend& b) { return top_k(b, 1, 5003, 20); }},
    {"few best of several pieces", [](Backend& b) { return top_k(b, 1, 41003, 8); }},
    {"many best", [](Backend& b) { return top_k(b, 2, 301, 80); }},
    {"many best, of several chunks", [](Backend& b) { return top_k(b, 1, 5003, 80); }},
};

class CudaOrder : public ::testing::Test {
 protected:
  void TearDown() override {
    cuda::leave_out_barrier({});
    cuda::set_emulation_seed(1);
  }
  Bits run(const Call& call, uint64_t seed) {
    cuda::set_emulation_seed(seed);
    return call.run(*backend_);
  }
  // Whether a call goes wrong in any way. It may write anywhere then: in a process of its own.
  bool goes_wrong(const Call& call, uint64_t seed, const Bits& expected) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      if (!freopen("/dev/null", "w", stderr)) _exit(2);
      try {
        _exit(run(call, seed) == expected ? 0 : 1);
      } catch (...) {
        _exit(1);
      }
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status != 0;
  }
  bool goes_wrong_for_some_seed(const Call& call, const Bits& expected) {
    for (uint64_t seed = 1; seed <= 10; ++seed)
      if (goes_wrong(call, seed, expected)) return true;
    return false;
  }

  std::unique_ptr<Backend> backend_ = make_target({"cuda"});
};

TEST_F(CudaOrder, IsNotFeltInResults) {
  for (const Call& call : kCalls) {
    const Bits expected = run(call, 1);
    for (uint64_t seed = 2; seed <= 5; ++seed)
      EXPECT_EQ(run(call, seed), expected) << call.name << ", seed " << seed;
  }
}

TEST_F(CudaOrder, NeedsEveryBarrier) {
  // Which calls come to a barrier.
  std::map<cuda::BarrierSite, std::vector<const Call*>> calls_at;
  std::map<const Call*, Bits> expected;
  cuda::take_barriers_reached();
  for (const Call& call : kCalls) {
    expected[&call] = run(call, 1);
    for (const cuda::BarrierSite& site : cuda::take_barriers_reached())
      calls_at[site].push_back(&call);
    // As long as nothing is left out.
    EXPECT_FALSE(goes_wrong(call, 2, expected[&call])) << call.name;
    cuda::take_barriers_reached();
  }
  EXPECT_GT(calls_at.size(), 4u);
  for (const auto& [site, calls] : calls_at) {
    cuda::leave_out_barrier(site);
    bool is_needed = false;
    for (const Call* call : calls)
      is_needed = is_needed || goes_wrong_for_some_seed(*call, expected[call]);
    EXPECT_TRUE(is_needed) << site.file << ":" << site.line;
  }
}

}  // namespace
}  // namespace heed::testing
