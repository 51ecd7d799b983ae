#include "heed/autograd/recurrent.h"

#include <cstring>

#include "heed/backend/cpu/cpu_backend.h"
#include "op_test.h"
#include "support/computing.h"

namespace heed {
namespace {

using testing::ragged;
using testing::random_tensor;

struct Layer {
  Cell cell;
  int64_t in, d;
  RecurrentWeights weights;

  Layer(Cell cell, int64_t in, int64_t d, DType type = DType::fp64) : cell(cell), in(in), d(d) {
    const int64_t columns = gates_of(cell) * d;
    weights = {random_tensor({columns, in}, 1, type), random_tensor({columns}, 2, type),
               random_tensor({columns, d}, 3, type), random_tensor({columns}, 4, type)};
  }
};

constexpr ReadingOrder kOrders[] = {ReadingOrder::forward, ReadingOrder::backward};
constexpr Cell kCells[] = {Cell::lstm, Cell::gru};

class RecurrentTest : public testing::OpTest {
 protected:
  Tensor states(const Layer& layer, const Tensor& x, const Ragged& layout,
                ReadingOrder order = ReadingOrder::forward) {
    ForwardPass plain = pass();
    return recurrent(plain, x, layout, layer.weights, {layer.cell, order});
  }
};

// The equations of backend/recurrent.h, of one input and one state.
TEST_F(RecurrentTest, IsItsEquations) {
  const double wi[] = {0.5, -0.4, 0.3, 0.2}, ws[] = {0.1, -0.2, 0.3, -0.1};
  const double inputs[] = {1, -2, 0.5};
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  for (const Cell cell : kCells) {
    Layer layer(cell, 1, 1);
    for (int64_t g = 0; g < gates_of(cell); ++g) {
      layer.weights.input.data<double>()[g] = wi[g];
      layer.weights.state.data<double>()[g] = ws[g];
      layer.weights.input_bias.data<double>()[g] = 0.1;
      layer.weights.state_bias.data<double>()[g] = -0.05;
    }
    double h = 0, c = 0;
    std::vector<double> expected;
    for (const double x : inputs) {
      const auto a = [&](int g) { return wi[g] * x + 0.1; };
      const auto b = [&](int g) { return ws[g] * h - 0.05; };
      if (cell == Cell::lstm) {
        c = sigmoid(a(1) + b(1)) * c + sigmoid(a(0) + b(0)) * std::tanh(a(2) + b(2));
        h = sigmoid(a(3) + b(3)) * std::tanh(c);
      } else {
        const double z = sigmoid(a(1) + b(1));
        const double n = std::tanh(a(2) + sigmoid(a(0) + b(0)) * b(2));
        h = (1 - z) * n + z * h;
      }
      expected.push_back(h);
    }
    Tensor x({3, 1}, DType::fp64);
    std::copy_n(inputs, 3, x.data<double>());
    const Tensor got = states(layer, x, ragged({3}));
    for (size_t t = 0; t < 3; ++t) EXPECT_NEAR(got.data<double>()[t], expected[t], 1e-14);
  }
}

void expect_values(const Tensor& got, std::vector<double> expected) {
  ASSERT_EQ(size_t(got.size()), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(got.data<double>()[i], expected[i], 1e-7) << i;
}

// torch.nn.LSTM(2, 2, bidirectional=True) and torch.nn.GRU of PyTorch 2.15, in double, whose
// parameters are sin(0) / 2, sin(1) / 2, ... in the order of named_parameters(); the loss is the
// sum of 1, 2, ... 12 times the outputs.
TEST_F(RecurrentTest, IsPyTorchs) {
  struct Golden {
    Cell cell;
    std::vector<double> forward, backward, dinput, dstate;
  };
  const Golden goldens[] = {
      {Cell::lstm,
       {-0.128887627, 0.167381465, 0.147972606, -0.253238235, -0.244119011, -0.25330468},
       {-0.0666101645, -0.0658012707, 0.00811904744, 0.0364815228, 0.0307012151, -0.162890275},
       {1.36068227, -0.421824615, -0.637016042, -1.61352097, -0.716526928, 0.576864523, 1.33714416,
        -0.522986034, 2.17525962, 4.75582143, 10.2663735, 2.35393552, 1.05382862, -0.524785958,
        0.141530128, -1.63603267},
       {-0.14946884, 0.227016741, -0.00834962554, 0.0504314081, 0.0878403267, -0.139612229,
        -0.129316886, 0.194384384, 0.25032491, -0.542381784, -0.35469328, 0.320556569, -0.122135677,
        0.189209315, -0.0885460864, 0.168470967}},
      {Cell::gru,
       {0.0632773612, -0.0246999303, 0.499766224, -0.276754513, 0.376028951, -0.36785381},
       {0.380179724, 0.716296702, 0.613217081, 0.770338967, 0.656287519, 0.199533838},
       {-0.030175287, 0.45503235, -0.242161973, 0.187233965, -4.60327176, 0.684545989, 4.42200024,
        1.49851057, 1.05253055, 4.57818867, 4.59615622, -2.66032528},
       {0.169095719, -0.0926794536, -0.015999518, 0.00813714474, 0.190470394, -0.12621201,
        0.516820255, -0.261033227, 0.723161208, -0.395641137, 0.263860987, -0.135561314}}};
  const std::vector<double> values = {0.5, -1.0, 2.0, 0.25, -0.75, 1.5};
  const Tensor x = tensor_of<double>({3, 2}, values);
  for (const Golden& golden : goldens) {
    int number = 0;
    std::vector<RecurrentWeights> directions;
    for (int direction = 0; direction < 2; ++direction) {
      directions.push_back(Layer(golden.cell, 2, 2).weights);
      RecurrentWeights& w = directions.back();
      for (Tensor* tensor : {&w.input, &w.state, &w.input_bias, &w.state_bias})
        for (double& value : tensor->span<double>()) value = std::sin(number++) / 2;
    }
    Tape tape(pool_);
    ForwardPass recorded = pass();
    recorded.tape = &tape;
    Tensor dinput(directions[0].input.shape(), DType::fp64),
        dstate(directions[0].state.shape(), DType::fp64);
    tape.watch(directions[0].input, dinput);
    tape.watch(directions[0].state, dstate);
    const Tensor states = recurrent(recorded, x, ragged({3}), directions[0], {golden.cell});
    expect_values(states, golden.forward);
    const std::vector<double> factors = {1, 2, 5, 6, 9, 10};
    tape.set_gradient(states, tensor_of<double>({3, 2}, factors));
    tape.backward();
    expect_values(dinput, golden.dinput);
    expect_values(dstate, golden.dstate);
    ForwardPass plain = pass();
    expect_values(
        recurrent(plain, x, ragged({3}), directions[1], {golden.cell, ReadingOrder::backward}),
        golden.backward);
  }
}

TEST_F(RecurrentTest, Gradients) {
  const Ragged layout = ragged({3, 0, 5, 1, 3});
  const Tensor x = random_tensor({12, 4}, 7);
  for (const Cell cell : kCells) {
    const Layer layer(cell, 4, 3);
    for (const ReadingOrder order : kOrders)
      check_op(
          [&](ForwardPass& p) {
            return recurrent(p, x, layout, layer.weights, {cell, order});
          },
          {{"x", x},
           {"W", layer.weights.input},
           {"b", layer.weights.input_bias},
           {"U", layer.weights.state},
           {"b'", layer.weights.state_bias}});
  }
}

TEST_F(RecurrentTest, GradientsWithoutBiasesAndOfTwoUses) {
  const Ragged layout = ragged({2, 4});
  const Tensor x = random_tensor({6, 3}, 7);
  for (const Cell cell : kCells) {
    Layer layer(cell, 3, 3);
    layer.weights.input_bias = layer.weights.state_bias = Tensor();
    check_op(
        [&](ForwardPass& p) {
          const Tensor first = recurrent(p, x, layout, layer.weights, {cell});
          return add(p, x,
                     recurrent(p, first, layout, layer.weights, {cell, ReadingOrder::backward}));
        },
        {{"x", x}, {"W", layer.weights.input}, {"U", layer.weights.state}});
  }
}

// Read backward, a sequence gives the states of the reversed one, reversed.
TEST_F(RecurrentTest, BackwardIsForwardOfTheReversedSequence) {
  const int64_t n = 5;
  const Tensor x = random_tensor({n, 4}, 7);
  Tensor reversed({n, 4}, DType::fp64);
  for (int64_t i = 0; i < n; ++i)
    std::copy_n(x.data<double>() + i * 4, 4, reversed.data<double>() + (n - 1 - i) * 4);
  for (const Cell cell : kCells) {
    const Layer layer(cell, 4, 3);
    const Tensor got = states(layer, x, ragged({n}), ReadingOrder::backward);
    const Tensor expected = states(layer, reversed, ragged({n}));
    for (int64_t i = 0; i < n; ++i)
      for (int64_t c = 0; c < 3; ++c)
        EXPECT_EQ(got.data<double>()[i * 3 + c], expected.data<double>()[(n - 1 - i) * 3 + c]);
  }
}

TEST_F(RecurrentTest, NoRowsGiveNoStates) {
  const Layer layer(Cell::lstm, 4, 3);
  EXPECT_EQ(states(layer, Tensor({0, 4}, DType::fp64), Ragged()).rows(), 0);
  EXPECT_EQ(states(layer, Tensor({0, 4}, DType::fp64), ragged({0, 0})).rows(), 0);
}

// The gradients of the two weights, deferred, are the products of what the tape keeps.
TEST_F(RecurrentTest, DeferredGradientsAreThoseOfTheirOperands) {
  const Ragged layout = ragged({3, 2});
  const Tensor x = random_tensor({5, 4}, 7);
  for (const Cell cell : kCells) {
    const Layer layer(cell, 4, 3);
    const auto op = [&](ForwardPass& p) { return recurrent(p, x, layout, layer.weights, {cell}); };
    const std::vector<Tensor> expected =
        gradients_of(op, {{"W", layer.weights.input}, {"U", layer.weights.state}});
    Tape tape(pool_);
    for (const Tensor& weight : {layer.weights.input, layer.weights.state}) tape.defer(weight);
    ForwardPass recorded = pass();
    recorded.tape = &tape;
    tape.set_gradient(op(recorded), random_tensor({5, 3}, 1234));
    tape.backward();
    const std::vector<WeightGradientOperands> deferred = tape.take_deferred();
    ASSERT_EQ(deferred.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
      Tensor dweight(expected[i].shape(), DType::fp64);
      backend_->linear_weight_gradient(deferred[i].dy, deferred[i].x, 0, dweight, nullptr,
                                       WriteMode::overwrite);
      for (int64_t k = 0; k < dweight.size(); ++k)
        EXPECT_NEAR(dweight.data<double>()[k], expected[i].data<double>()[k], 1e-12);
    }
  }
}

// On every instruction set and in every compute type: the states are those of the reference, and a
// sequence has the same bits alone and among others.
class RecurrentOnTargets : public ::testing::TestWithParam<testing::Computing> {};

TEST_P(RecurrentOnTargets, ASequenceHasItsStatesInAnyBatch) {
  const auto backend = make_cpu_backend(GetParam().backend, GetParam().compute);
  const auto reference = make_reference_backend(GetParam().compute);
  TensorPool pool;
  const std::vector<int64_t> lengths = {3, 1, 7, 0, 7, 4};
  const Ragged layout = ragged(lengths);
  const Tensor x = random_tensor({layout.rows(), 20}, 7, DType::fp32);
  for (const Cell cell : kCells) {
    Layer layer(cell, 20, 33, DType::fp32);
    for (Tensor* weight : {&layer.weights.input, &layer.weights.state})
      for (float& value : weight->span<float>()) value *= 0.2f;
    for (const ReadingOrder order : kOrders) {
      const auto run = [&](Backend& on, const Tensor& rows, const Ragged& sequences) {
        ForwardPass pass(on, pool);
        return recurrent(pass, rows, sequences, layer.weights, {cell, order});
      };
      const Tensor got = run(*backend, x, layout), expected = run(*reference, x, layout);
      const double tolerance = GetParam().compute == DType::fp32 ? 1e-5 : 2e-2;
      for (int64_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got.data<float>()[i], expected.data<float>()[i], tolerance) << i;
      for (int64_t b = 0; b < layout.count(); ++b) {
        const int64_t begin = layout.offsets[size_t(b)], end = begin + layout.length(b);
        const Tensor alone = run(*backend, x.slice(begin, end), ragged({layout.length(b)}));
        EXPECT_EQ(0, std::memcmp(alone.bytes(), got.slice(begin, end).bytes(),
                                 size_t(alone.byte_count())))
            << "sequence " << b;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, RecurrentOnTargets,
                         ::testing::ValuesIn(testing::cpu_computings()), [](const auto& info) {
                           return info.param.backend + "_" + name(info.param.compute);
                         });

}  // namespace
}  // namespace heed
