#include "layers/table1.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace heed {
namespace {

constexpr int64_t kShortest = 16;

// Keys that the queries of a sequence see in total.
int64_t visible_keys(int64_t n, int64_t window) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i)
    count += std::min(i + window, n - 1) - std::max<int64_t>(i - window, 0) + 1;
  return count;
}

// Processor seconds of the calling thread: unlike the time of day without those in which another
// program has the core.
double processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double time_of_runs(int64_t runs, const std::function<void()>& f) {
  const double start = processor_time();
  for (int64_t run = 0; run < runs; ++run) f();
  return (processor_time() - start) / double(runs);
}

// Processor time of a run of f: the least of those measured within `seconds`, three at least, since
// what else the machine does can only add to it. Each is the mean of as many runs as take a
// millisecond.
double least_time(double seconds, const std::function<void()>& f) {
  using Clock = std::chrono::steady_clock;
  constexpr double kResolution = 1e-3;
  f();
  double least = time_of_runs(1, f);
  const int64_t runs = std::clamp<int64_t>(int64_t(kResolution / std::max(least, 1e-9)), 1, 1000);
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (int measured = 0; measured < 3 || Clock::now() < end; ++measured)
    least = std::min(least, time_of_runs(runs, f));
  return least;
}

}  // namespace

const LayerComplexity& complexity(LayerKind kind) {
  static constexpr std::array<LayerComplexity, kLayerKinds.size()> kTable{{
      {"Self-attention", "O(n^2 d)", "O(1)", "O(1)"},
      {"Recurrent (LSTM)", "O(n d^2)", "O(n)", "O(n)"},
      {"Convolutional", "O(k n d^2)", "O(1)", "O(log_k(n))"},
      {"Self-attention (restricted)", "O(r n d)", "O(1)", "O(n/r)", true},
      {"Self-attention, projected", "O(n^2 d + n d^2)", "O(1)", "O(1)", false, true},
      {"Restricted, projected", "O(r n d + n d^2)", "O(1)", "O(n/r)", true, true},
  }};
  return kTable[size_t(kind)];
}

int64_t multiply_adds(LayerKind kind, const LayerSizes& sizes, int64_t n) {
  const int64_t d = sizes.d_model;
  // Four gates, each of the input and of the state.
  if (kind == LayerKind::recurrent) return 8 * n * d * d;
  if (kind == LayerKind::convolutional) return sizes.kernel_width * n * d * d;
  const LayerComplexity& row = complexity(kind);
  const int64_t seen = row.restricted ? visible_keys(n, sizes.window) : n * n;
  // Scores and weighted sums.
  return 2 * seen * d + (row.projected ? 4 * n * d * d : 0);
}

int64_t sequential_operations(LayerKind kind, int64_t n) {
  return kind == LayerKind::recurrent ? n : 1;
}

int64_t maximum_path_length(LayerKind kind, const LayerSizes& sizes, int64_t n) {
  if (kind == LayerKind::recurrent) return n;
  if (complexity(kind).restricted) return (n + sizes.neighborhood() - 1) / sizes.neighborhood();
  int64_t layers = 1;
  if (kind == LayerKind::convolutional)
    for (int64_t reach = sizes.kernel_width; reach < n; reach *= sizes.kernel_width) ++layers;
  return layers;
}

std::unique_ptr<SequenceLayer> make_layer(LayerKind kind, Backend& backend, const LayerSizes& sizes,
                                          const SequenceShape& shape) {
  if (kind == LayerKind::recurrent) return std::make_unique<Lstm>(backend, shape);
  if (kind == LayerKind::convolutional)
    return std::make_unique<Convolution>(backend, shape, sizes.kernel_width);
  using Projections = SelfAttention::Projections;
  const LayerComplexity& row = complexity(kind);
  return std::make_unique<SelfAttention>(
      backend, shape, sizes.heads, row.restricted ? std::optional(sizes.window) : std::nullopt,
      row.projected ? Projections::all : Projections::none);
}

std::vector<LayerTime> measure_layers(Backend& backend, const LayerSizes& sizes,
                                      const LayerTimeOptions& options,
                                      const std::function<void(const LayerTime&)>& report) {
  std::vector<LayerTime> times;
  for (int64_t n = kShortest; n <= options.max_length; n *= 2) {
    const SequenceShape shape{n, sizes.d_model};
    const Tensor x = random_values({n, sizes.d_model}, 1),
                 dy = random_values({n, sizes.d_model}, 2);
    for (const LayerKind kind : kLayerKinds) {
      const auto layer = make_layer(kind, backend, sizes, shape);
      LayerTime& time = times.emplace_back(LayerTime{kind, n, 0, 0});
      time.forward = least_time(options.seconds, [&] { layer->forward(x); });
      time.forward_backward = least_time(options.seconds, [&] {
        layer->forward(x);
        layer->backward(dy);
      });
      report(time);
    }
  }
  return times;
}

}  // namespace heed
