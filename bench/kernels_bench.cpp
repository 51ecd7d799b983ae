// How fast the kernels of the CPU backend run, on one thread:
//   cmake -DHEED_BENCH=ON ... && build/release/bench/kernels_bench --benchmark_filter=linear
// HEED_INSTRUCTION_SET chooses the instruction set.
#include <benchmark/benchmark.h>

#include "heed/backend/cpu/cpu_backend.h"

namespace heed {
namespace {

Tensor random_tensor(const Shape& shape, double scale = 1) {
  Tensor tensor(shape);
  Random random(uint64_t(tensor.size()));
  for (float& value : tensor.span<float>()) value = float(scale * (2 * random.uniform() - 1));
  return tensor;
}

void report_flops(benchmark::State& state, double operations_each) {
  state.counters["GFLOP/s"] = benchmark::Counter(operations_each * double(state.iterations()) / 1e9,
                                                 benchmark::Counter::kIsRate);
}

// Arguments: rows, out, in.
struct LinearOperands {
  explicit LinearOperands(const benchmark::State& state)
      : rows(state.range(0)), out(state.range(1)), in(state.range(2)) {}
  double operations() const { return 2.0 * double(rows) * double(out) * double(in); }

  int64_t rows, out, in;
  std::unique_ptr<Backend> backend = make_cpu_backend();
  Tensor x = random_tensor({rows, in}), y = random_tensor({rows, out});
  Tensor weight = random_tensor({out, in}), bias = random_tensor({out});
};

void linear_packed(benchmark::State& state) {
  LinearOperands o(state);
  o.weight.storage()->packed = o.backend->pack(o.weight, Purpose::training);
  for (auto _ : state) o.backend->linear(o.x, o.weight, o.bias, Activation::none, o.y);
  report_flops(state, o.operations());
}

void linear(benchmark::State& state) {
  LinearOperands o(state);
  for (auto _ : state) o.backend->linear(o.x, o.weight, o.bias, Activation::none, o.y);
  report_flops(state, o.operations());
}

void linear_input_gradient(benchmark::State& state) {
  LinearOperands o(state);
  for (auto _ : state) o.backend->linear_input_gradient(o.y, o.weight, o.x, WriteMode::overwrite);
  report_flops(state, o.operations());
}

void linear_weight_gradient(benchmark::State& state) {
  LinearOperands o(state);
  for (auto _ : state)
    o.backend->linear_weight_gradient(o.y, o.x, 0, o.weight, &o.bias, WriteMode::overwrite);
  report_flops(state, o.operations());
}

void pack(benchmark::State& state) {
  LinearOperands o(state);
  for (auto _ : state) benchmark::DoNotOptimize(o.backend->pack(o.weight, Purpose::training));
}

void linear_sizes(benchmark::internal::Benchmark* benchmark) {
  for (int64_t rows : {1, 4, 64, 512, 2048})
    for (auto [out, in] : std::vector<std::pair<int64_t, int64_t>>{{256, 256},
                                                                   {1024, 256},
                                                                   {256, 1024},
                                                                   {8000, 256},
                                                                   {512, 512},
                                                                   {2048, 512},
                                                                   {512, 2048}})
      benchmark->Args({rows, out, in});
}
BENCHMARK(linear_packed)->Apply(linear_sizes);
BENCHMARK(linear)->Apply(linear_sizes);
BENCHMARK(linear_input_gradient)->Apply(linear_sizes);
BENCHMARK(linear_weight_gradient)->Apply(linear_sizes);
BENCHMARK(pack)->Args({1, 256, 256})->Args({1, 8000, 256});

// Arguments: sequences, queries of each, keys of each, heads, d_head, whether causal.
struct AttentionOperands {
  explicit AttentionOperands(const benchmark::State& state)
      : sequences(state.range(0)), query_count(state.range(1)), key_count(state.range(2)) {
    for (int64_t b = 0; b < sequences; ++b) {
      queries.add(query_count);
      keys.lengths.add(key_count);
    }
    options.scores.heads = state.range(3);
    const int64_t d = options.scores.heads * state.range(4);
    options.scores.scale = 1 / std::sqrt(double(state.range(4)));
    mask = state.range(5) != 0 ? Mask::causal : Mask::none;
    query = random_tensor({queries.rows(), d});
    key = random_tensor({keys.lengths.rows(), d});
    value = random_tensor({keys.lengths.rows(), d});
    out = Tensor(query.shape());
    dout = random_tensor(query.shape());
    logsumexp = Tensor({queries.rows(), options.scores.heads});
    dquery = Tensor(query.shape());
    dkey = Tensor(key.shape());
    dvalue = Tensor(key.shape());
  }
  AttentionInput input() const { return {query, key, value}; }
  AttentionLayout layout() const { return {queries, keys, mask}; }
  // Of one product over all pairs of query and key.
  double operations() const {
    return 2.0 * double(sequences * query_count * key_count) * double(query.columns());
  }

  int64_t sequences, query_count, key_count;
  std::unique_ptr<Backend> backend = make_cpu_backend();
  Ragged queries;
  KeyRows keys;
  Mask mask;
  AttentionOptions options;
  Tensor query, key, value, out, dout, logsumexp, dquery, dkey, dvalue;
};

void attention(benchmark::State& state) {
  AttentionOperands o(state);
  for (auto _ : state) o.backend->attention(o.input(), o.layout(), o.options, {o.out, o.logsumexp});
  report_flops(state, 2 * o.operations());
}

void attention_gradient(benchmark::State& state) {
  AttentionOperands o(state);
  o.options.dropout = {0.1f, 1};
  o.backend->attention(o.input(), o.layout(), o.options, {o.out, o.logsumexp});
  for (auto _ : state)
    o.backend->attention_gradient(o.dout, o.input(), o.layout(), o.options, {o.out, o.logsumexp},
                                  {o.dquery, o.dkey, o.dvalue});
  report_flops(state, 5 * o.operations());
}

void attention_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({4, 20, 20, 8, 32, 1})
      ->Args({4, 20, 20, 8, 64, 1})
      ->Args({64, 20, 20, 8, 32, 1})
      ->Args({64, 20, 20, 8, 64, 0})
      ->Args({4, 300, 300, 8, 64, 1})
      ->Args({1, 2048, 2048, 8, 64, 1});
}
BENCHMARK(attention)
    ->Apply(attention_sizes)
    ->Args({4, 1, 30, 8, 32, 0})
    ->Args({64, 4, 30, 8, 32, 0});
BENCHMARK(attention_gradient)->Apply(attention_sizes);

// Arguments: rows, columns.
void cross_entropy(benchmark::State& state) {
  const auto backend = make_cpu_backend();
  const int64_t rows = state.range(0), classes = state.range(1);
  Tensor logits = random_tensor({rows, classes}), losses({rows, 2});
  const Indices labels = std::vector<int32_t>(size_t(rows), 1);
  for (auto _ : state) backend->cross_entropy(logits, labels, 0, {0.1, 1e-3}, losses);
  state.SetItemsProcessed(state.iterations() * logits.size());
}
BENCHMARK(cross_entropy)->Args({128, 8000})->Args({128, 32000});

void top_k(benchmark::State& state) {
  const auto backend = make_cpu_backend();
  const Tensor logits = random_tensor({state.range(0), state.range(1)});
  for (auto _ : state) benchmark::DoNotOptimize(backend->top_k(logits, 5));
  state.SetItemsProcessed(state.iterations() * logits.size());
}
BENCHMARK(top_k)->Args({64, 8000});

void add_norm(benchmark::State& state) {
  const auto backend = make_cpu_backend();
  const Shape shape = {state.range(0), state.range(1)};
  const Tensor x = random_tensor(shape), sublayer = random_tensor(shape);
  const Tensor gain = random_tensor({shape[1]}), bias = random_tensor({shape[1]});
  Tensor sum(shape), y(shape), statistics({shape[0], 2});
  for (auto _ : state)
    backend->add_norm(x, sublayer, gain, bias, {1e-5, {0.1f, 3}}, sum, statistics, y);
  state.SetItemsProcessed(state.iterations() * x.size());
}
BENCHMARK(add_norm)->Args({1024, 256})->Args({1024, 512});

void add_norm_gradient(benchmark::State& state) {
  const auto backend = make_cpu_backend();
  const Shape shape = {state.range(0), state.range(1)};
  const Tensor dy = random_tensor(shape), sum = random_tensor(shape);
  const Tensor gain = random_tensor({shape[1]});
  Tensor dx(shape), dsublayer(shape), dgain({shape[1]}), dbias({shape[1]});
  const Tensor statistics = random_tensor({shape[0], 2});
  for (auto _ : state)
    backend->add_norm_gradient(dy, sum, statistics, gain, {1e-5, {0.1f, 3}},
                               {dx, WriteMode::overwrite, dsublayer, dgain, dbias});
  state.SetItemsProcessed(state.iterations() * dy.size());
}
BENCHMARK(add_norm_gradient)->Args({1024, 256})->Args({1024, 512});

void adam(benchmark::State& state) {
  const auto backend = make_cpu_backend();
  const Shape shape = {state.range(0)};
  const Tensor gradient = random_tensor(shape, 1e-3);
  Tensor parameter = random_tensor(shape), m(shape), v(shape);
  AdamStep step;
  step.learning_rate = 1e-4;
  for (auto _ : state) backend->adam(step, gradient, parameter, m, v, nullptr);
  state.SetItemsProcessed(state.iterations() * shape[0]);
}
BENCHMARK(adam)->Arg(1 << 14)->Arg(1 << 22);

}  // namespace
}  // namespace heed
