#include "heed/backend/cpu/cpu_backend.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <set>

#include "backend/compare.h"
#include "heed/backend/compute.h"
#include "heed/core/parallel.h"

namespace heed {
namespace {

using ::testing::HasSubstr;

// Sets HEED_INSTRUCTION_SET for a scope.
class TargetVariable {
 public:
  explicit TargetVariable(const std::string& value) {
    setenv("HEED_INSTRUCTION_SET", value.c_str(), 1);
  }
  ~TargetVariable() { unsetenv("HEED_INSTRUCTION_SET"); }
};

TEST(CpuTargets, NamesTheBackend) {
  ASSERT_FALSE(cpu_instruction_sets().empty());
  for (const std::string& target : cpu_instruction_sets())
    EXPECT_EQ(make_cpu_backend(target)->name(), "cpu (" + target + ")");
}

TEST(CpuTargets, EnvironmentForcesOne) {
  const std::string last = cpu_instruction_sets().back();
  const TargetVariable variable(last);
  EXPECT_EQ(make_cpu_backend()->name(), "cpu (" + last + ")");
}

TEST(CpuTargets, BestWithoutEnvironment) {
  const TargetVariable variable("");
  EXPECT_EQ(make_cpu_backend()->name(), "cpu (" + cpu_instruction_sets().front() + ")");
}

TEST(CpuTargets, UnknownNameIsTheUsersError) {
  const TargetVariable variable("AVX9");
  try {
    make_cpu_backend();
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("AVX9"));
    EXPECT_THAT(error.what(), HasSubstr(cpu_instruction_sets().back()));
  }
}

TEST(CpuTargets, AutoTakesWhatTheInstructionSetDoesFast) {
  const std::set<std::string> trains_in_bf16 = {"AMX", "AVX3_BF16", "AMX_EMULATED"};
  const std::set<std::string> decodes_in_fp32 = {"SSSE3", "SSE2", "EMU128", "SCALAR"};
  for (const std::string& target : cpu_instruction_sets()) {
    const TargetVariable variable(target);
    EXPECT_EQ(make_backend(ComputeChoice::automatic, Purpose::training)->compute_type(),
              trains_in_bf16.contains(target) ? DType::bf16 : DType::fp32)
        << target;
    EXPECT_EQ(make_backend(ComputeChoice::automatic, Purpose::inference)->compute_type(),
              decodes_in_fp32.contains(target) ? DType::fp32 : DType::int8)
        << target;
  }
}

// What each thread computes from shared operands, at sizes of its own.
struct Outcome {
  Tensor y, dweight, out;
};

Outcome compute(Backend& backend, const Tensor& x, const Tensor& weight) {
  const int64_t rows = x.rows(), d = x.columns();
  Outcome outcome{Tensor({rows, d}), Tensor({d, d}), Tensor({rows, d})};
  backend.linear(x, weight, Tensor(), Activation::gelu, outcome.y);
  backend.linear_weight_gradient(outcome.y, x, 0, outcome.dweight, nullptr, WriteMode::overwrite);
  Ragged queries;
  queries.add(rows);
  const Tensor query = testing::random_tensor({rows, d}, 9);
  Tensor logsumexp({rows, 2});
  AttentionOptions options;
  options.scores.heads = 2;
  backend.attention({query, outcome.y, x}, {queries, {queries, {}}, Mask::causal}, options,
                    {outcome.out, logsumexp});
  return outcome;
}

TEST(CpuBackend, ServesManyThreadsAtOnce) {
  const auto backend = make_cpu_backend();
  const Tensor weight = testing::random_tensor({64, 64}, 1, 0.1);
  weight.storage()->packed = backend->pack(weight, Purpose::training);
  std::vector<Tensor> inputs;
  std::vector<Outcome> expected, got(16);
  for (size_t i = 0; i < got.size(); ++i) {
    inputs.push_back(testing::random_tensor({1 + int64_t(i * 7), 64}, i));
    expected.push_back(compute(*backend, inputs[i], weight));
  }
  Workers workers(4);
  workers.run(int64_t(got.size()), [&](int64_t i, int) {
    got[size_t(i)] = compute(*backend, inputs[size_t(i)], weight);
  });
  for (size_t i = 0; i < got.size(); ++i) {
    testing::expect_same_bits(got[i].y, expected[i].y, "y");
    testing::expect_same_bits(got[i].dweight, expected[i].dweight, "dweight");
    testing::expect_same_bits(got[i].out, expected[i].out, "out");
  }
}

}  // namespace
}  // namespace heed
