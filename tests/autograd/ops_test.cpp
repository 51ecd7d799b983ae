// Every op's gradient against central differences, in double on the reference backend, with
// dropout.
#include "heed/autograd/ops.h"

#include "autograd/op_test.h"

namespace heed {
namespace {

using testing::expect_gradient;
using testing::paper_scores;
using testing::ragged;
using testing::random_tensor;

using OpsTest = testing::OpTest;

TEST_F(OpsTest, LinearWithEveryActivation) {
  const Tensor x = random_tensor({5, 4}, 1), w = random_tensor({3, 4}, 2),
               b = random_tensor({3}, 3);
  for (Activation a : {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh,
                       Activation::silu, Activation::sigmoid, Activation::tanh})
    check_op([&](ForwardPass& p) { return linear(p, x, w, b, a); }, {{"x", x}, {"w", w}, {"b", b}});
  check_op([&](ForwardPass& p) { return linear(p, x, w, Tensor()); }, {{"x", x}, {"w", w}});
}

// The operands of a deferred gradient are enough to compute it; all others are computed as usual.
TEST_F(OpsTest, DeferredGradientsOfALinearLayer) {
  const Tensor x = random_tensor({5, 4}, 1), w = random_tensor({3, 4}, 2),
               b = random_tensor({3}, 3), out = random_tensor({2, 3}, 4);
  const auto gradients = [&](bool deferred) {
    Tape tape(pool_);
    Tensor dx({5, 4}, DType::fp64), dw({3, 4}, DType::fp64), db({3}, DType::fp64),
        dout({2, 3}, DType::fp64);
    tape.watch(x, dx);
    tape.watch(out, dout);
    if (deferred) {
      tape.defer(w);
    } else {
      tape.watch(w, dw);
      tape.watch(b, db);
    }
    ForwardPass p = pass();
    p.tape = &tape;
    const Tensor y = linear(p, linear(p, x, w, b, Activation::gelu), out, Tensor());
    tape.set_gradient(y, random_tensor(y.shape(), 5));
    tape.backward();
    const std::vector<WeightGradientOperands> operands = tape.take_deferred();
    EXPECT_EQ(operands.size(), deferred ? 1u : 0u);
    for (const WeightGradientOperands& g : operands) {
      EXPECT_EQ(g.weight.storage(), w.storage());
      backend_->linear_weight_gradient(g.dy, g.x, 0, dw, &db, WriteMode::overwrite);
    }
    std::vector<double> all;
    for (const Tensor& gradient : {dx, dw, db, dout})
      all.insert(all.end(), gradient.span<double>().begin(), gradient.span<double>().end());
    return all;
  };
  EXPECT_EQ(gradients(true), gradients(false));
}

TEST_F(OpsTest, Embed) {
  Tokens tokens;
  tokens.add(std::vector<TokenId>{1, 2, 1});
  tokens.add(std::vector<TokenId>{4});
  tokens.start = {0, 2};
  const Tensor table = random_tensor({5, 6}, 1), positions = random_tensor({4, 6}, 2);
  check_op(
      [&](ForwardPass& p) {
        return embed(p, tokens, table, positions, {1.7, 0.3, -1});
      },
      {{"table", table}});
}

TEST_F(OpsTest, EmbedLeavesTheFrozenRowAlone) {
  Tokens tokens;
  tokens.add(std::vector<TokenId>{4, 2});
  const Tensor table = random_tensor({5, 2}, 1), positions = random_tensor({4, 2}, 2);
  Tape tape(pool_);
  const Tensor gradient = random_tensor({5, 2}, 3);
  tape.watch(table, gradient);
  ForwardPass p = pass();
  p.tape = &tape;
  const Tensor y = embed(p, tokens, table, positions, {2, 0, 4});
  tape.set_gradient(y, random_tensor(y.shape(), 5));
  tape.backward();
  EXPECT_EQ(gradient.data<double>()[8], 0);
  EXPECT_EQ(gradient.data<double>()[9], 0);
  EXPECT_NE(gradient.data<double>()[4], 0);
}

TEST_F(OpsTest, Dropout) {
  const Tensor x = random_tensor({7, 9}, 1);
  check_op([&](ForwardPass& p) { return dropout(p, x, 0.4); }, {{"x", x}});
}

TEST_F(OpsTest, ActivateGatherAndConcatenate) {
  const Tensor x = random_tensor({4, 3}, 1), y = random_tensor({4, 3}, 2);
  check_op([&](ForwardPass& p) { return activate(p, x, Activation::tanh); }, {{"x", x}});
  Tokens rows;
  rows.add(std::vector<TokenId>{2, 0, 2});
  check_op([&](ForwardPass& p) { return gather_rows(p, x, rows); }, {{"x", x}});
  check_op([&](ForwardPass& p) { return concatenate(p, x, y); }, {{"x", x}, {"y", y}});
  check_op([&](ForwardPass& p) { return concatenate(p, x, add(p, x, x)); }, {{"x", x}});
  ForwardPass plain = pass();
  const Tensor both = concatenate(plain, x, y);
  ASSERT_EQ(both.shape(), Shape({4, 6}));
  EXPECT_EQ(both.data<double>()[6], x.data<double>()[3]);
  EXPECT_EQ(both.data<double>()[9], y.data<double>()[3]);
}

TEST_F(OpsTest, AddNorm) {
  const Tensor x = random_tensor({4, 6}, 1), sublayer = random_tensor({4, 6}, 2);
  const Tensor gain = random_tensor({6}, 3), bias = random_tensor({6}, 4);
  check_op(
      [&](ForwardPass& p) {
        return add_norm(p, x, sublayer, gain, bias, {1e-5, 0.3});
      },
      {{"x", x}, {"sublayer", sublayer}, {"gain", gain}, {"bias", bias}});
}

// The ways in which the values of a sub-layer's output are needed after add_norm.
TEST_F(OpsTest, AddNormLeavesAloneWhatOthersRead) {
  const Tensor x = random_tensor({4, 6}, 1), a = random_tensor({4, 6}, 2);
  const Tensor w = random_tensor({6, 6}, 3), v = random_tensor({6, 6}, 4);
  const Tensor gain = random_tensor({6}, 5), bias = random_tensor({6}, 6);
  const std::vector<std::pair<std::string, Tensor>> inputs{
      {"x", x}, {"a", a}, {"w", w}, {"v", v}, {"gain", gain}, {"bias", bias}};
  const AddNormOptions options{1e-5, 0.3};
  for (Activation activation :
       {Activation::none, Activation::relu, Activation::gelu, Activation::silu}) {
    SCOPED_TRACE(int(activation));
    check_op(
        [&](ForwardPass& p) {
          return add_norm(p, x, linear(p, a, w, {}, activation), gain, bias, options);
        },
        inputs);
  }
  const Ragged layout = ragged({4});
  const KeyRows keys{layout, {}};
  check_op(
      [&](ForwardPass& p) {
        const Tensor value = linear(p, a, v, {});
        return add_norm(p, x, attention(p, {a, a, value}, {layout, keys}, paper_scores(2, 6)), gain,
                        bias, options);
      },
      inputs);
  check_op(
      [&](ForwardPass& p) {  // read before and after
        const Tensor h = linear(p, a, w, {}, Activation::relu);
        const Tensor before = linear(p, h, w, {}), y = add_norm(p, x, h, gain, bias, options);
        return add_norm(p, linear(p, h, w, {}), add_norm(p, before, y, gain, bias, options), gain,
                        bias, options);
      },
      inputs);
  check_op(
      [&](ForwardPass& p) {  // the same tensor twice
        const Tensor h = linear(p, a, w, {});
        return add_norm(p, h, h, gain, bias, options);
      },
      inputs);
}

TEST_F(OpsTest, AddNormTakesTheMemoryOfATemporary) {
  const Tensor x = random_tensor({64, 64}, 1), w = random_tensor({64, 64}, 2);
  const Tensor gain = random_tensor({64}, 3), bias = random_tensor({64}, 4);
  for (const bool recorded : {false, true}) {
    TensorPool pool;
    Tape tape(pool);
    ForwardPass p(*backend_, pool);
    if (recorded) p.tape = &tape;
    const auto held = [&](bool kept) {
      Tensor sublayer = linear(p, x, w, {});
      const Tensor copy = kept ? sublayer : Tensor();
      add_norm(p, x, std::move(sublayer), gain, bias, {});
      return pool.bytes_held();
    };
    const int64_t bytes = x.byte_count();
    EXPECT_LT(held(false), 3 * bytes) << recorded;  // the sum's, the result's, statistics
    EXPECT_GE(held(true), 3 * bytes) << recorded;
  }
}

// Views of one tensor, of the same size and others, used by several ops.
TEST_F(OpsTest, EachViewGetsItsPartOfTheGradient) {
  const Tensor x = random_tensor({4, 6}, 1), w = random_tensor({6, 6}, 2),
               v = random_tensor({6, 6}, 3);
  const Tensor gain = random_tensor({6}, 4), bias = random_tensor({6}, 5);
  const std::vector<std::pair<std::string, Tensor>> inputs{{"x", x}, {"w", w}, {"v", v}};
  check_op(
      [&](ForwardPass& p) {  // two halves
        const Tensor y = linear(p, x, w, {}, Activation::relu);
        return add_norm(p, y.slice(0, 2), linear(p, y.slice(2, 4), v, {}), gain, bias, {});
      },
      inputs);
  check_op(
      [&](ForwardPass& p) {  // a half twice, overlapping parts, the whole
        const Tensor y = linear(p, x, w, {});
        const Tensor z = add_norm(p, y, linear(p, y, v, {}), gain, bias, {});
        const Tensor u =
            add_norm(p, y.slice(1, 3), linear(p, y.slice(0, 2), v, {}), gain, bias, {});
        return add_norm(p, u, linear(p, z.slice(2, 4), w, {}), gain, bias, {});
      },
      inputs);
  check_op([&](ForwardPass& p) { return linear(p, linear(p, x, w, {}).slice(1, 3), v, {}); },
           inputs);
  check_op([&](ForwardPass& p) { return linear(p, x.slice(0, 1), w, {}); }, inputs);
  check_op(
      [&](ForwardPass& p) {
        return linear(p, x.slice(1, 4).reshape({9, 2}), v.reshape({18, 2}), {});
      },
      inputs);
}

TEST_F(OpsTest, TheTapeRefusesWhatHasNoOneGradient) {
  const Tensor x = random_tensor({4, 6}, 1), w = random_tensor({6, 6}, 2);
  Tape tape(pool_);
  ForwardPass p = pass();
  p.tape = &tape;
  const Tensor y = linear(p, x, w, {});
  EXPECT_THROW(tape.record(y, [](const Tensor&) {}), Bug);
  EXPECT_THROW(tape.watch(y, random_tensor({4, 6}, 3)), Bug);
  EXPECT_THROW(tape.set_gradient(y.slice(0, 2), random_tensor({2, 6}, 3)), Bug);
  EXPECT_THROW(tape.set_gradient(y, random_tensor({2, 6}, 3)), Bug);
  tape.set_gradient(y, random_tensor({4, 6}, 3));
  EXPECT_THROW(tape.set_gradient(y, random_tensor({4, 6}, 3)), Bug);
  tape.watch(w, random_tensor({6, 6}, 3));
  EXPECT_THROW(tape.record(w, [](const Tensor&) {}), Bug);
}

TEST_F(OpsTest, AnInputUsedTwiceGetsBothGradients) {
  const Tensor x = random_tensor({4, 6}, 1), w = random_tensor({6, 6}, 2);
  const Tensor gain = random_tensor({6}, 3), bias = random_tensor({6}, 4);
  check_op(
      [&](ForwardPass& p) { return add_norm(p, x, linear(p, x, w, Tensor()), gain, bias, {}); },
      {{"x", x}, {"w", w}});
}

TEST_F(OpsTest, CrossEntropy) {
  const Tensor states = random_tensor({40, 4}, 1), table = random_tensor({7, 4}, 2);
  const Tensor bias = random_tensor({7}, 3);
  std::vector<TokenId> labels;
  for (int i = 0; i < 40; ++i) labels.push_back(i % 7);
  Tape tape(pool_);
  const Tensor dstates({40, 4}, DType::fp64), dtable({7, 4}, DType::fp64), dbias({7}, DType::fp64);
  tape.watch(table, dtable);
  tape.watch(bias, dbias);
  ForwardPass p = pass();
  p.tape = &tape;
  // An op before the loss, so that the gradient of its states has somewhere to go.
  Tensor identity({4, 4}, DType::fp64);
  for (int64_t i = 0; i < 4; ++i) identity.data<double>()[i * 5] = 1;
  tape.watch(states, dstates);
  const LossOptions options{0.1, 0.5};
  cross_entropy(p, linear(p, states, identity, Tensor()), table, bias, labels, options);
  tape.backward();
  const auto loss = [&] {
    ForwardPass plain = pass();
    return 0.5 * cross_entropy(plain, states, table, bias, labels, options).smoothed;
  };
  expect_gradient("states", states, dstates, loss);
  expect_gradient("table", table, dtable, loss);
  expect_gradient("bias", bias, dbias, loss);
}

TEST_F(OpsTest, CrossEntropyWorksInBlocksOfRows) {
  // 8 MiB of logits hold 16 rows of 65,536 doubles: 40 rows need three blocks.
  const int64_t classes = 65536;
  const Tensor states = random_tensor({40, 2}, 1), table = random_tensor({classes, 2}, 2);
  std::vector<TokenId> labels(40, 3);
  ForwardPass p = pass();
  Loss sum;
  for (int64_t r = 0; r < 40; ++r)
    sum += cross_entropy(p, states.slice(r, r + 1), table, Tensor(), Indices{labels[size_t(r)]},
                         {0.1, 1});
  const Loss whole = cross_entropy(p, states, table, Tensor(), labels, {0.1, 1});
  EXPECT_NEAR(whole.smoothed, sum.smoothed, 1e-9);
  EXPECT_NEAR(whole.nll, sum.nll, 1e-9);
  EXPECT_EQ(whole.tokens, 40);
}

TEST_F(OpsTest, ParametersThatNothingUsesGetAZeroGradient) {
  Tape tape(pool_);
  const Tensor x = random_tensor({3}, 1), gradient = random_tensor({3}, 2);
  tape.watch(x, gradient);
  tape.backward();
  EXPECT_EQ(gradient.data<double>()[1], 0);
}

}  // namespace
}  // namespace heed
