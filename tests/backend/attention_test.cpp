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
  int64_t heads, d_key;
  Mask mask = Mask::none;
  float dropout = 0;
  int64_t key_value_heads = 0, d_value = 0;  // 0: as many as heads, d_key
  std::optional<int64_t> window = {};
  ScoreBias bias = ScoreBias::none;
  bool positions = false;  // whether they are given: at random, some beyond the last key
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

constexpr ScoreBias kAlibi = ScoreBias::alibi;

// With options that are not the paper's.
const std::vector<Case> kVariants = {
    {"grouped", {{20, 20}, {3, 9}, {40, 40}}, 6, 16, Mask::causal, 0, 2},
    {"one key-value head", {{20, 33}, {4, 9}, {0, 3}, {2, 0}}, 4, 7, Mask::none, 0.2f, 1},
    {"wide values", {{20, 33}, {2, 40}}, 3, 8, Mask::none, 0, 3, 37},
    {"narrow values in groups", {{33, 33}, {1, 7}}, 4, 32, Mask::causal, 0.1f, 2, 5},
    {"window 0", {{9, 9}, {1, 4}}, 2, 8, Mask::causal, 0, 2, 8, 0},
    {"window 1", {{70, 70}, {3, 100}, {100, 20}}, 2, 8, Mask::none, 0, 2, 8, 1},
    {"causal window 1", {{70, 70}, {3, 100}, {130, 150}, {5, 3}}, 2, 8, Mask::causal, 0, 2, 8, 1},
    {"window 3", {{70, 70}, {0, 5}, {5, 0}, {100, 20}}, 2, 33, Mask::none, 0.1f, 2, 33, 3},
    {"causal window 3", {{1, 90}, {257, 257}, {40, 2}}, 2, 8, Mask::causal, 0.1f, 2, 8, 3},
    {"window 40", {{150, 150}, {4, 100}}, 2, 8, Mask::none, 0, 2, 8, 40},
    {"causal window 40", {{150, 150}, {4, 100}}, 2, 24, Mask::causal, 0, 1, 8, 40},
    {"wide window", {{50, 50}}, 2, 8, Mask::none, 0, 2, 8, INT64_MAX},
    {"alibi", {{40, 70}, {2, 9}, {100, 20}}, 8, 8, Mask::none, 0, 8, 8, {}, kAlibi},
    {"causal alibi", {{100, 100}, {3, 70}, {5, 3}}, 6, 8, Mask::causal, 0.1f, 6, 8, {}, kAlibi},
    {"positions", {{4, 70}, {40, 70}, {3, 0}}, 2, 8, Mask::none, 0, 2, 8, 3, ScoreBias::none, true},
    {"biased by positions", {{3, 9}, {40, 70}}, 4, 8, Mask::none, 0, 2, 8, {}, kAlibi, true},
    {"causal positions", {{3, 9}, {40, 70}, {5, 3}}, 2, 8, Mask::causal, 0, 2, 8, 3, kAlibi, true},
    {"all", {{4, 70}, {70, 100}, {1, 3}}, 6, 20, Mask::causal, 0.2f, 3, 12, 9, kAlibi},
    {"all over memory",
     {{4, 70}, {70, 100}, {9, 3}},
     6,
     20,
     Mask::none,
     0.2f,
     1,
     33,
     40,
     kAlibi,
     true},
};

std::vector<Case> all_cases() {
  std::vector<Case> all = kCases;
  all.insert(all.end(), kVariants.begin(), kVariants.end());
  return all;
}

// Operands of a case. The keys lie in a shuffled row order, which `keys` lists.
struct Operands {
  explicit Operands(const Case& c) : mask(c.mask) {
    Random random(12);
    std::vector<int32_t> drawn;
    for (auto [query_count, key_count] : c.lengths) {
      queries.add(query_count);
      keys.lengths.add(key_count);
      for (int64_t i = 0; i < query_count; ++i)
        drawn.push_back(int32_t(random.below(uint64_t(key_count) + 5)));
    }
    if (c.positions) positions = drawn;
    std::vector<int32_t> rows(size_t(keys.lengths.rows()));
    std::iota(rows.begin(), rows.end(), 0);
    Random(11).shuffle(rows);
    keys.rows = rows;
    const int64_t shared = c.key_value_heads ? c.key_value_heads : c.heads;
    const int64_t d_value = c.d_value ? c.d_value : c.d_key;
    query = random_tensor({queries.rows(), c.heads * c.d_key}, 1);
    key = random_tensor({keys.lengths.rows(), shared * c.d_key}, 2);
    value = random_tensor({keys.lengths.rows(), shared * d_value}, 4);
    dout = random_tensor({queries.rows(), c.heads * d_value}, 3);
    options = {{c.heads, 1 / std::sqrt(double(c.d_key)), c.window, c.bias}, {c.dropout, 77}};
  }

  AttentionInput input() const { return {query, key, value}; }
  AttentionLayout layout() const {
    return {queries, keys, mask, positions ? &*positions : nullptr};
  }
  Shape logs() const { return {queries.rows(), options.scores.heads}; }
  Shape pairs() const { return {attention_weight_count(layout(), options.scores.heads)}; }

  Mask mask;
  Ragged queries;
  KeyRows keys;
  std::optional<Indices> positions;
  Tensor query, key, value, dout;
  AttentionOptions options;
};

using Attention = TargetTest;
INSTANTIATE_TEST_SUITE_P(Targets, Attention, ::testing::ValuesIn(targets()), target_name);

TEST_P(Attention, ForwardAndGradient) {
  for (const Case& c : all_cases()) {
    for (bool listed : {true, false}) {
      Operands o(c);
      if (!listed) o.keys.rows.clear();
      const Shape shape = o.dout.shape();
      Tensor expected(shape), got = random_tensor(shape, 5), expected_log(o.logs()),
                              got_log(o.logs());
      Tensor expected_weights(o.pairs()), weights = random_tensor(o.pairs(), 8);
      reference->attention(o.input(), o.layout(), o.options,
                           {expected, expected_log, &expected_weights});
      backend->attention(o.input(), o.layout(), o.options, {got, got_log, &weights});
      expect_close(got, expected, 1e-5, c.name);
      expect_close(got_log, expected_log, 1e-6, c.name + " logsumexp");
      expect_close(weights, expected_weights, 1e-5, c.name + " weights");

      Tensor dquery(o.query.shape()), dkey(o.key.shape()), dvalue(o.value.shape());
      Tensor got_dquery = random_tensor(o.query.shape(), 6);
      Tensor got_dkey = random_tensor(o.key.shape(), 7),
             got_dvalue = random_tensor(o.value.shape(), 9);
      reference->attention_gradient(o.dout, o.input(), o.layout(), o.options,
                                    {expected, expected_log}, {dquery, dkey, dvalue});
      backend->attention_gradient(o.dout, o.input(), o.layout(), o.options, {got, got_log},
                                  {got_dquery, got_dkey, got_dvalue});
      expect_close(got_dquery, dquery, 3e-5, c.name + " dquery");
      expect_close(got_dkey, dkey, 3e-5, c.name + " dkey");
      expect_close(got_dvalue, dvalue, 3e-5, c.name + " dvalue");
    }
  }
}

// Asking for the weights changes nothing else.
TEST_P(Attention, WeightsCostNoBit) {
  for (const Case& c : all_cases()) {
    const Operands o(c);
    const Shape shape = o.dout.shape();
    Tensor out(shape), log(o.logs()), other(shape), other_log(o.logs()), weights(o.pairs());
    backend->attention(o.input(), o.layout(), o.options, {out, log});
    backend->attention(o.input(), o.layout(), o.options, {other, other_log, &weights});
    expect_same_bits(other, out, c.name);
    expect_same_bits(other_log, log, c.name + " logsumexp");
  }
}

// Cases of sequences that are decoded token by token.
std::vector<Case> decoded_cases() {
  std::vector<Case> cases;
  for (int64_t length : {1, 2, 17, 33, 64, 100})
    cases.push_back({"prefix", {{length, length}}, 2, 24, Mask::causal});
  cases.push_back({"grouped", {{70, 70}}, 4, 24, Mask::causal, 0, 2, 17});
  cases.push_back({"alibi", {{100, 100}}, 4, 24, Mask::causal, 0, 1, 24, {}, kAlibi});
  for (int64_t window : {1, 3, 17, 40}) {
    cases.push_back({"window", {{150, 150}}, 2, 24, Mask::causal, 0, 2, 24, window});
    cases.push_back({"all", {{100, 100}}, 6, 17, Mask::causal, 0.3f, 2, 24, window, kAlibi});
  }
  return cases;
}

// What query i of a case gives alone, at position i.
void expect_the_bits_of_row(Backend& backend, const Operands& o, const AttentionInput& input,
                            int64_t i, const KeyRows& keys, const Tensor& whole,
                            const Tensor& whole_log) {
  Ragged one;
  one.add(1);
  const Indices position{int32_t(i)};
  Tensor out({1, whole.columns()}), log({1, whole_log.columns()});
  // A row's dropout depends on its index, which differs here.
  backend.attention({input.query.slice(i, i + 1), input.key, input.value},
                    {one, keys, o.mask, o.mask == Mask::none ? &position : nullptr},
                    {o.options.scores, {}}, {out, log});
  expect_same_bits(out, copy_of(whole.slice(i, i + 1)), fmt::format("query {}", i));
  expect_same_bits(log, copy_of(whole_log.slice(i, i + 1)), fmt::format("logsumexp {}", i));
}

// Decoding one token at a time over cached keys gives the bits of decoding the whole prefix.
// `cached` turns keys or values into what the backend attends to.
template <class Cached>
void expect_the_bits_of_the_prefix(Backend& backend, const Cached& cached) {
  for (const Case& c : decoded_cases()) {
    SCOPED_TRACE(c.name);
    Operands o(c);
    o.options.dropout = {};
    const Tensor key = cached(o.key), value = cached(o.value);
    Tensor whole(o.dout.shape()), whole_log(o.logs());
    backend.attention({o.query, key, value}, o.layout(), o.options, {whole, whole_log});
    for (int64_t i = 0; i < o.query.rows(); ++i) {
      KeyRows seen;
      seen.lengths.add(i + 1);
      seen.rows = std::vector(o.keys.rows.begin(), o.keys.rows.begin() + i + 1);
      expect_the_bits_of_row(backend, o, {o.query, key, value}, i, seen, whole, whole_log);
    }
  }
}

// The same over a memory, whose keys all queries share: each hypothesis of a decoder has the
// position of its last token.
template <class Cached>
void expect_the_bits_of_the_whole_target(Backend& backend, const Cached& cached) {
  const Case c{"memory", {{70, 45}}, 4, 24, Mask::none, 0, 2, 17, 7, kAlibi};
  const Operands o(c);
  const Tensor key = cached(o.key), value = cached(o.value);
  Tensor whole(o.dout.shape()), whole_log(o.logs());
  backend.attention({o.query, key, value}, o.layout(), o.options, {whole, whole_log});
  for (int64_t i = 0; i < o.query.rows(); ++i)
    expect_the_bits_of_row(backend, o, {o.query, key, value}, i, o.keys, whole, whole_log);
  const Indices positions{33, 2, 69, 2, 41, 1};
  const int64_t count = int64_t(positions.size());
  Ragged hypotheses;
  hypotheses.add(count);
  Tensor query({count, o.query.columns()}), out({count, whole.columns()}), log({count, 4});
  for (int64_t i = 0; i < count; ++i)
    std::copy_n(o.query.data<float>() + positions[size_t(i)] * query.columns(), query.columns(),
                query.data<float>() + i * query.columns());
  backend.attention({query, key, value}, {hypotheses, o.keys, Mask::none, &positions}, o.options,
                    {out, log});
  for (int64_t i = 0; i < count; ++i)
    expect_same_bits(copy_of(out.slice(i, i + 1)),
                     copy_of(whole.slice(positions[size_t(i)], positions[size_t(i)] + 1)),
                     fmt::format("hypothesis {}", i));
}

// One query with a window reads the rows of the keys in it and no others.
template <class Cached>
void expect_the_window_alone(Backend& backend, const Cached& cached) {
  for (int64_t i : {0, 1, 15, 16, 40, 66}) {
    Operands o({"window", {{1, 67}}, 2, 24, Mask::none, 0, 2, 24, 2});
    o.positions = Indices{int32_t(i)};
    Tensor out(o.dout.shape()), log(o.logs()), poisoned(o.dout.shape()), poisoned_log(o.logs());
    backend.attention({o.query, cached(o.key), cached(o.value)}, o.layout(), o.options, {out, log});
    for (int64_t j = 0; j < 67; ++j) {
      if (std::abs(j - i) <= 2) continue;
      for (Tensor* tensor : {&o.key, &o.value})
        std::fill_n(tensor->data<float>() + o.keys.rows[size_t(j)] * 48, 48, NAN);
    }
    backend.attention({o.query, cached(o.key), cached(o.value)}, o.layout(), o.options,
                      {poisoned, poisoned_log});
    expect_same_bits(poisoned, out, fmt::format("position {}", i));
    EXPECT_TRUE(std::isfinite(out.data<float>()[0]));
  }
}

TEST_P(Attention, AQueryAloneGivesTheBitsOfItsPrefix) {
  const auto as_it_is = [](const Tensor& x) { return x; };
  expect_the_bits_of_the_prefix(*backend, as_it_is);
  expect_the_bits_of_the_whole_target(*backend, as_it_is);
}

TEST_P(Attention, AWindowReadsNothingElse) {
  expect_the_window_alone(*backend, [](const Tensor& x) { return x; });
}

// Keys and values as a decoder caches them.
class CachedAttention : public Attention {
 protected:
  static Tensor cached(Backend& backend, const Tensor& x) {
    Tensor cache(x.shape(), backend.cache_type(DType::fp32));
    std::vector<int32_t> rows(size_t(x.rows()));
    std::iota(rows.begin(), rows.end(), 0);
    backend.write_cache(x, rows, cache);
    return cache;
  }

  std::unique_ptr<Backend> rounding = make_target({GetParam(), DType::bf16});
  std::unique_ptr<Backend> rounding_reference = make_reference_backend(DType::bf16);
};
INSTANTIATE_TEST_SUITE_P(Targets, CachedAttention, ::testing::ValuesIn(targets()), target_name);

TEST_P(CachedAttention, IsThatOfRoundedKeysAndValues) {
  for (const Case& c : all_cases()) {
    for (bool listed : {true, false}) {
      Operands o(c);
      if (!listed) o.keys.rows.clear();
      const Shape shape = o.dout.shape();
      Tensor expected(shape), got = random_tensor(shape, 5), expected_log(o.logs()),
                              got_log(o.logs());
      Tensor expected_weights(o.pairs()), weights = random_tensor(o.pairs(), 8);
      const Tensor key = cached(*rounding, o.key), value = cached(*rounding, o.value);
      ASSERT_EQ(key.dtype(), DType::bf16);
      reference->attention(
          {o.query, cached(*rounding_reference, o.key), cached(*rounding_reference, o.value)},
          o.layout(), o.options, {expected, expected_log, &expected_weights});
      rounding->attention({o.query, key, value}, o.layout(), o.options, {got, got_log, &weights});
      expect_close(got, expected, 1e-5, c.name);
      expect_close(got_log, expected_log, 1e-6, c.name + " logsumexp");
      expect_close(weights, expected_weights, 1e-5, c.name + " weights");
    }
  }
}

TEST_P(CachedAttention, AQueryAloneGivesTheBitsOfItsPrefix) {
  const auto round = [&](const Tensor& x) { return cached(*rounding, x); };
  expect_the_bits_of_the_prefix(*rounding, round);
  expect_the_bits_of_the_whole_target(*rounding, round);
}

TEST_P(CachedAttention, AWindowReadsNothingElse) {
  expect_the_window_alone(*rounding, [&](const Tensor& x) { return cached(*rounding, x); });
}

TEST_P(Attention, ASequenceDependsOnItselfAlone) {
  const Case both{"both", {{50, 37}, {5, 9}}, 2, 32}, first{"first", {{50, 37}}, 2, 32};
  const Operands o(both);
  KeyRows keys;
  keys.lengths.add(37);
  keys.rows = std::vector(o.keys.rows.begin(), o.keys.rows.begin() + 37);
  Ragged queries;
  queries.add(50);
  Tensor whole(o.query.shape()), part({50, 64}), whole_log({55, 2}), part_log({50, 2});
  backend->attention(o.input(), {o.queries, o.keys}, o.options, {whole, whole_log});
  backend->attention({o.query.slice(0, 50), o.key, o.value}, {queries, keys}, o.options,
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
TEST_P(Attention, DropoutNeverRepeatsItself) {
  const int64_t rows = 1040, heads = 64, keys = 16, repeated = 65536 / heads;
  const std::vector<int64_t> kept = kept_keys(*backend, rows, heads, keys);
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

TEST_P(Attention, LargeScoresStayFinite) {
  const Case c{"large", {{9, 40}}, 1, 16};
  Operands o(c);
  o.options.scores.scale = 300;
  const AttentionLayout layout{o.queries, o.keys};
  Tensor expected(o.query.shape()), got(o.query.shape()), expected_log({9, 1}), got_log({9, 1});
  reference->attention(o.input(), layout, o.options, {expected, expected_log});
  backend->attention(o.input(), layout, o.options, {got, got_log});
  expect_close(got, expected, 1e-3, "out");
  expect_close(got_log, expected_log, 1e-5, "logsumexp");
}

}  // namespace
}  // namespace heed::testing
