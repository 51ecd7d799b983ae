// heed bench: the speed of the machine, and of heed as a share of it.
#include <algorithm>
#include <chrono>
#include <deque>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "commands/commands.h"
#include "files/outputs.h"
#include "heed/backend/compute.h"
#include "heed/backend/cpu/cpu_backend.h"
#include "heed/core/counted.h"
#include "heed/core/parallel.h"
#include "heed/decode/search.h"
#include "heed/model/sequence_model.h"
#include "heed/pages/model_page.h"
#include "heed/run/run_settings.h"
#include "heed/tasks/translation_task.h"
#include "heed/train/adam.h"
#include "heed/train/gradients.h"
#include "layers/table1_page.h"

namespace heed {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

enum class Part { machine, kernels, training, decoding, layers };
constexpr auto enum_names(Part) {
  return std::array<std::pair<std::string_view, Part>, 5>{{{"machine", Part::machine},
                                                           {"kernels", Part::kernels},
                                                           {"training", Part::training},
                                                           {"decoding", Part::decoding},
                                                           {"layers", Part::layers}}};
}

struct BenchSettings {
  std::optional<Part> part;
  Preset preset = Preset::small;
  std::optional<int64_t> heads;
  FeedForwardKind activation = ModelConfig().activation;
  Variants variants;
  int64_t vocabulary_size = 8000;
  Device device = Device::cpu;
  ComputeChoice compute = ComputeChoice::automatic;
  int64_t length = 15;
  int64_t batch_tokens = 4096;
  int64_t beam = 4;
  int64_t max_length = LayerTimeOptions().max_length;
  int64_t window = LayerSizes().window;
  int64_t kernel_width = LayerSizes().kernel_width;
  std::string html;
  double seconds = 1;
  std::optional<int64_t> threads;
  bool json = false;

  static void visit(auto& self, auto&& v) {
    v.group("Benchmark");
    v("part", self.part, {.help = "Measure only this part", .default_text = "all"});
    v("preset", self.preset, {.help = "Model preset"});
    v("heads", self.heads,
      {.help = "Number of attention heads; must divide the preset's d_model",
       .default_text = "by preset",
       .minimum = 1,
       .maximum = 65536});
    v("activation", self.activation, {.help = "Activation function of the feed-forward networks"});
    v("vocabulary_size", self.vocabulary_size,
      {.help = "Vocabulary size", .unit = "tokens", .minimum = 100, .maximum = 1 << 20});
    v("device", self.device, kDeviceOption);
    v("compute", self.compute,
      {.help = "Compute type of matrix products; auto: what train and translate would choose"});
    v("length", self.length,
      {.help = "Sentence length, </s> included", .unit = "tokens", .minimum = 2, .maximum = 4096});
    v("batch_tokens", self.batch_tokens,
      {.help = "Maximum number of source tokens in a training batch, and in each thread's decoding "
               "batch",
       .unit = "tokens",
       .minimum = 1,
       .maximum = 1 << 20});
    v("beam", self.beam, {.help = "Beam size", .minimum = 1, .maximum = 64});
    Variants::visit(self.variants, v);
    v.group("Layers of the paper's Table 1");
    v("max_length", self.max_length,
      {.help = "Longest sequence: lengths are 16 and its doublings up to this",
       .unit = "tokens",
       .minimum = 16,
       .maximum = 1 << 14});
    v("window", self.window,
      {.help = "Restricted self-attention: greatest distance of a key from its query, so that "
               "the paper's r is twice that plus 1",
       .unit = "tokens",
       .minimum = 0,
       .maximum = 1 << 14});
    v("kernel_width", self.kernel_width,
      {.help = "Convolutional layer: kernel width, the paper's k",
       .unit = "tokens",
       .minimum = 2,
       .maximum = 64});
    v("html", self.html,
      {.help = "Also write an HTML page with charts of the layers to this file", .value = "FILE"});
    v.group("Measurement");
    v("seconds", self.seconds,
      {.help = "Time per measurement", .unit = "seconds", .maximum = 3600, .above = 0});
    v("threads", self.threads, kThreadCountOption);
    v("json", self.json, {.help = "Print one JSON object"});
  }
};

// Runs f until `seconds` have passed, at least twice; the first does not count. Seconds of one run.
// `wait`: until a device has done what the runs asked of it.
template <class F>
double time_of(
    double seconds, F&& f, const std::function<void()>& wait = [] {}) {
  f();
  wait();
  int64_t runs = 0;
  const auto start = Clock::now();
  std::chrono::duration<double> spent{};
  do {
    f();
    if (++runs % 16 == 0) wait();
    spent = Clock::now() - start;
  } while (spent.count() < seconds);
  wait();
  spent = Clock::now() - start;
  return spent.count() / double(runs);
}

class Benchmark {
 public:
  Benchmark(const BenchSettings& settings, Console& console)
      : settings_(settings),
        console_(console),
        threads_(int(
            settings.threads.value_or(settings.device == Device::cpu ? available_threads() : 1))) {}

  void run() {
    check_html();
    PageFile page(settings_.html, {}, console_);
    check_variant();
    const auto wanted = [&](Part part) { return settings_.part.value_or(part) == part; };
    if (wanted(Part::machine)) machine();
    if (wanted(Part::kernels)) kernels();
    if (wanted(Part::training)) training();
    if (wanted(Part::decoding)) decoding();
    if (wanted(Part::layers)) layers();
    if (settings_.json) console_.out().write(report_.dump() + "\n");
    page.write([&] { return layers_html(table1_); }, "page with charts");
  }

 private:
  void print(const std::string& text) {
    if (settings_.json) return;
    console_.out().write(text);
    console_.out().flush();
  }

  // One figure, as a line or for the JSON object. `share` of the peak, where it has one.
  void tell(const std::string& part, const std::string& what, double value, const char* unit,
            std::optional<double> share = {}) {
    Json& figure =
        report_[part].emplace_back(Json{{"what", what}, {"value", value}, {"unit", unit}});
    if (share) figure["share_of_peak"] = *share;
    print(fmt::format("{:<9} {:<44} {:>10.4g} {}{}\n", part, what, value, unit,
                      share ? fmt::format(", {:.0f}% of peak", *share * 100) : ""));
  }

  // int8 is for decoding alone: of all parts, or of kernels, those of training have another type.
  std::unique_ptr<Backend> backend(Purpose purpose) const {
    const bool trains = settings_.part == Part::training || settings_.part == Part::layers;
    if (purpose == Purpose::training && settings_.compute == ComputeChoice::int8 && !trains)
      return make_backend({ComputeChoice::automatic, settings_.device}, purpose);
    return make_backend({settings_.compute, settings_.device}, purpose);
  }

  // Runs `task` on all threads and returns the sum of their results.
  double on_all(const std::function<double()>& task) const {
    Workers workers(threads_);
    std::vector<double> values(size_t(threads_), 0);
    workers.run(threads_, [&](int64_t i, int) { values[size_t(i)] = task(); });
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  double peak_of(DType compute) const {
    return on_all([&] { return measure_cpu_peak(compute); });
  }

  // That of operations in a second; a GPU's peak is not measured.
  std::optional<double> share_of_peak(double rate, const Backend& backend, int threads) const {
    if (settings_.device != Device::cpu) return {};
    const DType compute = backend.compute_type();
    return rate / (threads == 1 ? measure_cpu_peak(compute) : peak_of(compute));
  }

  void machine() {
    for (const DType type : {DType::fp32, DType::bf16, DType::int8}) {
      tell("machine", fmt::format("{} multiply-adds, one thread", heed::name(type)),
           measure_cpu_peak(type) / 1e9, "GFLOP/s");
      tell("machine",
           fmt::format("{} multiply-adds, {}", heed::name(type),
                       detail::counted(threads_, "thread")),
           peak_of(type) / 1e9, "GFLOP/s");
    }
    const auto backend = make_cpu_backend();
    for (const auto& [name, bytes] : std::vector<std::pair<std::string, int64_t>>{
             {"256 KiB", 256 << 10}, {"4 MiB", 4 << 20}, {"256 MiB", 256 << 20}}) {
      const double rate = on_all([&, size = bytes] {
        const Tensor x = random_values({std::min<int64_t>(size / 4, 1 << 20)}, 1);
        // Larger than the caches, in which the same values would remain.
        Tensor all = size / 4 > x.size() ? Tensor({size / 4}) : x;
        std::fill_n(all.data<float>(), all.size() > x.size() ? all.size() : 0, 1.0f);
        return double(all.byte_count()) /
               time_of(settings_.seconds / 4, [&] { backend->sum_of_squares(all); });
      });
      tell("machine",
           fmt::format("sums of squares of {} a thread, {}", name,
                       detail::counted(threads_, "thread")),
           rate / 1e9, "GB/s");
    }
  }

  void kernels() {
    const ModelConfig model = config();
    const auto trains = backend(Purpose::training), infers = backend(Purpose::inference);
    const std::vector<std::pair<int64_t, int64_t>> weights = {
        {model.d_model, model.d_model},
        {model.d_ff, model.d_model},
        {model.d_model, model.d_ff},
        {model.output_vocabulary_size, model.d_model}};
    for (const auto& [out, in] : weights) {
      for (const int64_t rows : {1, 64, 1024}) product(*infers, "y = x W^T", rows, out, in);
      product(*trains, "y = x W^T", 1024, out, in);
      product(*trains, "dx = dy W", 1024, out, in);
      product(*trains, "dW = dy^T x", 1024, out, in);
    }
  }

  void product(Backend& backend, const std::string& what, int64_t rows, int64_t out, int64_t in) {
    Tensor x = random_values({rows, in}, 1), y = random_values({rows, out}, 2),
           weight = random_values({out, in}, 3), other = random_values({out, in}, 4);
    const bool backward = what != "y = x W^T";
    for (Tensor* tensor : {&x, &y, &weight, &other}) tensor->move_to(backend.memory());
    weight.storage()->packed =
        backend.pack(weight, backward ? Purpose::training : Purpose::inference);
    const auto multiply = [&] {
      if (what == "dx = dy W")
        backend.linear_input_gradient(y, weight, x, WriteMode::overwrite);
      else if (backward)
        backend.linear_weight_gradient(y, x, 0, other, nullptr, WriteMode::overwrite);
      else
        backend.linear(x, weight, Tensor(), Activation::none, y);
    };
    const double seconds =
        time_of(settings_.seconds / 4, multiply, [&] { to_host(y.slice(0, 1)); });
    const double rate = 2.0 * double(rows) * double(out) * double(in) / seconds;
    tell("kernels",
         fmt::format("{} {}: {} x ({}, {})", heed::name(backend.compute_type()), what, rows, out,
                     in),
         rate / 1e9, "GFLOP/s", share_of_peak(rate, backend, 1));
  }

  ModelConfig config() const {
    TrainOptions options;
    options.preset = settings_.preset;
    options.heads = settings_.heads;
    options.activation = settings_.activation;
    options.variants = settings_.variants;
    ModelConfig config =
        model_config(options, settings_.vocabulary_size, settings_.vocabulary_size - 1);
    config.max_positions = std::max(config.max_positions, settings_.length + 1);
    return config;
  }

  // ", heads 8, key_value_heads 1": how the model differs from its preset.
  std::string variant() const {
    std::string text;
    for (const OptionDifference& d : differences(BenchSettings(), settings_)) {
      const bool is_variant = d.name == "heads" || d.name == "activation";
      Variants variants;
      if (is_variant || find_option(options_of(variants), d.name) != nullptr)
        text += fmt::format(", {} {}", d.name, d.right);
    }
    return text;
  }

  // Operations of one pass over a source and a target token.
  double operations() const {
    const ModelCost sum = totals(model_parts(config(), settings_.length));
    return 2 * (sum.source_work + sum.target_work);
  }

  std::vector<TokenId> sentence(Random& random) const {
    std::vector<TokenId> ids;
    for (int64_t i = 0; i + 1 < settings_.length; ++i)
      ids.push_back(TokenId(2 + random.below(uint64_t(settings_.vocabulary_size - 3))));
    return ids;
  }

  void training() {
    const auto backend = this->backend(Purpose::training);
    Workers workers(threads_);
    SequenceModel model = random_model(config(), 1);
    model.move_to(backend->memory());
    TranslationTask task(std::move(model), TrainOptions::kDefaultLabelSmoothing);
    GradientTree tree(task.parameters(), task.linear_layers(), *backend, workers);
    Adam adam(task.parameters(), *backend, workers);
    pack(adam.parameters(), *backend, Purpose::training, &workers);
    GradientTree::Request request;
    request.shards = settings_.device == Device::cpu ? TrainOptions::kDefaultShards : 1;
    const int64_t pairs = std::max<int64_t>(1, settings_.batch_tokens / settings_.length);
    const int64_t target_tokens = pairs * settings_.length;
    request.loss = [&](ForwardPass& pass, int64_t, int64_t shard) {
      Random random{uint64_t(shard)};
      std::vector<Example> examples;
      for (int64_t i = shard; i < pairs; i += request.shards) {
        const auto source = sentence(random), target = sentence(random);
        examples.push_back({source, target});
      }
      return task.loss(pass, examples, 1.0 / double(target_tokens));
    };
    AdamStep step;
    step.learning_rate = 1e-4;
    if (backend->tuning().defers_gradients &&
        DeferredGradients::is_faster(double(target_tokens), task.model().config().d_model))
      request.consume = [&](size_t parameter, int64_t begin, const Tensor& gradient) {
        adam.update_part(step, parameter, begin, gradient);
      };
    const double seconds = time_of(settings_.seconds, [&] {
      tree.compute(request);
      adam.update(step, tree.gradient(), tree.offsets());
      pack(adam.parameters(), *backend, Purpose::training, &workers);
      ++step.step;
    });
    const double tokens = double(target_tokens) / seconds;
    tell("training",
         fmt::format("{}, batches of {} tokens{}", backend->name(), target_tokens, variant()),
         tokens, "tokens/s", share_of_peak(3 * operations() * tokens, *backend, threads_));
  }

  void decoding() {
    const auto backend = this->backend(Purpose::inference);
    auto model = random_model(config(), 1);
    model.move_to(backend->memory());
    pack(model, *backend, Purpose::inference);
    const ModelConfig& c = model.config();
    if (!c.is_recurrent())
      tell("decoding", "KV cache of a token on one side, all layers",
           double(c.decoder_layers * (c.key_columns() + c.value_columns()) *
                  size_of(backend->cache_type(DType::fp32))),
           "bytes");
    for (const int64_t beam : {int64_t{1}, settings_.beam}) {
      decode({model, *backend}, beam, settings_.batch_tokens, threads_);
      if (beam == 1) decode({model, *backend}, beam, settings_.length, 1);
      if (settings_.beam == 1) break;
    }
  }

  void decode(const ModelOnBackend& on, int64_t beam, int64_t batch_tokens, int threads) {
    const Backend& backend = on.backend;
    SearchOptions options;
    options.beam = beam;
    options.max_length = options.min_length = settings_.length;
    const int64_t lines = std::max<int64_t>(1, batch_tokens / settings_.length);
    // Searches keep their caches, as those of a Translator do.
    std::deque<Search> searches;
    for (int i = 0; i < threads; ++i)
      searches.emplace_back(make_steps(on), on.backend, SearchLimits{beam, batch_tokens});
    Workers workers(threads);
    const double seconds = time_of(settings_.seconds, [&] {
      workers.run(threads, [&](int64_t i, int) {
        Random random{uint64_t(i)};
        std::vector<std::vector<TokenId>> sources;
        for (int64_t k = 0; k < lines; ++k) {
          sources.push_back(sentence(random));
          sources.back().push_back(on.model.config().end_id());
        }
        search(searches[size_t(i)], options, sources);
      });
    });
    const double tokens = double(lines * threads * settings_.length) / seconds;
    const ModelCost sum = totals(model_parts(config(), settings_.length));
    const double work = 2 * (sum.source_work + double(beam) * sum.target_work);
    tell("decoding",
         fmt::format("{}, beam {}, {} a thread, {}{}", backend.name(), beam,
                     detail::counted(lines, "sentence"), detail::counted(threads, "thread"),
                     variant()),
         tokens, "tokens/s", share_of_peak(work * tokens, backend, threads));
  }

  void check_html() const {
    if (!settings_.html.empty() && settings_.part.value_or(Part::layers) != Part::layers)
      fail_usage(
          "--html {}: charts are of the layers; expected --part layers, or no --part, got {}",
          settings_.html, to_text(*settings_.part));
  }

  // Options of the model belong to what runs a model.
  void check_variant() const {
    const Part part = settings_.part.value_or(Part::training);
    if (part == Part::training || part == Part::decoding || variant().empty()) return;
    fail_usage(
        "--part {} measures no variant of the model: expected --part training or decoding with the "
        "options{}",
        to_text(part), variant().substr(1));
  }

  void layers() {
    const auto backend = this->backend(Purpose::training);
    const ModelConfig model = preset(to_text(settings_.preset));
    table1_ = {to_text(settings_.preset),
               backend->name(),
               {model.d_model, model.heads, settings_.window, settings_.kernel_width}};
    print(layers_heading(table1_));
    table1_.times =
        measure_layers(*backend, table1_.sizes, {settings_.max_length, settings_.seconds / 4},
                       [&](const LayerTime& time) { print(layer_line(table1_.sizes, time)); });
    print(layers_summary(table1_.times));
    report_["layers"] = layers_json(table1_);
  }

  const BenchSettings& settings_;
  Console& console_;
  const int threads_;
  Json report_ = Json::object();
  MeasuredTable1 table1_;
};

int run_bench(const BenchSettings& settings, const Words&, Console& console) {
  Benchmark(settings, console).run();
  return 0;
}

}  // namespace

Command make_bench_command() {
  return with_settings(
      run_bench,
      {.name = "bench",
       .summary = "Measures the speed of this machine and of heed",
       .description =
           "Measures the peak of the machine in each compute type and the bandwidth of its caches "
           "and memory; then matrix products, training steps and beam search at a preset's sizes "
           "with random weights, each with its share of the peak. Since the speed of a shared "
           "machine varies, peaks are measured again next to each figure. The last part, layers, "
           "is Table 1 of the paper: self-attention, recurrent (LSTM), convolutional and "
           "restricted self-attention layers of the preset's width, forward and backward, on "
           "sequences of doubling length."});
}

}  // namespace heed
