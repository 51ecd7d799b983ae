#include "support/isolated_backend.h"

#include "support/kernel_operands.h"

namespace heed::testing {
namespace {

// Every tensor must be in this memory; a Bug names the kernel that was given another. Integers are
// uploaded as a device would.
template <class Result, class... Operands>
void isolate(const std::shared_ptr<TensorMemory>& memory, const char* name,
             std::function<Result(Operands...)>& kernel) {
  if (!kernel) return;
  kernel = [memory, name, inner = kernel](Operands... operands) -> Result {
    const auto expect_here = [&](const Tensor& x) { check(x.storage()->memory == memory, name); };
    const auto upload = [&](const Indices& x) { x.data_in(memory); };
    const OperandVisitor visitor{expect_here, upload};
    (visitor.visit(operands), ...);
    const IsolatedMemory::Access access(static_cast<IsolatedMemory&>(*memory));
    return inner(operands...);
  };
}

}  // namespace

IsolatedBackend::IsolatedBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {
  static_cast<Kernels&>(*this) = *inner_;
  visit_kernels([this](const char* name, auto& kernel) { isolate(memory_, name, kernel); });
  packed_bytes = inner_->packed_bytes;  // of a shape
}

}  // namespace heed::testing
