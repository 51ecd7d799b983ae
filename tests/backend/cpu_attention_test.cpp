#include <bit>
#include <numeric>

#include "backend/compare.h"

namespace heed::testing {
namespace {

// Queries and keys of each sequence.
using Lengths = std::vector<std::pair<int64_t, int64_t>>;

struct Case {
  std::string name;
  Lengths lengths;
  int64_t heads, d_head;
  Mask mask = Mask::none;
  float dropout = 0;
};

const std::vector<Case> kCases = {
    {"one", {{1, 1}}, 1, 1},
    {"no sequence", {}, 2, 8},
    {"empty sequences", {{0, 3}, {2, 0}, {0, 0}, {3, 2}}, 2, 8},
    {"odd", {{3, 7}, {17, 2}, {1, 33}, {7, 65}}, 3, 7},
    {"typical", {{20, 20}, {12, 12}, {31, 31}}, 4, 32, Mask::causal},
    {"dropped", {{20, 13}, {33, 100}}, 2, 33, Mask::none, 0.3f},
    {"causal and dropped", {{17, 17}, {65, 65}, {100, 100}}, 2, 17, Mask::causal, 0.1f},
    {"causal behind a prefix", {{3, 10}, {1, 64}, {40, 100}}, 2, 64, Mask::causal},
    {"causal with blind queries", {{5, 3}, {40, 2}}, 2, 8, Mask::causal, 0.2f},
    {"long", {{257, 257}}, 1, 40, Mask::causal},
    {"dropped in many rows", {{1, 2}, {1050, 3}}, 64, 1, Mask::none, 0.3f},
};

// Operands of a case. The keys lie in a shuffled row order, which `keys` lists.
struct Operands {
  explicit Operands(const Case& c) {
    for (auto [query_count, key_count] : c.lengths) {
      queries.add(query_count);
      keys.lengths.add(key_count);
    }
    std::vector<int32_t> rows(size_t(keys.lengths.rows()));
    std::iota(rows.begin(), rows.end(), 0);
    Random(11).shuffle(rows);
    keys.rows = rows;
    const int64_t d = c.heads * c.d_head;
    query = random_tensor({queries.rows(), d}, 1);
    key = random_tensor({keys.lengths.rows(), d}, 2);
    value = random_tensor({keys.lengths.rows(), d}, 4);
    dout = random_tensor({queries.rows(), d}, 3);
    options.scores.heads = c.heads;
    options.scores.scale = 1 / std::sqrt(double(c.d_head));
    options.dropout = {c.dropout, 77};
  }

  Ragged queries;
  KeyRows keys;
  AttentionInput input() const { return {query, key, value}; }

  Tensor query, key, value, dout;
  AttentionOptions options;
};

using CpuAttention = CpuTest;
INSTANTIATE_TEST_SUITE_P(Targets, CpuAttention, ::testing::ValuesIn(cpu_instruction_sets()),
                         target_name);

TEST_P(CpuAttention, ForwardAndGradient) {
  for (const Case& c : kCases) {
    for (bool listed : {true, false}) {
      Operands o(c);
      if (!listed) o.keys.rows.clear();
      const AttentionLayout layout{o.queries, o.keys, c.mask};
      const Shape shape = o.query.shape(), logs = {o.queries.rows(), c.heads};
      const Shape pairs = {attention_weight_count(layout, c.heads)};
      Tensor expected(shape), got = random_tensor(shape, 5), expected_log(logs), got_log(logs);
      Tensor expected_weights(pairs), weights = random_tensor(pairs, 8);
      reference->attention(o.input(), layout, o.options,
                           {expected, expected_log, &expected_weights});
      cpu->attention(o.input(), layout, o.options, {got, got_log, &weights});
      expect_close(got, expected, 1e-5, c.name);
      expect_close(got_log, expected_log, 1e-6, c.name + " logsumexp");
      expect_close(weights, expected_weights, 1e-5, c.name + " weights");

      Tensor dquery(shape), dkey(o.key.shape()), dvalue(o.key.shape());
      Tensor got_dquery = random_tensor(shape, 6);
      Tensor got_dkey = random_tensor(o.key.shape(), 7),
             got_dvalue = random_tensor(o.key.shape(), 9);
      reference->attention_gradient(o.dout, o.input(), layout, o.options, {expected, expected_log},
                                    {dquery, dkey, dvalue});
      cpu->attention_gradient(o.dout, o.input(), layout, o.options, {got, got_log},
                              {got_dquery, got_dkey, got_dvalue});
      expect_close(got_dquery, dquery, 3e-5, c.name + " dquery");
      expect_close(got_dkey, dkey, 3e-5, c.name + " dkey");
      expect_close(got_dvalue, dvalue, 3e-5, c.name + " dvalue");
    }
  }
}

// Asking for the weights changes nothing else.
TEST_P(CpuAttention, WeightsCostNoBit) {
  for (const Case& c : kCases) {
    const Operands o(c);
    const AttentionLayout layout{o.queries, o.keys, c.mask};
    const Shape shape = o.query.shape(), logs = {o.queries.rows(), c.heads};
    Tensor out(shape), log(logs), other(shape), other_log(logs);
    Tensor weights({attention_weight_count(layout, c.heads)});
    cpu->attention(o.input(), layout, o.options, {out, log});
    cpu->attention(o.input(), layout, o.options, {other, other_log, &weights});
    expect_same_bits(other, out, c.name);
    expect_same_bits(other_log, log, c.name + " logsumexp");
  }
}

// Decoding one token at a time over cached keys gives the bits of decoding the whole prefix.
// `cached` turns keys or values into what the backend attends to.
template <class Cached>
void expect_the_bits_of_the_prefix(Backend& backend, const Cached& cached) {
  for (int64_t length : {1, 2, 17, 33, 64, 100}) {
    const int64_t heads = 2, d_head = 24, d = heads * d_head;
    const Operands o({"prefix", {{length, length}}, heads, d_head, Mask::causal});
    const Tensor key = cached(o.key), value = cached(o.value);
    Tensor whole({length, d}), whole_log({length, heads});
    backend.attention({o.query, key, value}, {o.queries, o.keys, Mask::causal}, o.options,
                      {whole, whole_log});
    for (int64_t i = 0; i < length; ++i) {
      Ragged one;
      one.add(1);
      KeyRows seen;
      seen.lengths.add(i + 1);
      seen.rows = std::vector(o.keys.rows.begin(), o.keys.rows.begin() + i + 1);
      Tensor out({1, d}), log({1, heads});
      backend.attention({o.query.slice(i, i + 1), key, value}, {one, seen, Mask::causal}, o.options,
                        {out, log});
      expect_same_bits(out, copy_of(whole.slice(i, i + 1)), fmt::format("{} of {}", i, length));
      expect_same_bits(log, copy_of(whole_log.slice(i, i + 1)), "logsumexp");
    }
  }
}

TEST_P(CpuAttention, AQueryAloneGivesTheBitsOfItsPrefix) {
  expect_the_bits_of_the_prefix(*cpu, [](const Tensor& x) { return x; });
}

// Keys and values as a decoder caches them.
class CpuCachedAttention : public CpuAttention {
 protected:
  static Tensor cached(Backend& backend, const Tensor& x) {
    Tensor cache(x.shape(), backend.cache_type(DType::fp32));
    std::vector<int32_t> rows(size_t(x.rows()));
    std::iota(rows.begin(), rows.end(), 0);
    backend.write_cache(x, rows, cache);
    return cache;
  }

  std::unique_ptr<Backend> rounding = make_cpu_backend(GetParam(), DType::bf16);
  std::unique_ptr<Backend> rounding_reference = make_reference_backend(DType::bf16);
};
INSTANTIATE_TEST_SUITE_P(Targets, CpuCachedAttention, ::testing::ValuesIn(cpu_instruction_sets()),
                         target_name);

TEST_P(CpuCachedAttention, IsThatOfRoundedKeysAndValues) {
  for (const Case& c : kCases) {
    for (bool listed : {true, false}) {
      Operands o(c);
      if (!listed) o.keys.rows.clear();
      const AttentionLayout layout{o.queries, o.keys, c.mask};
      const Shape shape = o.query.shape(), logs = {o.queries.rows(), c.heads};
      const Shape pairs = {attention_weight_count(layout, c.heads)};
      Tensor expected(shape), got = random_tensor(shape, 5), expected_log(logs), got_log(logs);
      Tensor expected_weights(pairs), weights = random_tensor(pairs, 8);
      const Tensor key = cached(*rounding, o.key), value = cached(*rounding, o.value);
      ASSERT_EQ(key.dtype(), DType::bf16);
      reference->attention(
          {o.query, cached(*rounding_reference, o.key), cached(*rounding_reference, o.value)},
          layout, o.options, {expected, expected_log, &expected_weights});
      rounding->attention({o.query, key, value}, layout, o.options, {got, got_log, &weights});
      expect_close(got, expected, 1e-5, c.name);
      expect_close(got_log, expected_log, 1e-6, c.name + " logsumexp");
      expect_close(weights, expected_weights, 1e-5, c.name + " weights");
    }
  }
}

TEST_P(CpuCachedAttention, AQueryAloneGivesTheBitsOfItsPrefix) {
  expect_the_bits_of_the_prefix(*rounding, [&](const Tensor& x) { return cached(*rounding, x); });
}

TEST_P(CpuAttention, ASequenceDependsOnItselfAlone) {
  const Case both{"both", {{50, 37}, {5, 9}}, 2, 32}, first{"first", {{50, 37}}, 2, 32};
  const Operands o(both);
  KeyRows keys;
  keys.lengths.add(37);
  keys.rows = std::vector(o.keys.rows.begin(), o.keys.rows.begin() + 37);
  Ragged queries;
  queries.add(50);
  Tensor whole(o.query.shape()), part({50, 64}), whole_log({55, 2}), part_log({50, 2});
  cpu->attention(o.input(), {o.queries, o.keys}, o.options, {whole, whole_log});
  cpu->attention({o.query.slice(0, 50), o.key, o.value}, {queries, keys}, o.options,
                 {part, part_log});
  expect_same_bits(part, copy_of(whole.slice(0, 50)), "first sequence");
}

// The keys that dropout keeps in each row of each head, as bits, [rows * heads]: of equal weights,
// key j has the value 2^j.
std::vector<int64_t> kept_keys(Backend& backend, int64_t rows, int64_t heads, int64_t keys) {
  const Operands o({"", {{rows, keys}}, heads, 1, Mask::none, 0.5f});
  const Tensor query({rows, heads}), key({keys, heads});
  Tensor value({keys, heads});
  for (int64_t j = 0; j < keys; ++j)
    std::fill_n(value.data<float>() + j * heads, heads, float(1 << j));
  const KeyRows all{o.keys.lengths, {}};
  Tensor out({rows, heads}), logsumexp({rows, heads});
  backend.attention({query, key, value}, {o.queries, all}, o.options, {out, logsumexp});
  std::vector<int64_t> bits;
  for (const float sum : out.span<float>())
    bits.push_back(std::lround(double(sum) * double(keys) / o.options.dropout.scale()));
  return bits;
}

// Neither 2^16 rows and heads away nor anywhere else.
TEST_P(CpuAttention, DropoutNeverRepeatsItself) {
  const int64_t rows = 1040, heads = 64, keys = 16, repeated = 65536 / heads;
  const std::vector<int64_t> kept = kept_keys(*cpu, rows, heads, keys);
  EXPECT_EQ(kept, kept_keys(*reference, rows, heads, keys));
  for (int64_t r = 0; r + repeated < rows; ++r) {
    int64_t differing = 0;
    for (int64_t h = 0; h < heads; ++h)
      differing += std::popcount(
          uint64_t(kept[size_t(r * heads + h)] ^ kept[size_t((r + repeated) * heads + h)]));
    // Half of 1,024 on average, with a deviation of 16.
    EXPECT_NEAR(double(differing), 512, 96) << "rows " << r << " and " << r + repeated;
  }
}

TEST_P(CpuAttention, LargeScoresStayFinite) {
  const Case c{"large", {{9, 40}}, 1, 16};
  Operands o(c);
  o.options.scores.scale = 300;
  const AttentionLayout layout{o.queries, o.keys};
  Tensor expected(o.query.shape()), got(o.query.shape()), expected_log({9, 1}), got_log({9, 1});
  reference->attention(o.input(), layout, o.options, {expected, expected_log});
  cpu->attention(o.input(), layout, o.options, {got, got_log});
  expect_close(got, expected, 1e-3, "out");
  expect_close(got_log, expected_log, 1e-5, "logsumexp");
}

}  // namespace
}  // namespace heed::testing
