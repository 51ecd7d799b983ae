#include "support/failing_new.h"

#include <cstdlib>
#include <limits>
#include <new>

namespace heed::testing {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
// operator new has no argument to reach an object through.
thread_local int64_t working_allocations = kUnlimited;

void* allocate(size_t size, size_t alignment) {
  if (working_allocations != kUnlimited && working_allocations-- <= 0) return nullptr;
  alignment = alignment < sizeof(void*) ? sizeof(void*) : alignment;
  void* data = nullptr;
  return posix_memalign(&data, alignment, size == 0 ? 1 : size) == 0 ? data : nullptr;
}

void* allocate_or_throw(size_t size, size_t alignment) {
  void* data = allocate(size, alignment);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

}  // namespace

FailingNew::FailingNew(int64_t working) {
  working_allocations = working;
}
FailingNew::~FailingNew() {
  working_allocations = kUnlimited;
}

}  // namespace heed::testing

// All forms: a sanitizer has its own of those that are not replaced, and the two do not mix.
using heed::testing::allocate;
using heed::testing::allocate_or_throw;

void* operator new(size_t size) {
  return allocate_or_throw(size, 1);
}
void* operator new[](size_t size) {
  return allocate_or_throw(size, 1);
}
void* operator new(size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, size_t(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, size_t(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, 1);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, 1);
}
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, size_t(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, size_t(alignment));
}
void operator delete(void* data) noexcept {
  std::free(data);
}
void operator delete[](void* data) noexcept {
  std::free(data);
}
void operator delete(void* data, size_t) noexcept {
  std::free(data);
}
void operator delete[](void* data, size_t) noexcept {
  std::free(data);
}
void operator delete(void* data, std::align_val_t) noexcept {
  std::free(data);
}
void operator delete[](void* data, std::align_val_t) noexcept {
  std::free(data);
}
void operator delete(void* data, size_t, std::align_val_t) noexcept {
  std::free(data);
}
void operator delete[](void* data, size_t, std::align_val_t) noexcept {
  std::free(data);
}
