// The interface between the model and a device: about forty kernels, each a pure function of its
// operands, and the memory of these operands. A new device implements the kernels in a directory of
// its own.
//
// Conventions
// - All tensors of a call have one dtype, except cached keys and values (cache_type()), and are in
//   Backend::memory(), which only kernels and the functions of core/tensor.h (copy, to_host,
//   fill_zeros) read and write. Integers (Indices) and options are on the host; a device reads its
//   own copy of the integers (Indices::data_in).
// - Matrices are [rows, columns], contiguous.
// - Outputs are allocated by the caller and passed as Tensor& (optional ones as Tensor*, null: not
//   wanted); inputs are const, and one that a call does without is an empty Tensor ("or none").
//   `WriteMode` says whether a gradient overwrites the output's values or is added to them.
// - A row of a result depends on that row's operands only: not on the other rows of the call, their
//   number, or threads. The order of a sum depends on its length and the instruction set alone.
// - Kernels run on the calling thread; parallelism is over shards and sentences, above this layer.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/backend/attention_steps.h"
#include "heed/backend/head_rows.h"
#include "heed/backend/kinds.h"
#include "heed/backend/recurrent.h"
#include "heed/core/ragged.h"
#include "heed/core/rng.h"
#include "heed/core/tensor.h"

namespace heed {

// The use of a model. Training needs gradients: weights are packed for linear() and for its
// input gradient.
enum class Purpose { inference, training };

// The keys of each sequence, and the row that each of them has in the key and value tensors.
struct KeyRows {
  Ragged lengths;  // how many keys each sequence has
  Indices rows;    // [lengths.rows()] the row of each key in the tensors; empty: key i is row i

  int64_t row(int64_t i) const { return rows.empty() ? i : rows[size_t(i)]; }
};

// The keys [begin, end) of a sequence.
struct KeyRange {
  int64_t begin, end;

  bool empty() const { return begin >= end; }
};

// The keys that each query attends to: those of its own sequence. Under Mask::causal the queries
// are the last positions of the sequence, and query i of n attends to the first (keys - n + i + 1)
// keys.
struct AttentionLayout {
  const Ragged& queries;
  const KeyRows& keys;
  Mask mask = Mask::none;
  // [query rows] the position of each query among its keys, for windows and scores by distance;
  // null: under Mask::causal the last positions of the sequence, otherwise query i is at position
  // i.
  const Indices* positions = nullptr;

  // How many keys query i of sequence b attends to, from the first one.
  int64_t visible_keys(int64_t b, int64_t i) const {
    const int64_t count = keys.lengths.length(b);
    if (mask == Mask::none) return count;
    return std::clamp<int64_t>(count - queries.length(b) + i + 1, 0, count);
  }
  // The position of query i of sequence b, at most that of the last key, since in cross-attention a
  // target may be longer than its source. Negative for a query that attends to no key.
  int64_t position(int64_t b, int64_t i) const {
    const int64_t count = keys.lengths.length(b);
    const int64_t offset = mask == Mask::causal ? count - queries.length(b) : 0;
    const int64_t own =
        positions ? (*positions)[size_t(queries.offsets[size_t(b)] + i)] : i + offset;
    return std::min(own, count - 1);
  }
  // The keys that query i of sequence b attends to. With a window they are at most that far from
  // its position.
  KeyRange visible(int64_t b, int64_t i, const std::optional<int64_t>& window) const {
    const int64_t end = visible_keys(b, i);
    if (!window) return {0, end};
    const int64_t reach = std::min(*window, keys.lengths.length(b)), center = position(b, i);
    return {std::clamp<int64_t>(center - reach, 0, end),
            std::clamp<int64_t>(center + reach + 1, 0, end)};
  }
};

// Q, K and V of equation 1: query [query rows, heads * d_key], key [any rows, key-value heads *
// d_key], value [any rows, key-value heads * d_value]; keys and values both with the query's dtype
// or both with Backend::cache_type(), which may differ from it.
struct AttentionInput {
  const Tensor &query, &key, &value;
};

// The heads of an attention and their widths, as the columns of its operands imply them. The number
// of key-value heads divides that of heads, each of which has its own queries: query heads
// [g * group, (g + 1) * group) attend to key-value head g. With as many key-value heads as heads
// this is multi-head attention, with one it is multi-query attention (Shazeer, 2019), otherwise
// grouped-query attention (Ainslie et al., 2023).
struct AttentionHeads {
  AttentionHeads(const AttentionInput& input, int64_t heads)
      : count(heads),
        d_key(input.query.columns() / heads),
        key_value(input.key.columns() / d_key),
        d_value(input.value.columns() / key_value),
        group(count / key_value) {}

  int64_t count;      // number of query heads
  int64_t d_key;      // columns of a head's query and key
  int64_t key_value;  // number of key-value heads
  int64_t d_value;    // columns of a head's value and output
  int64_t group;      // heads that share a key-value head
};

struct AttentionOutput {
  Tensor& out;        // [query rows, heads * d_value]
  Tensor& logsumexp;  // [query rows, heads]: log(sum over keys of exp(logit))
  // Null, or [attention_weight_count(layout, heads)]: the attention weights that the values were
  // multiplied by, after dropout; for each sequence [heads, queries, keys], one after the other. A
  // masked key has 0.
  Tensor* weights = nullptr;
};

// The results of attention() that its gradient needs.
struct AttentionForward {
  const Tensor &out, &logsumexp;
};

// Elements of AttentionOutput::weights.
inline int64_t attention_weight_count(const AttentionLayout& layout, int64_t heads) {
  int64_t count = 0;
  for (int64_t b = 0; b < layout.queries.count(); ++b)
    count += heads * layout.queries.length(b) * layout.keys.lengths.length(b);
  return count;
}

struct AttentionGradient {
  Tensor& dquery;         // overwritten
  Tensor &dkey, &dvalue;  // overwritten; each row must belong to exactly one sequence
};

// The slope of head `head`, counted from 0, of `heads`: a geometric sequence that ends at 2^-8.
inline double alibi_slope(int64_t head, int64_t heads) {
  return std::exp2(-8 * double(head + 1) / double(heads));
}

// The scores of attention, section 3.2: head h of the query has the columns
// [h * d_key, (h + 1) * d_key); its scores Q K^T are multiplied by `scale`.
struct AttentionScores {
  int64_t heads = 1;
  double scale = 1;
  // Queries attend to keys at most this far from their position (AttentionLayout::visible).
  std::optional<int64_t> window = {};
  ScoreBias bias = ScoreBias::none;
};

// Options of the attention kernels.
struct AttentionOptions {
  AttentionScores scores;
  Dropout dropout;  // on the attention weights, element dropout_index(row, head) + key

  int64_t dropout_index(int64_t row, int64_t head) const {
    return weight_dropout_index(row, head, scores.heads);
  }
};

struct NormOptions {
  double epsilon = 1e-5;
  Dropout dropout;  // on the sub-layer's output, element row * columns + column
  NormKind kind = NormKind::layer;
};

struct AddNormGradient {
  Tensor& dx;  // overwritten or added to, by `mode`
  WriteMode mode;
  Tensor& dsublayer;      // overwritten; an empty Tensor where there was no sub-layer
  Tensor &dgain, &dbias;  // added to; dbias is an empty Tensor for a norm without bias
};

struct CrossEntropyOptions {
  double smoothing = 0;       // epsilon, distributed evenly over all classes
  double gradient_scale = 0;  // factor of the gradient; 0: no gradient, logits are not written
};

// One step of Adam (section 5.3), or of AdamW. `learning_rate` is the rate of this step, `step`
// counts from 1.
struct AdamStep {
  double learning_rate = 0, beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  double gradient_scale = 1;  // the gradient is multiplied by it first (clipping)
  int64_t step = 1;
  double weight_decay = 0;  // subtracts learning_rate * weight_decay * parameter too
  double ema_decay = 0;     // of the exponential moving average (EMA) of the parameter
};

// The k most probable ids of each row, best first (ties: lower id first), and their
// log-probabilities.
struct TopK {
  std::vector<TokenId> ids;              // [rows * k]
  std::vector<float> log_probabilities;  // [rows * k]
};

// The kernels of a backend: functions of their operands, called like member functions
// (backend.linear(x, ...)). Their signatures are declared here, and defined once by each backend.
struct Kernels : HeadRowKernels, AttentionStepKernels, RecurrentKernels {
  // Packs a weight [out, in] for linear() and, for training, its input gradient; may return null.
  // If the weight's present packed form has no other owner, it may be updated and returned. Attach
  // the result to the storage of a whole tensor: weight.storage()->packed.
  std::function<std::shared_ptr<const PackedWeight>(const Tensor& weight, Purpose purpose)> pack;
  // The bytes of the packed form of a weight of this shape.
  std::function<int64_t(const Tensor& weight, Purpose purpose)> packed_bytes;
  // The bytes of scratch memory that the kernels keep on each thread for matrices of up to
  // `columns` columns.
  std::function<int64_t(int64_t columns)> scratch_bytes;

  // out[r] = dropout(scale * table[ids[r]] + positions[position of r]).
  // table [vocabulary, d], positions [limit, d] or none, out [rows, d]. A table whose
  // values were released after packing is read through its packed form.
  std::function<void(const Tokens& tokens, const Tensor& table, const Tensor& positions,
                     double scale, const Dropout& dropout, Tensor& out)>
      embed;
  // dtable[ids[r]] += scale * dropout(dout[r]), skipping ids equal to `padding_id`.
  std::function<void(const Tokens& tokens, const Tensor& dout, double scale, const Dropout& dropout,
                     TokenId padding_id, Tensor& dtable)>
      embed_gradient;

  // y = activation(x W^T + b). x [rows, in], weight [out, in], bias [out] or none, y [rows, out].
  std::function<void(const Tensor& x, const Tensor& weight, const Tensor& bias,
                     Activation activation, Tensor& y)>
      linear;
  // dx = dy W.
  std::function<void(const Tensor& dy, const Tensor& weight, Tensor& dx, WriteMode mode)>
      linear_input_gradient;
  // dweight = dy^T x, dbias = column sums of dy: for the outputs [first, first + dweight.rows()).
  // dbias may be null.
  std::function<void(const Tensor& dy, const Tensor& x, int64_t first, Tensor& dweight,
                     Tensor* dbias, WriteMode mode)>
      linear_weight_gradient;

  // y = activation(x). x and y may be the same tensor.
  std::function<void(Activation activation, const Tensor& x, Tensor& y)> activate;
  // dx = dy * activation'(x). For relu x may be the activation's output. dy and dx may be the
  // same tensor.
  std::function<void(Activation activation, const Tensor& x, const Tensor& dy, Tensor& dx)>
      activation_gradient;

  // y[i] = x[i] * dropout.scale(), or 0 if element i is dropped. The gradient is the same function.
  // x and y may be the same tensor.
  std::function<void(const Tensor& x, const Dropout& dropout, Tensor& y)> dropout;

  // sum = x + dropout(sublayer); y = gain * (sum - mean) / sqrt(variance + epsilon) + bias.
  // statistics [rows, 2]: mean and 1 / sqrt(variance + epsilon). `sum` may be `sublayer`. Without a
  // sub-layer (none) x is normalized, and `sum` is not written. A norm of any
  // kind may have no bias. The mean of NormKind::rms counts as 0.
  std::function<void(const Tensor& x, const Tensor& sublayer, const Tensor& gain,
                     const Tensor& bias, const NormOptions& options, Tensor& sum,
                     Tensor& statistics, Tensor& y)>
      add_norm;
  // `sum` is what was normalized.
  std::function<void(const Tensor& dy, const Tensor& sum, const Tensor& statistics,
                     const Tensor& gain, const NormOptions& options,
                     const AddNormGradient& gradient)>
      add_norm_gradient;

  // cache[rows[i]] = x[i], rounded to the cache's type. x [n, d], cache [any rows, d].
  std::function<void(const Tensor& x, const Indices& rows, Tensor& cache)> write_cache;

  // out = softmax(scale * Q K^T + bias) V per head and sequence (equation 1), with dropout on the
  // weights. The output of a query that attends to no key is zero, and its logsumexp -infinity.
  std::function<void(const AttentionInput& input, const AttentionLayout& layout,
                     const AttentionOptions& options, const AttentionOutput& output)>
      attention;
  // Keys and values have the query's dtype. `forward` is what attention() computed. The gradient of
  // a key-value head is the sum over its heads, in their order.
  std::function<void(const Tensor& dout, const AttentionInput& input, const AttentionLayout& layout,
                     const AttentionOptions& options, const AttentionForward& forward,
                     const AttentionGradient& gradient)>
      attention_gradient;

  // For each row r, whose label y is labels[first + r]: smoothed loss = -sum_v q(v) log p(v), where
  // q gives 1 - epsilon to y and epsilon / classes to every class; and its negative log-likelihood
  // -log p(y). If gradient_scale is not 0, logits are replaced by gradient_scale * (p - q).
  // losses [rows, 2]: smoothed, nll.
  std::function<void(Tensor& logits, const Indices& labels, int64_t first,
                     const CrossEntropyOptions& options, Tensor& losses)>
      cross_entropy;

  // The top k of each row of logits [rows, classes]; 1 <= k <= classes.
  std::function<TopK(const Tensor& logits, int64_t k)> top_k;

  // y += x.
  std::function<void(const Tensor& x, Tensor& y)> add;
  // The sum of squares, in double, in an order that the size and the instruction set fix; not
  // finite if an element is not.
  std::function<double(const Tensor& x)> sum_of_squares;
  // first_moment, second_moment: updated in place with the parameter. ema may be null: else
  // ema = ema_decay * ema + (1 - ema_decay) * parameter, as it is after the step.
  std::function<void(const AdamStep& step, const Tensor& gradient, Tensor& parameter,
                     Tensor& first_moment, Tensor& second_moment, Tensor* ema)>
      adam;

  // Calls f(name, kernel) for each of them.
  void visit_kernels(auto&& f) {
    f("pack", pack), f("packed_bytes", packed_bytes), f("scratch_bytes", scratch_bytes);
    f("embed", embed), f("embed_gradient", embed_gradient);
    f("linear", linear), f("linear_input_gradient", linear_input_gradient);
    f("linear_weight_gradient", linear_weight_gradient);
    f("activate", activate), f("activation_gradient", activation_gradient), f("dropout", dropout);
    f("add_norm", add_norm), f("add_norm_gradient", add_norm_gradient);
    f("write_cache", write_cache), f("attention", attention);
    f("attention_gradient", attention_gradient), f("cross_entropy", cross_entropy);
    f("top_k", top_k), f("add", add), f("sum_of_squares", sum_of_squares);
    f("adam", adam);
    visit_head_row_kernels(f);
    visit_attention_step_kernels(f);
    visit_recurrent_kernels(f);
  }
};

// What is fastest on a device, as measured there.
struct Tuning {
  // Elements of a sum or an update that one thread computes at a time: half a megabyte of each
  // operand stays in a core's cache.
  int64_t task_elements = 1 << 17;
  // The logits of a loss are computed in blocks of rows, of at most these bytes (about a core's
  // caches) and rows.
  int64_t logit_bytes = 8 << 20;
  int64_t logit_rows = 512;
  // Whether several threads, each with a batch of its own, are faster than one.
  bool many_threads = true;
  // Whether weight gradients may be deferred to the end of a step (train/deferred_gradients.h).
  bool defers_gradients = true;
};

class Backend : public Kernels {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  // Shown to users, and stored in training states: "cpu (AVX3)", "cpu (AVX3_BF16, bf16)".
  virtual std::string name() const = 0;
  // The compute type: the type of the products of linear() and its gradients. Everything else is
  // computed in the tensors' own type.
  //   fp32: nothing is rounded: products in the tensors' own type (fp64 too in the reference).
  //   bf16: operands are rounded to bf16, their products summed in fp32.
  //   int8: symmetric quantization of each row, w[n][k] = scale[n] * q and x[r][k] = scale[r] * q
  //         with |q| <= 127; the integer sums are exact. Has no gradients.
  virtual DType compute_type() const = 0;
  // The memory of the kernels' operands.
  virtual const std::shared_ptr<TensorMemory>& memory() const { return host_memory(); }

  virtual Tuning tuning() const { return {}; }

  // The type of a decoder's KV cache: bf16, or the model's own type if compute_type() is fp32.
  DType cache_type(DType model) const {
    return compute_type() == DType::fp32 ? model : DType::bf16;
  }
};

}  // namespace heed
