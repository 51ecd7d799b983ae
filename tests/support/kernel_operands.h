// The tensors and integers among the operands of a kernel.
#pragma once

#include <functional>

#include "heed/backend/backend.h"

namespace heed::testing {

// Calls `tensor` for each tensor of an operand that is one, and `indices` for its integers.
struct OperandVisitor {
  std::function<void(const Tensor&)> tensor;
  std::function<void(const Indices&)> indices;

  template <class Other>
  void visit(const Other&) const {}
  void visit(const Tensor& x) const {
    if (x) tensor(x);
  }
  void visit(const Tensor* x) const {
    if (x) visit(*x);
  }
  void visit(Tensor* x) const {
    if (x) visit(*x);
  }
  void visit(const Indices& x) const { indices(x); }
  void visit(const Tokens& x) const {
    for (const Indices* part : {&x.ids, &x.layout.offsets, &x.start}) visit(*part);
  }
  void visit(const AttentionLayout& x) const {
    for (const Indices* part : {&x.queries.offsets, &x.keys.lengths.offsets, &x.keys.rows})
      visit(*part);
    if (x.positions) visit(*x.positions);
  }
  void visit(const ScoreOperands& x) const { visit(x.query), visit(x.key); }
  void visit(const ScoreGradient& x) const { visit(x.dquery), visit(x.dkey); }
  void visit(const AttentionSoftmax& x) const { visit(x.center); }
  void visit(const SoftmaxOutput& x) const { visit(x.softmax), visit(x.weights); }
  void visit(const GaussianGradient& x) const { visit(x.dweights), visit(x.dcenter); }
  void visit(const WeightedSumGradient& x) const { visit(x.dweights), visit(x.dvalue); }
  void visit(const Rotation& x) const { visit(x.positions); }
  void visit(const HeadNormGradient& x) const { visit(x.dx), visit(x.dgain); }
  void visit(const AttentionInput& x) const { visit(x.query), visit(x.key), visit(x.value); }
  void visit(const AttentionOutput& x) const { visit(x.out), visit(x.logsumexp), visit(x.weights); }
  void visit(const AttentionForward& x) const { visit(x.out), visit(x.logsumexp); }
  void visit(const AttentionGradient& x) const { visit(x.dquery), visit(x.dkey), visit(x.dvalue); }
  void visit(const AddNormGradient& x) const {
    visit(x.dx), visit(x.dsublayer), visit(x.dgain), visit(x.dbias);
  }
};

}  // namespace heed::testing
