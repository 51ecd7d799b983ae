// What the tests of every backend leave out of the kernels that go row by row: shapes at which the
// kernels of a device split their work differently, and independence of its order.
#include "backend/compare.h"
#include "cuda_emulation/emulation.h"
#include "heed/backend/cuda/bf16-inl.h"
#include "heed/backend/cuda/memory.h"

namespace heed::testing {
namespace {

class CudaRows : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> backend = make_target({"cuda"});
  std::unique_ptr<Backend> reference = make_reference_backend();
};

struct NormCase {
  NormKind kind = NormKind::layer;
  bool sublayer = true, bias = true;
  WriteMode mode = WriteMode::overwrite;
};
const NormCase kNormCases[] = {
    {},
    {NormKind::rms, true, false, WriteMode::accumulate},
    {NormKind::layer, false, true, WriteMode::accumulate},
    {NormKind::rms, false, false},
};

// y, statistics, sum, dx, dsublayer, dgain and dbias, where the case has them.
std::vector<Tensor> run_norm(Backend& backend, const NormCase& how, const Tensor& x,
                             const Tensor& all_sublayer, const Tensor& dy) {
  const int64_t d = x.columns();
  const Tensor gain = random_tensor({d}, 3), sublayer = how.sublayer ? all_sublayer : Tensor();
  const Tensor bias = how.bias ? random_tensor({d}, 4) : Tensor();
  const NormOptions options{1e-5, {0.1f, 5}, how.kind};
  Tensor y(x.shape()), statistics({x.rows(), 2}), dx = random_tensor(x.shape(), 6);
  Tensor dgain = random_tensor({d}, 7);
  Tensor sum = how.sublayer ? Tensor(x.shape()) : Tensor();
  Tensor dsublayer = how.sublayer ? Tensor(x.shape()) : Tensor();
  Tensor dbias = how.bias ? random_tensor({d}, 8) : Tensor();
  backend.add_norm(x, sublayer, gain, bias, options, sum, statistics, y);
  backend.add_norm_gradient(dy, how.sublayer ? sum : x, statistics, gain, options,
                            {dx, how.mode, dsublayer, dgain, dbias});
  std::vector<Tensor> results{y, statistics, dx, dgain};
  for (const Tensor& tensor : {sum, dsublayer, dbias})
    if (tensor) results.push_back(tensor);
  return results;
}

// Rows that a warp or a block keeps, or reads again; rows fewer and more than blocks.
TEST_F(CudaRows, NormOfEveryWidth) {
  for (const auto& [rows, d] : std::vector<std::pair<int64_t, int64_t>>{
           {5, 300}, {2, 512}, {3, 1000}, {2, 1025}, {2, 2048}, {3, 2051}, {2500, 8}, {1100, 1}}) {
    const Tensor x = random_tensor({rows, d}, 1), sublayer = random_tensor({rows, d}, 2),
                 dy = random_tensor({rows, d}, 5, 0.1);
    for (const NormCase& how : kNormCases) {
      const auto expected = run_norm(*reference, how, x, sublayer, dy);
      const auto got = run_norm(*backend, how, x, sublayer, dy);
      for (size_t i = 0; i < got.size(); ++i)
        expect_close(got[i], expected[i], 1e-4, fmt::format("rows {}, width {}, {}", rows, d, i));
    }
  }
}

// A copy of the values that does not begin at the address of a chunk.
Tensor shifted(const Tensor& x) {
  Tensor wide({x.size() + 1});
  std::copy_n(x.data<float>(), x.size(), wide.data<float>() + 1);
  return Tensor(wide.storage(), x.shape(), DType::fp32, 1);
}

// The bits depend neither on the addresses nor on the order of blocks and threads.
TEST_F(CudaRows, NormHasTheSameBitsAnywhere) {
  for (const int64_t d : {100, 600, 2052}) {
    const Tensor x = random_tensor({9, d}, 1), sublayer = random_tensor({9, d}, 2),
                 dy = random_tensor({9, d}, 5);
    const auto expected = run_norm(*backend, {}, x, sublayer, dy);
    cuda::set_emulation_seed(uint64_t(d));
    const auto got = run_norm(*backend, {}, shifted(x), shifted(sublayer), shifted(dy));
    for (size_t i = 0; i < got.size(); ++i)
      expect_same_bits(got[i], expected[i], fmt::format("width {}, {}", d, i));
  }
}

TEST_F(CudaRows, ANormalizedRowDependsOnItselfAlone) {
  for (const int64_t d : {64, 700, 2049}) {
    const Tensor x = random_tensor({6, d}, 1), gain = random_tensor({d}, 3),
                 bias = random_tensor({d}, 4), dy = random_tensor({6, d}, 5);
    const auto run = [&](int64_t begin, int64_t end) {
      const Tensor rows = x.slice(begin, end);
      Tensor none, y(rows.shape()), statistics({rows.rows(), 2}), dx(rows.shape());
      Tensor dgain({d}), dbias({d});
      backend->add_norm(rows, {}, gain, bias, {}, none, statistics, y);
      backend->add_norm_gradient(dy.slice(begin, end), rows, statistics, gain, {},
                                 {dx, WriteMode::overwrite, none, dgain, dbias});
      return std::pair(y, dx);
    };
    const auto [y, dx] = run(0, 6);
    for (int64_t r = 0; r < 6; ++r) {
      const auto [own_y, own_dx] = run(r, r + 1);
      expect_same_bits(own_y, copy_of(y.slice(r, r + 1)), fmt::format("y, row {}", r));
      expect_same_bits(own_dx, copy_of(dx.slice(r, r + 1)), fmt::format("dx, row {}", r));
    }
  }
}

// Ids of one row, of a few, and of so many that their sum is added from parts.
TEST_F(CudaRows, EmbeddingGradientOfFrequentIds) {
  for (const int64_t d : {6, 520}) {
    std::vector<TokenId> ids;
    for (int32_t r = 0; r < 600; ++r) ids.push_back(r % 3 == 0 ? 4 : r % 7 == 0 ? 1 : r % 40 + 3);
    for (int32_t r = 0; r < 32; ++r) ids.push_back(50);
    Tokens tokens;
    tokens.add(ids);
    const Tensor dout = random_tensor({int64_t(ids.size()), d}, 1, 0.1);
    const Dropout dropout{0.1f, 5};
    const auto run = [&](Backend& on) {
      Tensor dtable = random_tensor({60, d}, 2);
      on.embed_gradient(tokens, dout, 3, dropout, 1, dtable);
      return dtable;
    };
    const Tensor got = run(*backend);
    expect_close(got, run(*reference), 1e-5, fmt::format("width {}", d));
    cuda::set_emulation_seed(uint64_t(d));
    expect_same_bits(run(*backend), got, "another order of blocks");
  }
}

TEST_F(CudaRows, NoRowsToEmbed) {
  Tokens tokens;
  tokens.add({});
  const Tensor table = random_tensor({3, 8}, 1), positions = random_tensor({4, 8}, 2);
  Tensor out({0, 8}), dtable({3, 8});
  backend->embed(tokens, table, positions, 1, {}, out);
  backend->embed_gradient(tokens, out, 1, {}, -1, dtable);
  tokens.add(std::vector<TokenId>{2, 2});  // padding alone
  backend->embed_gradient(tokens, Tensor({2, 8}), 1, {}, 2, dtable);
  expect_same_bits(dtable, Tensor({3, 8}), "no gradient");
}

TEST_F(CudaRows, EmbedsFromAPackedTable) {
  const auto rounding = make_target({"cuda", DType::bf16});
  Tokens tokens;
  tokens.add(std::vector<TokenId>{3, 0, 9, 3});
  for (const int64_t d : {7, 132}) {
    Tensor table = random_tensor({10, d}, 1), values = copy_of(table);
    for (float& value : values.span<float>()) value = cuda::from_bf16(cuda::to_bf16(value));
    Tensor expected({4, d}), got({4, d});
    reference->embed(tokens, values, {}, 2, {0.1f, 5}, expected);
    table.storage()->packed = rounding->pack(table, Purpose::inference);
    table.release_values();
    rounding->embed(tokens, table, {}, 2, {0.1f, 5}, got);
    expect_close(got, expected, 1e-6, fmt::format("width {}", d));
  }
}

TEST_F(CudaRows, CachesRowsInBf16) {
  for (const int64_t d : {7, 512}) {
    Tensor x = random_tensor({3, d}, 1);
    x.data<float>()[0] = NAN;
    x.data<float>()[1] = -INFINITY;
    Tensor got({5, d}, DType::bf16), expected({5, d}, DType::bf16);
    backend->write_cache(x, Indices{4, 0, 2}, got);
    reference->write_cache(x, Indices{4, 0, 2}, expected);
    EXPECT_TRUE(std::isnan(float(got.data<Bf16>()[4 * d])));
    got.data<Bf16>()[4 * d] = expected.data<Bf16>()[4 * d];  // any NaN
    expect_same_bits(got, expected, fmt::format("width {}", d));
  }
}

// More heads than a thread rotates, and angles of many turns.
TEST_F(CudaRows, RotatesManyHeadsFarAway) {
  const Tensor x = random_tensor({4, 9 * 6}, 1);
  const Indices positions{0, 7, 1 << 20, 99'999'999};
  Tensor got(x.shape()), expected(x.shape());
  reference->rotate(x, {positions, 9}, expected, WriteMode::overwrite);
  backend->rotate(x, {positions, 9}, got, WriteMode::overwrite);
  expect_close(got, expected, 2e-6, "rotate");
}

}  // namespace
}  // namespace heed::testing
