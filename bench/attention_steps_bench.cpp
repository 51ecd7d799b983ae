// How fast the CPU backend computes attention in steps, on one thread: sentences of equal length,
// heads of 64 columns.
//   cmake -DHEED_BENCH=ON ... && build/release/bench/attention_steps_bench
// HEED_INSTRUCTION_SET chooses the instruction set.
#include <benchmark/benchmark.h>

#include "heed/backend/cpu/cpu_backend.h"

namespace heed {
namespace {

Tensor random_tensor(const Shape& shape) {
  Tensor tensor(shape);
  Random random(uint64_t(tensor.size()));
  for (float& value : tensor.span<float>()) value = float(2 * random.uniform() - 1);
  return tensor;
}

// Arguments: sequences, queries and keys of each, heads.
struct StepOperands {
  explicit StepOperands(const benchmark::State& state) : heads(state.range(3)) {
    for (int64_t b = 0; b < state.range(0); ++b) {
      queries.add(state.range(1));
      keys.lengths.add(state.range(2));
    }
    query = random_tensor({queries.rows(), 64 * heads});
    key = random_tensor({keys.lengths.rows(), 64 * heads});
    v = random_tensor({64 * heads});
    out = random_tensor(query.shape());
    dkey = random_tensor(key.shape());
    dv = random_tensor(v.shape());
    scores = random_tensor({attention_weight_count(layout(), heads)});
    weights = random_tensor(scores.shape());
  }
  AttentionLayout layout() const { return {queries, keys}; }
  void report(benchmark::State& state) const {
    state.counters["scores/s"] =
        benchmark::Counter(double(scores.size()), benchmark::Counter::kIsIterationInvariantRate);
  }

  int64_t heads;
  std::unique_ptr<Backend> backend = make_cpu_backend();
  Ragged queries;
  KeyRows keys;
  Tensor query, key, v, out, dkey, dv, scores, weights;
};

void scaled_scores(benchmark::State& state) {
  StepOperands o(state);
  for (auto _ : state)
    o.backend->scaled_scores({o.query, o.key}, o.layout(), {o.heads, 0.1}, o.scores);
  o.report(state);
}

void scaled_scores_gradient(benchmark::State& state) {
  StepOperands o(state);
  for (auto _ : state)
    o.backend->scaled_scores_gradient(o.scores, {o.query, o.key}, o.layout(), {o.heads, 0.1},
                                      {o.out, o.dkey});
  o.report(state);
}

void additive_scores(benchmark::State& state) {
  StepOperands o(state);
  for (auto _ : state)
    o.backend->additive_scores({o.query, o.key}, o.v, o.layout(), o.heads, o.scores);
  o.report(state);
}

void additive_scores_gradient(benchmark::State& state) {
  StepOperands o(state);
  for (auto _ : state)
    o.backend->additive_scores_gradient(o.scores, {o.query, o.key}, o.v, o.layout(), o.heads,
                                        {o.out, o.dkey}, o.dv);
  o.report(state);
}

// A table for each query (Shaw et al. 2018), 33 buckets.
void positional_scores(benchmark::State& state) {
  StepOperands o(state);
  const PositionalScores options{{PositionBuckets::Kind::clipped, 33}, o.heads};
  const Tensor table = random_tensor({o.queries.rows(), 33 * o.heads});
  for (auto _ : state) o.backend->add_positional_scores(table, o.layout(), options, o.scores);
  o.report(state);
}

void sums_by_position(benchmark::State& state) {
  StepOperands o(state);
  const PositionalScores options{{PositionBuckets::Kind::clipped, 33}, o.heads};
  Tensor sums = random_tensor({o.queries.rows(), 33 * o.heads});
  for (auto _ : state) o.backend->sum_weights_by_position(o.scores, o.layout(), options, sums);
  o.report(state);
}

void softmax(benchmark::State& state) {
  StepOperands o(state);
  for (auto _ : state)
    o.backend->attention_softmax(o.scores, o.layout(), {o.heads}, {}, {o.weights});
  o.report(state);
}

void weighted_sum(benchmark::State& state) {
  StepOperands o(state);
  for (auto _ : state) o.backend->weighted_sum(o.weights, o.key, o.layout(), o.heads, o.out);
  o.report(state);
}

void weighted_sum_gradient(benchmark::State& state) {
  StepOperands o(state);
  for (auto _ : state)
    o.backend->weighted_sum_gradient(o.out, o.weights, o.key, o.layout(), o.heads,
                                     {o.scores, o.dkey});
  o.report(state);
}

// The fused kernel, for comparison.
void fused(benchmark::State& state) {
  StepOperands o(state);
  AttentionOptions options;
  options.scores.heads = o.heads;
  Tensor logsumexp = random_tensor({o.queries.rows(), o.heads});
  for (auto _ : state)
    o.backend->attention({o.query, o.key, o.key}, o.layout(), options, {o.out, logsumexp});
  o.report(state);
}

// Training, and a step of decoding.
void step_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({32, 30, 30, 8})->Args({32, 1, 30, 8})->Args({4, 1, 200, 8});
}

BENCHMARK(scaled_scores)->Apply(step_sizes);
BENCHMARK(scaled_scores_gradient)->Apply(step_sizes);
BENCHMARK(additive_scores)->Apply(step_sizes);
BENCHMARK(additive_scores_gradient)->Apply(step_sizes);
BENCHMARK(positional_scores)->Apply(step_sizes);
BENCHMARK(sums_by_position)->Apply(step_sizes);
BENCHMARK(softmax)->Apply(step_sizes);
BENCHMARK(weighted_sum)->Apply(step_sizes);
BENCHMARK(weighted_sum_gradient)->Apply(step_sizes);
BENCHMARK(fused)->Apply(step_sizes);

}  // namespace
}  // namespace heed
