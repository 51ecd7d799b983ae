// A backend of a device for tests that hold their tensors on the host: each kernel's operands move
// to the device for the time of the call.
#pragma once

#include <memory>
#include <vector>

#include "heed/backend/backend.h"
#include "support/kernel_operands.h"

namespace heed::testing {

class MovingBackend : public Backend {
 public:
  explicit MovingBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {
    static_cast<Kernels&>(*this) = *inner_;
    visit_kernels([this](const char*, auto& kernel) { move_for(kernel); });
    packed_bytes = inner_->packed_bytes;  // of a shape
  }
  std::string name() const override { return inner_->name(); }
  DType compute_type() const override { return inner_->compute_type(); }
  Tuning tuning() const override { return inner_->tuning(); }

 private:
  template <class Result, class... Operands>
  void move_for(std::function<Result(Operands...)>& kernel) {
    if (!kernel) return;
    kernel = [memory = inner_->memory(), inner = kernel](Operands... operands) -> Result {
      // Puts the tensors back at the end.
      struct Moved {
        ~Moved() {
          for (Tensor& tensor : tensors) tensor.move_to(host_memory());
        }
        std::vector<Tensor> tensors;
      } moved;
      const auto move = [&](Tensor x) {
        if (!x.has_values() || !x.storage()->memory->is_host()) return;
        x.move_to(memory);
        moved.tensors.push_back(x);
      };
      const OperandVisitor visitor{move, [](const Indices&) {}};
      (visitor.visit(operands), ...);
      return inner(operands...);
    };
  }

  std::unique_ptr<Backend> inner_;
};

}  // namespace heed::testing
