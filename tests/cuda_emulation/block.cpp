// Runs the blocks of a launch: see cuda_thread.h.
#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>
#include <exception>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda_emulation/cuda_thread.h"
#include "cuda_emulation/emulation.h"
#include "cuda_emulation/stack_switch.h"
#include "heed/core/error.h"
#include "heed/core/rng.h"

namespace heed::cuda {
namespace {

namespace context = boost::context;

struct Settings {
  Random random{1};
  std::optional<BarrierSite> left_out;
  std::set<BarrierSite> reached;

  bool leaves_out(const detail::Site& site) const {
    return left_out && left_out->line == int(site.line()) && left_out->file == site.file_name();
  }
};
Settings& settings() {
  static thread_local Settings settings;
  return settings;
}

constexpr size_t kStackBytes = 64 << 10;

// Gives out stacks that are kept from block to block.
class Stacks {
 public:
  Stack stack(size_t i) {
    while (stacks_.size() <= i) stacks_.push_back(std::make_unique<std::byte[]>(kStackBytes));
    const Stack stack = {stacks_[i].get(), kStackBytes};
    clean_stack(stack);
    return stack;
  }

 private:
  std::vector<std::unique_ptr<std::byte[]>> stacks_;
};

// Frees nothing: the stacks are Stacks'.
struct NoAllocator {
  context::stack_context allocate() { return {}; }
  void deallocate(context::stack_context&) noexcept {}
};

}  // namespace

namespace detail {

class Block {
 public:
  Block(int threads, int64_t shared_bytes) : shared_bytes_(shared_bytes) {
    threads_.resize(size_t(threads));
    ready_.resize(size_t(threads / kWarp));
  }

  // Threads that wait for what never comes are unwound.
  ~Block() {
    unwinds_ = true;
    for (size_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].state != State::done) resume(i);
  }

  void run(int64_t number, int64_t count, const std::function<void(const Place&)>& kernel) {
    for (size_t i = 0; i < threads_.size(); ++i) {
      start(i, {this, number, count, int(i), int(threads_.size())}, kernel);
      make_ready(i);
    }
    while (!error_ && (choose_warp() || release_barrier())) step();
    if (error_) std::rethrow_exception(error_);
  }

  void barrier(const Site& site) {
    if (running_ == 0) settings().reached.insert({site.file_name(), int(site.line())});
    if (settings().leaves_out(site)) return;
    threads_[running_].state = State::at_barrier;
    suspend();
  }

  uint64_t exchange(uint64_t value, int from, const Site& site) {
    check(from >= 0 && from < kWarp, "no such lane");
    const size_t warp = running_ / kWarp * kWarp;
    FiberThread& own = threads_[running_];
    // What was passed last stays for lanes that have not read it yet.
    const size_t turn = own.exchanges++ % 2;
    own.passed[turn] = value;
    own.state = State::at_exchange;
    own.site = site;
    if (all_exchange(warp))
      for (size_t i = warp; i < warp + kWarp; ++i) make_ready(i);
    suspend();
    return threads_[warp + size_t(from)].passed[turn];
  }

  void* take_shared(int number, int64_t bytes) {
    if (size_t(number) == pieces_.size()) {
      used_ += (bytes + 15) / 16 * 16;
      check(used_ <= shared_bytes_, "a kernel takes more shared memory than its launch asked for");
      pieces_.push_back({std::make_unique<std::byte[]>(size_t(bytes)), bytes});
      std::memset(pieces_.back().data.get(), 0xff, size_t(bytes));
    }
    const Piece& piece = pieces_.at(size_t(number));
    check(piece.bytes == bytes, "threads of a block take different pieces of shared memory");
    return piece.data.get();
  }

 private:
  enum class State { ready, at_barrier, at_exchange, done };
  struct FiberThread {
    State state = State::done;
    Stack stack;
    context::fiber fiber, host;
    Stack host_stack;
    size_t exchanges = 0;
    Site site;  // of the last exchange
    uint64_t passed[2] = {0, 0};
  };
  struct Unwound {};  // thrown in threads that shall end
  struct Piece {
    std::unique_ptr<std::byte[]> data;
    int64_t bytes;
  };

  // Chooses whose turn it is: a warp keeps it while it can go on, for patience_ steps on average.
  // Otherwise no warp would ever be far ahead of another. False if no thread is ready.
  bool choose_warp() {
    Random& random = settings().random;
    if (!ready_[turn_].empty() && random.below(patience_) > 0) return true;
    turn_ = random.below(ready_.size());
    for (size_t i = 0; i < ready_.size(); ++i, turn_ = (turn_ + 1) % ready_.size())
      if (!ready_[turn_].empty()) return true;
    return false;
  }
  // Runs one thread of that warp, chosen at random, until it waits or ends.
  void step() {
    std::vector<size_t>& ready = ready_[turn_];
    std::swap(ready[settings().random.below(ready.size())], ready.back());
    const size_t next = ready.back();
    ready.pop_back();
    resume(next);
  }
  void start(size_t i, const Place& place, const std::function<void(const Place&)>& kernel) {
    static thread_local Stacks stacks;
    FiberThread& own = threads_[i];
    own.stack = stacks.stack(i);
    context::stack_context stack;
    stack.size = own.stack.size;
    stack.sp = static_cast<std::byte*>(const_cast<void*>(own.stack.bottom)) + stack.size;
    own.fiber =
        context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack),
                       NoAllocator(), [this, &own, place, &kernel](context::fiber&& host) {
                         own.host = std::move(host);
                         own.host_stack = enter_stack(nullptr);
                         run_thread(place, kernel);
                         own.state = State::done;
                         leave_stack(nullptr, own.host_stack);
                         return std::move(own.host);
                       });
  }
  void run_thread(const Place& place, const std::function<void(const Place&)>& kernel) {
    if (unwinds_) return;
    try {
      kernel(place);
    } catch (const Unwound&) {
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  // From the host to a thread, until it waits or ends.
  void resume(size_t i) {
    running_ = i;
    void* host = nullptr;
    leave_stack(&host, threads_[i].stack);
    threads_[i].fiber = std::move(threads_[i].fiber).resume();
    enter_stack(host);
  }
  // From a thread to the host, until it is resumed.
  void suspend() {
    FiberThread& own = threads_[running_];
    void* frames = nullptr;
    leave_stack(&frames, own.host_stack);
    own.host = std::move(own.host).resume();
    own.host_stack = enter_stack(frames);
    if (unwinds_) throw Unwound();
  }
  // Whether all lanes of a warp are at an exchange, which must be the same.
  bool all_exchange(size_t warp) const {
    for (size_t i = warp; i < warp + kWarp; ++i)
      if (threads_[i].state != State::at_exchange) return false;
    for (size_t i = warp; i < warp + kWarp; ++i)
      check(threads_[i].site.line() == threads_[warp].site.line() &&
                std::string_view(threads_[i].site.file_name()) == threads_[warp].site.file_name(),
            "the lanes of a warp exchange values at different places");
    return true;
  }
  void make_ready(size_t i) {
    threads_[i].state = State::ready;
    ready_[i / kWarp].push_back(i);
  }
  // Called when no thread can go on. Whether they waited at a barrier: then they are ready again.
  bool release_barrier() {
    size_t waiting = 0;
    for (const FiberThread& thread : threads_) {
      check(thread.state != State::at_exchange, "a warp exchanges values without all of its lanes");
      waiting += thread.state == State::at_barrier;
    }
    if (waiting == 0) return false;
    check(waiting == threads_.size(), "a barrier that not all threads of the block reach");
    for (size_t i = 0; i < threads_.size(); ++i) make_ready(i);
    return true;
  }

  std::vector<FiberThread> threads_;
  std::vector<std::vector<size_t>> ready_;  // of each warp
  size_t turn_ = 0;                         // the warp that runs
  const uint64_t patience_ = uint64_t{1} << settings().random.below(11);
  size_t running_ = 0;
  std::exception_ptr error_;
  bool unwinds_ = false;
  const int64_t shared_bytes_;
  int64_t used_ = 0;
  std::vector<Piece> pieces_;
};

void barrier(Block& block, const Site& site) {
  block.barrier(site);
}

uint64_t exchange(Block& block, uint64_t value, int from, const Site& site) {
  return block.exchange(value, from, site);
}

void* take_shared(Block& block, int number, int64_t bytes) {
  return block.take_shared(number, bytes);
}

void run_blocks(int64_t blocks, int threads, int64_t shared_bytes,
                const std::function<void(const Place&)>& kernel) {
  std::vector<int64_t> order(static_cast<size_t>(blocks));
  std::iota(order.begin(), order.end(), int64_t{0});
  settings().random.shuffle(order);
  for (const int64_t number : order) Block(threads, shared_bytes).run(number, blocks, kernel);
}

}  // namespace detail

void set_emulation_seed(uint64_t seed) {
  settings().random = Random(seed);
}

std::set<BarrierSite> take_barriers_reached() {
  return std::exchange(settings().reached, {});
}

void leave_out_barrier(const std::optional<BarrierSite>& site) {
  settings().left_out = site;
}

}  // namespace heed::cuda
