#include "heed/paper_variants.h"

#include "heed/autograd/attention_steps.h"
#include "heed/paper_shared-inl.h"

namespace heed::paper {
namespace {

// One sequence of queries and keys.
class OneSequence {
 public:
  OneSequence(int64_t queries, int64_t keys, Mask mask = Mask::none) : mask_(mask) {
    queries_.add(queries);
    keys_.lengths.add(keys);
  }
  AttentionLayout layout() const {
    return {queries_, keys_, mask_, positions_.empty() ? nullptr : &positions_};
  }
  // The queries are the last positions, but see all keys.
  static OneSequence at_the_end(int64_t queries, int64_t keys) {
    OneSequence sequence(queries, keys);
    for (int64_t i = 0; i < queries; ++i)
      sequence.positions_.push_back(int32_t(keys - queries + i));
    return sequence;
  }

 private:
  Ragged queries_;
  KeyRows keys_;
  Mask mask_;
  Indices positions_;
};

void expect_mask(const Tensor& mask, int64_t queries, int64_t keys) {
  if (mask) expect_matrix(mask, "mask", queries, keys);
}

void expect_lengths(const char* name, int64_t heads, int64_t queries, int64_t keys, Mask mask) {
  if (heads < 1 || queries < 1 || keys < 1)
    fail_usage("{}: expected at least one head, query and key, got {}, {} and {}", name, heads,
               queries, keys);
  if (mask == Mask::causal && keys < queries)
    fail_usage("{}: expected at least as many keys as queries with a causal mask, got {} and {}",
               name, keys, queries);
  expect_size(name, queries, keys);
  expect_size(name, heads, queries * keys);
}

// [heads, queries, keys]: bias(head, position of the query, key) for the keys that a query attends
// to, -infinity for the others.
template <class Bias>
Tensor biases(const Shape& shape, const OneSequence& sequence, std::optional<int64_t> window,
              const Bias& bias) {
  Tensor result(shape);
  const std::span<float> values = result.span<float>();
  std::fill(values.begin(), values.end(), float(-kInfinity));
  const AttentionLayout layout = sequence.layout();
  const int64_t heads = shape[0], queries = shape[1], keys = shape[2];
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i = 0; i < queries; ++i) {
      const KeyRange visible = layout.visible(0, i, window);
      for (int64_t j = visible.begin; j < visible.end; ++j)
        values[size_t((h * queries + i) * keys + j)] = float(bias(h, layout.position(0, i), j));
    }
  return result;
}

// Columns [begin, end) of a matrix.
Tensor columns(const Tensor& x, int64_t begin, int64_t end) {
  Tensor part({x.rows(), end - begin});
  for (int64_t r = 0; r < x.rows(); ++r)
    std::copy_n(x.data<float>() + r * x.columns() + begin, end - begin,
                part.data<float>() + r * (end - begin));
  return part;
}

// Puts `part` into a matrix, its first column at `begin`.
void put_columns(const Tensor& part, int64_t begin, Tensor& x) {
  for (int64_t r = 0; r < x.rows(); ++r)
    std::copy_n(part.data<float>() + r * part.columns(), part.columns(),
                x.data<float>() + r * x.columns() + begin);
}

}  // namespace

Tensor dot_scores(const Tensor& query, const Tensor& key, double scale) {
  expect_matrix(query, "query", 0, 0);
  expect_matrix(key, "key", 0, query.columns());
  expect_size("dot_scores", query.rows(), key.rows());
  CpuPass cpu;
  const OneSequence sequence(query.rows(), key.rows());
  return scaled_scores(cpu.pass, {query, key}, sequence.layout(), {1, scale})
      .reshape({query.rows(), key.rows()});
}

Tensor general_scores(const Tensor& query, const Tensor& weight, const Tensor& key) {
  expect_matrix(query, "query", 0, 0);
  expect_matrix(key, "key", 0, 0);
  expect_matrix(weight, "weight", query.columns(), key.columns());
  CpuPass cpu;
  return dot_scores(query, linear(cpu.pass, key, weight, {}));
}

Tensor additive_scores(const AdditiveParameters& parameters, const Tensor& query,
                       const Tensor& key) {
  expect_matrix(query, "query", 0, 0);
  expect_matrix(key, "key", 0, 0);
  expect_matrix(parameters.query, "query weight", 0, query.columns());
  const int64_t d = parameters.query.rows();
  expect_matrix(parameters.key, "key weight", d, key.columns());
  expect_vector(parameters.v, "v", d);
  expect_size("additive_scores", query.rows(), key.rows());
  CpuPass cpu;
  const Tensor projected_query = linear(cpu.pass, query, parameters.query, {});
  const Tensor projected_key = linear(cpu.pass, key, parameters.key, {});
  const OneSequence sequence(query.rows(), key.rows());
  return heed::additive_scores(cpu.pass, {projected_query, projected_key}, parameters.v,
                               sequence.layout(), 1)
      .reshape({query.rows(), key.rows()});
}

Tensor cosine_scores(const Tensor& query, const Tensor& key, double gain) {
  expect_matrix(query, "query", 0, 0);
  expect_matrix(key, "key", 0, query.columns());
  CpuPass cpu;
  return dot_scores(normalize_heads(cpu.pass, query, {}, {}),
                    normalize_heads(cpu.pass, key, {}, {}), gain);
}

Tensor location_scores(const Tensor& query, const Tensor& weight, int64_t keys) {
  expect_matrix(query, "query", 0, 0);
  expect_matrix(weight, "weight", 0, query.columns());
  expect_lengths("location_scores", 1, query.rows(), keys, Mask::none);
  CpuPass cpu;
  const Tensor known = linear(cpu.pass, query, weight.slice(0, std::min(keys, weight.rows())), {});
  Tensor scores({query.rows(), keys});
  std::fill_n(scores.data<float>(), scores.size(), float(-kInfinity));
  put_columns(known, 0, scores);
  return scores;
}

AttentionResult attend(const Tensor& scores, const Tensor& value, const Tensor& mask) {
  expect_matrix(scores, "scores", 0, 0);
  expect_matrix(value, "value", scores.columns(), 0);
  expect_mask(mask, scores.rows(), scores.columns());
  return attend_by(scores.rows(), value, mask, [&](int64_t i, int64_t j) {
    return double(scores.data<float>()[i * scores.columns() + j]);
  });
}

AttentionResult attend_hard(const Tensor& scores, const Tensor& value, const Tensor& mask) {
  expect_matrix(scores, "scores", 0, 0);
  expect_mask(mask, scores.rows(), scores.columns());
  const Tensor masked = mask ? add(scores, mask) : scores;
  // Where the best key is masked too, all of its row stays masked.
  Tensor chosen(masked.shape());
  for (int64_t i = 0; i < masked.rows(); ++i) {
    const std::span<const float> row = masked.slice(i, i + 1).span<float>();
    const auto best = std::max_element(row.begin(), row.end());
    for (int64_t j = 0; j < masked.columns(); ++j)
      chosen.data<float>()[i * masked.columns() + j] =
          j == best - row.begin() ? *best : float(-kInfinity);
  }
  return attend(chosen, value);
}

AttentionResult attend_locally(const Tensor& scores, const Tensor& value, const LocalWindow& local,
                               const Tensor& mask) {
  expect_matrix(scores, "scores", 0, 0);
  const int64_t queries = scores.rows(), keys = scores.columns();
  expect_matrix(value, "value", keys, 0);
  expect_mask(mask, queries, keys);
  expect_matrix(local.centers, "centers", queries, 1);
  if (local.window < 1) fail_usage("window: expected at least 1, got {}", local.window);
  Tensor near(scores.shape());
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j) {
      const double distance = std::abs(double(j) - double(local.centers.data<float>()[i]));
      if (!(distance <= double(local.window))) near.data<float>()[i * keys + j] = float(-kInfinity);
    }
  const Tensor weights = attend(scores, value, mask ? add(mask, near) : near).weights;
  CpuPass cpu;
  const OneSequence sequence(queries, keys);
  const Tensor local_weights =
      gaussian_weights(cpu.pass, weights.reshape({weights.size()}), local.centers,
                       sequence.layout(), {.heads = 1, .sigma = double(local.window) / 2});
  return {weighted_sum(cpu.pass, local_weights, value, sequence.layout(), {}),
          local_weights.reshape(scores.shape())};
}

Tensor predicted_positions(const Tensor& query, const Tensor& weight, const Tensor& v,
                           int64_t keys) {
  expect_matrix(query, "query", 0, 0);
  expect_matrix(weight, "weight", 0, query.columns());
  expect_vector(v, "v", weight.rows());
  expect_lengths("predicted_positions", 1, query.rows(), keys, Mask::none);
  CpuPass cpu;
  const Tensor inner = linear(cpu.pass, query, weight, {}, Activation::tanh);
  const Tensor share = linear(cpu.pass, inner, v.reshape({1, v.size()}), {}, Activation::sigmoid);
  const OneSequence sequence(query.rows(), keys);
  return predicted_centers(cpu.pass, share, sequence.layout());
}

Tensor window_mask(int64_t queries, int64_t keys, int64_t window, Mask mask) {
  expect_lengths("window_mask", 1, queries, keys, mask);
  if (window < 0) fail_usage("window: expected at least 0, got {}", window);
  return biases({1, queries, keys}, OneSequence(queries, keys, mask), window,
                [](int64_t, int64_t, int64_t) { return 0.0; })
      .reshape({queries, keys});
}

Tensor alibi_bias(int64_t heads, int64_t queries, int64_t keys, Mask mask) {
  expect_lengths("alibi_bias", heads, queries, keys, mask);
  return biases({heads, queries, keys}, OneSequence(queries, keys, mask), {},
                [&](int64_t head, int64_t position, int64_t key) {
                  return -alibi_slope(head, heads) * double(std::abs(key - position));
                });
}

Tensor t5_bias(const Tensor& table, int64_t queries, int64_t keys, Mask mask) {
  expect_matrix(table, "table", 0, 0);
  const int64_t heads = table.rows(), count = table.columns();
  if (count % 2 != 0 || count > PositionBuckets::kMaxDistance)
    fail_usage("table: expected an even number of buckets up to {}, got {}",
               PositionBuckets::kMaxDistance, count);
  expect_lengths("t5_bias", heads, queries, keys, mask);
  using Kind = PositionBuckets::Kind;
  const PositionBuckets buckets{mask == Mask::causal ? Kind::t5_causal : Kind::t5, count};
  return biases({heads, queries, keys}, OneSequence(queries, keys, mask), {},
                [&](int64_t head, int64_t position, int64_t key) {
                  return table.data<float>()[head * count + buckets.of(position, key)];
                });
}

Tensor add(const Tensor& x, const Tensor& y) {
  const bool same = x && y && x.shape() == y.shape();
  const bool each_head =
      x && y && x.shape().size() == 3 && y.shape() == Shape{x.shape().begin() + 1, x.shape().end()};
  if (!(same || each_head) || x.dtype() != DType::fp32 || y.dtype() != DType::fp32)
    fail_usage("add: expected floats of one shape, got {} and {}", to_string(x.shape()),
               to_string(y.shape()));
  Tensor sum(x.shape());
  for (int64_t i = 0; i < x.size(); ++i)
    sum.data<float>()[i] = x.data<float>()[i] + y.data<float>()[i % y.size()];
  return sum;
}

Tensor rotary_embedding(const Tensor& x, const Indices& positions, int64_t heads) {
  expect_matrix(x, "x", int64_t(positions.size()), 0);
  if (heads < 1 || x.columns() % heads != 0 || x.columns() / heads % 2 != 0)
    fail_usage("x: expected {} heads with an even number of columns, got {} columns", heads,
               x.columns());
  CpuPass cpu;
  return rotate(cpu.pass, x, positions, heads);
}

AttentionResult relative_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const RelativeVectors& relative,
                                   const AttentionArguments& arguments) {
  expect_matrix(query, "query", 0, 0);
  expect_matrix(relative.keys, "relative keys", 0, query.columns());
  const int64_t count = relative.keys.rows(), queries = query.rows();
  if (count % 2 == 0) fail_usage("relative keys: expected an odd number of rows, got {}", count);
  const double scale = arguments.scale.value_or(1 / std::sqrt(double(query.columns())));
  Tensor scores = dot_scores(query, key, scale);
  const int64_t keys = scores.columns();
  if (keys < queries)
    fail_usage("key: expected at least as many rows as the query's {}, got {}", queries, keys);
  CpuPass cpu;
  const OneSequence sequence = OneSequence::at_the_end(queries, keys);
  const AttentionLayout layout = sequence.layout();
  const PositionBuckets buckets{PositionBuckets::Kind::clipped, count};
  scores = add_positional_scores(cpu.pass, scores.reshape({scores.size()}),
                                 linear(cpu.pass, query, relative.keys, {}), layout,
                                 {.buckets = buckets, .heads = 1, .scale = scale});
  AttentionResult seen = attend(scores.reshape({queries, keys}), value, arguments.mask);
  if (!relative.values) return seen;
  expect_matrix(relative.values, "relative values", count, value.columns());
  const Tensor sums = sum_weights_by_position(cpu.pass, seen.weights.reshape({scores.size()}),
                                              layout, {.buckets = buckets, .heads = 1});
  const OneSequence distances(queries, count);
  return {add(seen.output, weighted_sum(cpu.pass, sums.reshape({sums.size()}), relative.values,
                                        distances.layout(), {})),
          seen.weights};
}

AttentionResult grouped_query_attention(int64_t heads, const Tensor& query, const Tensor& key,
                                        const Tensor& value, const AttentionArguments& arguments) {
  expect_matrix(query, "query", 0, 0);
  if (heads < 1 || query.columns() % heads != 0)
    fail_usage("heads: expected a divisor of the query's {} columns, got {}", query.columns(),
               heads);
  expect_matrix(key, "key", 0, 0);
  const int64_t d_key = query.columns() / heads, groups = key.columns() / d_key;
  if (key.columns() % d_key != 0 || heads % groups != 0)
    fail_usage("key: expected heads of {} columns, whose number divides {}, got {} columns", d_key,
               heads, key.columns());
  const int64_t queries = query.rows(), keys = key.rows();
  expect_matrix(value, "value", keys, 0);
  const int64_t d_value = value.columns() / groups;
  if (value.columns() % groups != 0)
    fail_usage("value: expected {} heads of equal width, got {} columns", groups, value.columns());
  expect_size("grouped_query_attention", heads * queries, keys);
  const Tensor& mask = arguments.mask;
  const bool mask_of_heads = mask && mask.shape() == Shape{heads, queries, keys};
  if (!mask_of_heads) expect_mask(mask, queries, keys);

  AttentionResult result{Tensor({queries, heads * d_value}), Tensor({heads, queries, keys})};
  for (int64_t h = 0; h < heads; ++h) {
    const int64_t group = h / (heads / groups);
    AttentionArguments of_head = arguments;
    if (mask_of_heads) of_head.mask = mask.slice(h, h + 1).reshape({queries, keys});
    const AttentionResult head = scaled_dot_product_attention(
        columns(query, h * d_key, (h + 1) * d_key),
        columns(key, group * d_key, (group + 1) * d_key),
        columns(value, group * d_value, (group + 1) * d_value), of_head);
    put_columns(head.output, h * d_value, result.output);
    std::copy_n(head.weights.data<float>(), head.weights.size(),
                result.weights.slice(h, h + 1).data<float>());
  }
  return result;
}

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double epsilon) {
  expect_matrix(x, "x", 0, 0);
  expect_vector(gain, "gain", x.columns());
  expect_vector(bias, "bias", x.columns());
  CpuPass cpu;
  return normalize(cpu.pass, x, gain, bias, {.epsilon = epsilon});
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double epsilon) {
  expect_matrix(x, "x", 0, 0);
  expect_vector(gain, "gain", x.columns());
  CpuPass cpu;
  return normalize(cpu.pass, x, gain, {}, {.epsilon = epsilon, .kind = NormKind::rms});
}

Tensor feed_forward(const Linear& inner, const Linear& output, const Tensor& x,
                    Activation activation) {
  expect_matrix(x, "x", 0, 0);
  expect_linear(inner, "inner", 0, x.columns());
  expect_linear(output, "output", 0, inner.weight.rows());
  CpuPass cpu;
  return linear(cpu.pass, linear(cpu.pass, x, inner.weight, inner.bias, activation), output.weight,
                output.bias);
}

}  // namespace heed::paper
