#include "heed/core/tensor.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>

namespace heed {
namespace {

// A pool gives a block that is at most this many times larger than what is asked for.
constexpr int64_t kLargestReuseRatio = 4;

int64_t bytes_of(const Shape& shape, DType type) {
  const int64_t count = element_count(shape);
  check(count <= (int64_t{1} << 62) / size_of(type), "shape overflows");
  return count * size_of(type);
}

// Where a tensor's first element is, in its memory.
std::byte* address(const Tensor& tensor) {
  std::byte* data = tensor.storage()->data;
  return data ? data + tensor.offset() * size_of(tensor.dtype()) : nullptr;
}

// Whether this number of values fills a shape, which may be any.
bool fill(const Shape& shape, size_t values) {
  int64_t count = 1;
  for (const int64_t n : shape)
    if (n < 0 || __builtin_mul_overflow(count, n, &count)) return false;
  return uint64_t(count) == values;
}

// Rounds up so that batches of nearly the same size share blocks: at most an eighth is wasted.
int64_t size_class(int64_t bytes) {
  if (bytes <= 512) return 512;
  const int64_t step = int64_t(std::bit_floor(uint64_t(bytes))) / 8;
  return (bytes + step - 1) / step * step;
}

}  // namespace

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

Tensor::Tensor(Shape shape, DType type, const std::shared_ptr<TensorMemory>& memory)
    : shape_(std::move(shape)), size_(element_count(shape_)), type_(type) {
  storage_ = std::make_shared<Storage>();
  storage_->bytes = bytes_of(shape_, type);
  std::shared_ptr<std::byte> block = memory->zeros(storage_->bytes);
  storage_->data = block.get();
  storage_->owner = std::move(block);
  storage_->memory = memory;
  storage_->rounded.reset();
}

void Tensor::move_to(const std::shared_ptr<TensorMemory>& memory) {
  if (storage_->memory == memory || !has_values()) return;
  const Tensor whole(storage_, {storage_->bytes / size_of(type_)}, type_);
  Tensor moved(whole.shape(), type_, memory);
  copy(whole, moved);
  storage_->owner = moved.storage_->owner;  // before the former block's memory may go
  storage_->data = moved.storage_->data;
  storage_->memory = memory;
  storage_->rounded.reset();
}

void Tensor::release_values() {
  check(storage_->packed != nullptr, "values released that have no packed form");
  storage_->data = nullptr;
  storage_->owner.reset();
}

Tensor to_host(const Tensor& tensor) {
  if (tensor.storage()->memory->is_host()) return tensor;
  Tensor host(tensor.shape(), tensor.dtype());
  copy(tensor, host);
  return host;
}

void copy(const Tensor& from, Tensor& to) {
  check(from.size() == to.size() && from.dtype() == to.dtype(), "copy between unlike tensors");
  to.storage()->rounded.reset();
  TensorMemory &source = *from.storage()->memory, &target = *to.storage()->memory;
  if (&source == &target)
    target.copy(address(from), address(to), to.byte_count());
  else if (source.is_host())
    target.upload(address(from), address(to), to.byte_count());
  else if (target.is_host())
    source.download(address(from), address(to), to.byte_count());
  else
    copy(to_host(from), to);
}

void fill_zeros(Tensor& tensor) {
  tensor.storage()->rounded.reset();
  tensor.storage()->memory->fill_zeros(address(tensor), tensor.byte_count());
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

template <class T>
Tensor tensor_of(Shape shape, std::span<const T> values) {
  if (!fill(shape, values.size()))
    fail_usage("tensor_of: expected as many values as shape {} holds, got {}", to_string(shape),
               values.size());
  Tensor tensor(std::move(shape), dtype_of<T>());
  std::ranges::copy(values, tensor.data<T>());
  return tensor;
}
template Tensor tensor_of<float>(Shape, std::span<const float>);
template Tensor tensor_of<double>(Shape, std::span<const double>);

struct TensorPool::State {
  struct Return;
  using FreeBlocks = std::multimap<int64_t, std::byte*>;  // size class -> block

  explicit State(std::shared_ptr<TensorMemory> from) : memory(std::move(from)) {}
  ~State() {
    for (auto& [size, block] : free) memory->release(block, size);
  }

  const std::shared_ptr<TensorMemory> memory;
  std::mutex mutex;
  FreeBlocks free;
  int64_t held = 0;

  // Takes a block of `size` bytes or somewhat more out of the list, or a new one.
  FreeBlocks::node_type take(int64_t size) {
    std::lock_guard lock(mutex);
    const auto found = free.lower_bound(size);
    if (found != free.end() && found->first <= kLargestReuseRatio * size)
      return free.extract(found);
    make_room(size);
    FreeBlocks fresh;
    fresh.emplace(size, nullptr);
    fresh.begin()->second = memory->allocate(size);
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
      memory->release(smaller->second, smaller->first);
      given += smaller->first;
      held -= smaller->first;
      free.erase(smaller);
    }
  }
};

// Frees a tensor's memory: its block goes back to the list, in the node that it came out with, so
// that nothing is allocated, which could fail.
struct TensorPool::State::Return {
  std::shared_ptr<State> state;  // a tensor may outlive its pool
  FreeBlocks::node_type block;

  void operator()(std::byte*) {
    std::lock_guard lock(state->mutex);
    state->free.insert(std::move(block));
  }
};

TensorPool::TensorPool(std::shared_ptr<TensorMemory> memory)
    : state_(std::make_shared<State>(std::move(memory))) {}

Tensor TensorPool::tensor(Shape shape, DType type) {
  const int64_t size = size_class(bytes_of(shape, type));
  auto storage = std::make_shared<Storage>();
  State::Return to_pool{state_, state_->take(size)};
  storage->data = to_pool.block.mapped();
  storage->bytes = to_pool.block.key();
  storage->memory = state_->memory;
  // Where this throws, it has given the block back.
  storage->owner = std::shared_ptr<std::byte>(storage->data, std::move(to_pool));
  return Tensor(std::move(storage), std::move(shape), type);
}

std::vector<TensorPool> make_tensor_pools(int count, const std::shared_ptr<TensorMemory>& memory) {
  std::vector<TensorPool> pools;
  pools.reserve(size_t(count));
  for (int i = 0; i < count; ++i) pools.emplace_back(memory);
  return pools;
}

int64_t TensorPool::bytes_held() const {
  std::lock_guard lock(state_->mutex);
  return state_->held;
}

void TensorPool::trim() {
  std::lock_guard lock(state_->mutex);
  for (auto& [size, block] : state_->free) {
    state_->memory->release(block, size);
    state_->held -= size;
  }
  state_->free.clear();
}

}  // namespace heed
