// Gradients of ops against central differences, in double on the reference backend, with dropout.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "heed/autograd/ops.h"
#include "reference/reference_backend.h"
#include "support/gradients.h"

namespace heed::testing {

inline Ragged ragged(const std::vector<int64_t>& lengths) {
  Ragged layout;
  for (int64_t n : lengths) layout.add(n);
  return layout;
}

// Runs `op`, weighs its output with fixed random numbers, and checks the gradient of that sum by
// every input.
class OpTest : public ::testing::Test {
 protected:
  using Op = std::function<Tensor(ForwardPass&)>;
  using Inputs = std::vector<std::pair<std::string, Tensor>>;

  ForwardPass pass() {
    ForwardPass p(*backend_, pool_);
    p.dropout_seed = 7;
    return p;
  }

  double weighted(const Tensor& y) const {
    double sum = 0;
    for (int64_t i = 0; i < y.size(); ++i) sum += weights_.data<double>()[i] * y.data<double>()[i];
    return sum;
  }

  // The gradients of the weighted sum by each input.
  std::vector<Tensor> gradients_of(const Op& op, const Inputs& inputs) {
    Tape tape(pool_);
    std::vector<Tensor> gradients;
    for (const auto& [name, x] : inputs) {
      gradients.push_back(random_tensor(x.shape(), 99));  // whatever stood there must not matter
      tape.watch(x, gradients.back());
    }
    ForwardPass recorded = pass();
    recorded.tape = &tape;
    const Tensor y = op(recorded);
    weights_ = random_tensor(y.shape(), 1234);
    tape.set_gradient(y, random_tensor(y.shape(), 1234));  // a copy: backward steps work in place
    tape.backward();
    return gradients;
  }

  void check_op(const Op& op, const Inputs& inputs) {
    const std::vector<Tensor> gradients = gradients_of(op, inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      expect_gradient(inputs[i].first, inputs[i].second, gradients[i], [&] {
        ForwardPass plain = pass();
        return weighted(op(plain));
      });
  }

  std::unique_ptr<Backend> backend_ = make_reference_backend();
  TensorPool pool_;
  Tensor weights_;
};

// The paper's scores of queries with `columns` columns.
inline AttentionScores paper_scores(int64_t heads, int64_t columns) {
  return {heads, std::sqrt(double(heads) / double(columns))};
}

}  // namespace heed::testing
