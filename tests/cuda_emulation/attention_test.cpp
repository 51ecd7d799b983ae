// Attention in parts of the device's kernels that the tests of all backends do not reach: heads
// wider than a tile, and the kernels for few and for many queries against each other.
#include "backend/compare.h"
#include "cuda_emulation/emulation.h"

namespace heed::testing {
namespace {

struct Widths {
  int64_t heads, key_value_heads, d_key, d_value;
};

class DeviceAttention : public ::testing::Test {
 protected:
  // Sequences of so many queries and keys.
  void add(int64_t query_count, int64_t key_count) {
    queries.add(query_count);
    keys.lengths.add(key_count);
  }
  void draw(const Widths& w) {
    query = random_tensor({queries.rows(), w.heads * w.d_key}, 1);
    key = random_tensor({keys.lengths.rows(), w.key_value_heads * w.d_key}, 2);
    value = random_tensor({keys.lengths.rows(), w.key_value_heads * w.d_value}, 3);
    dout = random_tensor({queries.rows(), w.heads * w.d_value}, 4);
    options.scores = {w.heads, 1 / std::sqrt(double(w.d_key))};
  }
  AttentionLayout layout() const { return {queries, keys, mask}; }

  std::unique_ptr<Backend> device = make_target({"cuda"});
  std::unique_ptr<Backend> reference = make_reference_backend();
  Ragged queries;
  KeyRows keys;
  Mask mask = Mask::causal;
  Tensor query, key, value, dout;
  AttentionOptions options;
};

TEST_F(DeviceAttention, HeadsMayBeWiderThanATile) {
  add(40, 40), add(3, 70), add(0, 9), add(4, 0), add(33, 20);
  options.dropout = {0.2f, 7};
  for (const Widths& w : {Widths{2, 1, 130, 20}, Widths{2, 2, 24, 133}, Widths{2, 1, 128, 128}}) {
    draw(w);
    for (Mask chosen : {Mask::none, Mask::causal}) {
      mask = chosen;
      Tensor out(dout.shape()), expected(dout.shape()), log({queries.rows(), w.heads}),
          expected_log(log.shape());
      reference->attention({query, key, value}, layout(), options, {expected, expected_log});
      device->attention({query, key, value}, layout(), options, {out, log});
      expect_close(out, expected, 1e-5, "out");
      expect_close(log, expected_log, 2e-6, "logsumexp");
      Tensor dquery(query.shape()), dkey(key.shape()), dvalue(value.shape());
      Tensor got_dquery = random_tensor(query.shape(), 5), got_dkey = random_tensor(key.shape(), 6),
             got_dvalue = random_tensor(value.shape(), 7);
      reference->attention_gradient(dout, {query, key, value}, layout(), options,
                                    {expected, expected_log}, {dquery, dkey, dvalue});
      device->attention_gradient(dout, {query, key, value}, layout(), options, {out, log},
                                 {got_dquery, got_dkey, got_dvalue});
      expect_close(got_dquery, dquery, 3e-5, "dquery");
      expect_close(got_dkey, dkey, 3e-5, "dkey");
      expect_close(got_dvalue, dvalue, 3e-5, "dvalue");
    }
  }
}

// Whether a sequence of many queries is in the call chooses the kernel of all others.
TEST_F(DeviceAttention, BothKernelsGiveTheSameBits) {
  add(5, 5), add(8, 100), add(1, 37), add(0, 3), add(6, 2);
  Ragged few = queries;
  KeyRows few_keys = keys;
  add(60, 64);
  options.dropout = {0.3f, 9};
  for (const Widths& w : {Widths{4, 2, 64, 64}, Widths{3, 3, 70, 97}, Widths{4, 4, 5, 8}}) {
    draw(w);
    options.scores.bias = w.heads == 4 ? ScoreBias::alibi : ScoreBias::none;
    const int64_t rows = few.rows();
    Tensor whole(dout.shape()), whole_log({queries.rows(), w.heads});
    Tensor out({rows, dout.columns()}), log({rows, w.heads});
    device->attention({query, key, value}, layout(), options, {whole, whole_log});
    device->attention({query.slice(0, rows), key, value}, {few, few_keys, mask}, options,
                      {out, log});
    expect_same_bits(out, copy_of(whole.slice(0, rows)), "out");
    expect_same_bits(log, copy_of(whole_log.slice(0, rows)), "logsumexp");
  }
}

// Results that depended on it would show a missing barrier.
TEST_F(DeviceAttention, TheOrderOfThreadsChangesNoBit) {
  add(40, 40), add(9, 70), add(20, 20);
  for (const Widths& w : {Widths{2, 1, 72, 40}, Widths{2, 2, 24, 24}}) {
    draw(w);
    std::vector<Tensor> first;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      cuda::set_emulation_seed(seed);
      Tensor out(dout.shape()), log({queries.rows(), w.heads});
      Tensor dquery(query.shape()), dkey(key.shape()), dvalue(value.shape());
      device->attention({query, key, value}, layout(), options, {out, log});
      device->attention_gradient(dout, {query, key, value}, layout(), options, {out, log},
                                 {dquery, dkey, dvalue});
      const std::vector<Tensor> got = {out, log, dquery, dkey, dvalue};
      if (first.empty()) first = got;
      for (size_t i = 0; i < got.size(); ++i)
        expect_same_bits(got[i], first[i], fmt::format("result {}, seed {}", i, seed));
    }
  }
}

}  // namespace
}  // namespace heed::testing
