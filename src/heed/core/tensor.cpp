#include "heed/core/tensor.h"

#include <sys/mman.h>

#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

namespace heed {
namespace {

constexpr int64_t kAlignment = 64;

// Tensors from this size on come from the system: their zeros cost nothing until they are written,
// and freeing them gives the memory back.
constexpr int64_t kMapped = int64_t{256} << 10;

// How many times larger than what is asked for a pool's block may be.
constexpr int64_t kGenerosity = 4;

std::byte* allocate(int64_t bytes) {
  return static_cast<std::byte*>(
      ::operator new(size_t(std::max<int64_t>(bytes, 1)), std::align_val_t(kAlignment)));
}

// nullptr is nothing.
void release(std::byte* data) {
  ::operator delete(data, std::align_val_t(kAlignment));
}

int64_t bytes_of(const Shape& shape, DType type) {
  const int64_t count = element_count(shape);
  check(count <= (int64_t{1} << 62) / size_of(type), "shape overflows");
  return count * size_of(type);
}

}  // namespace

const char* name(DType type) {
  return type == DType::f32 ? "f32" : type == DType::f64 ? "f64" : "bf16";
}

int64_t element_count(const Shape& shape) {
  int64_t count = 1;
  for (int64_t n : shape) {
    check(n >= 0, "negative dimension");
    check(!__builtin_mul_overflow(count, n, &count), "shape overflows");
  }
  return count;
}

std::string to_string(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Tensor::Tensor(Shape shape, DType type)
    : shape_(std::move(shape)), size_(element_count(shape_)), type_(type) {
  storage_ = std::make_shared<Storage>();
  storage_->bytes = bytes_of(shape_, type);
  if (storage_->bytes >= kMapped) {
    const auto size = size_t(storage_->bytes);
    void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    storage_->data = static_cast<std::byte*>(mapped);
    storage_->owner =
        std::shared_ptr<std::byte>(storage_->data, [size](std::byte* p) { munmap(p, size); });
    return;
  }
  storage_->data = allocate(storage_->bytes);
  storage_->owner = std::shared_ptr<std::byte>(storage_->data, release);
  std::memset(storage_->data, 0, size_t(storage_->bytes));
}

Tensor Tensor::without_values(Shape shape, DType type) {
  auto storage = std::make_shared<Storage>();
  storage->bytes = bytes_of(shape, type);
  return Tensor(std::move(storage), std::move(shape), type);
}

void Tensor::give_up_values() const {
  check(storage_->prepared != nullptr, "values given up that have no prepared form");
  storage_->data = nullptr;
  storage_->owner.reset();
}

Tensor::Tensor(std::shared_ptr<Storage> storage, Shape shape, DType type, int64_t offset)
    : storage_(std::move(storage)),
      shape_(std::move(shape)),
      size_(element_count(shape_)),
      offset_(offset),
      type_(type) {
  check(offset >= 0 && (offset + size_) * size_of(type) <= storage_->bytes,
        "view outside its storage");
}

int64_t Tensor::dim(int i) const {
  const int n = int(shape_.size());
  check(i < n && i >= -n, "no such dimension");
  return shape_[size_t(i < 0 ? n + i : i)];
}

Tensor Tensor::slice(int64_t begin, int64_t end) const {
  check(!shape_.empty() && 0 <= begin && begin <= end && end <= shape_[0], "slice out of range");
  Shape shape = shape_;
  shape[0] = end - begin;
  const int64_t stride = shape_[0] == 0 ? 0 : size_ / shape_[0];
  return Tensor(storage_, std::move(shape), type_, offset_ + begin * stride);
}

Tensor Tensor::reshape(Shape shape) const {
  check(element_count(shape) == size_, "reshape changes the size");
  return Tensor(storage_, std::move(shape), type_, offset_);
}

namespace {

// Whether this number of values fills a shape, which may be any.
bool fill(const Shape& shape, size_t values) {
  int64_t count = 1;
  for (const int64_t n : shape)
    if (n < 0 || __builtin_mul_overflow(count, n, &count)) return false;
  return uint64_t(count) == values;
}

}  // namespace

template <class T>
Tensor tensor_of(Shape shape, std::span<const T> values) {
  if (!fill(shape, values.size()))
    fail_usage("tensor_of: expected as many values as shape {} holds, got {}", to_string(shape),
               values.size());
  Tensor tensor(std::move(shape), dtype_of<T>());
  if (values.empty()) return tensor;
  std::memcpy(tensor.bytes(), values.data(), values.size_bytes());
  return tensor;
}
template Tensor tensor_of<float>(Shape, std::span<const float>);
template Tensor tensor_of<double>(Shape, std::span<const double>);

struct Pool::State {
  struct Return;
  using FreeBlocks = std::multimap<int64_t, std::byte*>;  // size class -> block, nullptr if counted

  std::mutex mutex;
  FreeBlocks free;
  int64_t held = 0;
  Blocks blocks = Blocks::real;

  ~State() {
    for (auto& [size, block] : free) release(block);
  }

  // Takes a block of `size` bytes or somewhat more out of the list, or a new one.
  FreeBlocks::node_type take(int64_t size) {
    std::lock_guard lock(mutex);
    const auto found = free.lower_bound(size);
    if (found != free.end() && found->first <= kGenerosity * size) return free.extract(found);
    make_room(size);
    FreeBlocks fresh;
    fresh.emplace(size, nullptr);
    if (blocks == Blocks::real) fresh.begin()->second = allocate(size);
    held += size;  // last: whatever is above may throw
    return fresh.extract(fresh.begin());
  }

  // Before a new block: gives up free ones that are too small for it, the largest first, until they
  // make up for it. So batches of ever other sizes end with the blocks of the largest ones.
  void make_room(int64_t size) {
    int64_t given = 0;
    while (given < size) {
      auto smaller = free.lower_bound(size);
      if (smaller == free.begin()) return;
      --smaller;
      release(smaller->second);
      given += smaller->first;
      held -= smaller->first;
      free.erase(smaller);
    }
  }
};

// Frees a tensor's memory: its block goes back to the list, in the node that it came out with, so
// that nothing is allocated, which could fail.
struct Pool::State::Return {
  std::shared_ptr<State> state;  // a tensor may outlive its pool
  FreeBlocks::node_type block;

  void operator()(std::byte*) {
    std::lock_guard lock(state->mutex);
    state->free.insert(std::move(block));
  }
};

Pool::Pool(Blocks blocks) : state_(std::make_shared<State>()) {
  state_->blocks = blocks;
}

namespace {

// Rounds up so that batches of nearly the same size share blocks: at most an eighth is wasted.
int64_t size_class(int64_t bytes) {
  if (bytes <= 512) return 512;
  const int64_t step = int64_t(std::bit_floor(uint64_t(bytes))) / 8;
  return (bytes + step - 1) / step * step;
}

}  // namespace

Tensor Pool::tensor(Shape shape, DType type) {
  const int64_t size = size_class(bytes_of(shape, type));
  auto storage = std::make_shared<Storage>();
  State::Return to_pool{state_, state_->take(size)};
  storage->data = to_pool.block.mapped();
  storage->bytes = to_pool.block.key();
  // Where this throws, it has given the block back.
  storage->owner = std::shared_ptr<std::byte>(storage->data, std::move(to_pool));
  return Tensor(std::move(storage), std::move(shape), type);
}

int64_t Pool::bytes_held() const {
  std::lock_guard lock(state_->mutex);
  return state_->held;
}

void Pool::trim() {
  std::lock_guard lock(state_->mutex);
  for (auto& [size, block] : state_->free) {
    release(block);
    state_->held -= size;
  }
  state_->free.clear();
}

}  // namespace heed
