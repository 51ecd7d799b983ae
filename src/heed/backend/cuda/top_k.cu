// The best k of a piece are found in three steps, each of which leaves fewer classes. 1. Each group
// of threads has a part of the classes. The k-th greatest of the parts' maxima is a bar: at least k
// classes reach it, and all that do are in the k parts whose maxima do. 2. The same with a part for
// each thread. 3. The classes that are left are ranked by counting the greater ones: keys differ,
// so that the result is the same whatever the order in which they were listed.
#include "heed/backend/cuda/parts-inl.h"
#include "heed/backend/cuda/row_scan-inl.h"
#include "heed/backend/cuda/top_k.h"
#include "heed/backend/cuda/top_k_key-inl.h"

namespace heed::cuda {
namespace {

constexpr int64_t kMostClassesOfPiece = 40960;
constexpr int kGroup = 8;  // threads of a group, neighbours in a warp

constexpr int64_t round_up(int64_t n, int64_t step) {
  return (n + step - 1) / step * step;
}

// The classes of a piece.
struct Piece {
  const float* logits;
  int count;
  int64_t first;  // the id of the first one

  __device__ uint64_t key(float logit, int c) const { return key_of(logit, first + c); }
};

// The greatest key of a thread's part of a piece, and its share of the sum.
struct Scan {
  Exponentials exponentials;
  uint64_t best = kNoKey;
};

template <bool kAligned>
__device__ Scan scan_piece(const Thread& thread, const Piece& piece) {
  Scan scan;
  float highest = -INFINITY;
  int at = 4 * thread.index();  // the first four that has it
  for_each_four<kAligned>(thread, piece.logits, piece.count, [&](const Four& x, int c, int) {
    const float highest_of_four = highest_of(x);
    if (highest_of_four > highest) {
      highest = highest_of_four;
      at = c;
      scan.exponentials.raise(highest);
    }
    scan.exponentials.add(x);
  });
  for (int c = at; c < at + 4 && c < piece.count; ++c) {
    const uint64_t key = piece.key(piece.logits[c], c);
    if (key > scan.best) scan.best = key;
  }
  return scan;
}

// Where a thread's share begins among the shares of all threads of the block.
struct Offset {
  int begin, total;
};
// `partial` is shared memory for one value a warp, and must not be written again before the
// caller's next barrier.
__device__ Offset offset_of(const Thread& thread, int count, int* partial) {
  int end = count;
  for (int step = 1; step < kWarp; step *= 2) {
    const int before = thread.shuffle(end, (thread.lane() + kWarp - step) % kWarp);
    if (thread.lane() >= step) end += before;
  }
  if (thread.lane() == kWarp - 1) partial[thread.warp()] = end;
  thread.barrier();
  Offset offset = {end - count, 0};
  for (int i = 0; i < thread.warps(); ++i) {
    if (i < thread.warp()) offset.begin += partial[i];
    offset.total += partial[i];
  }
  return offset;
}

// How many of the keys are greater.
__device__ int rank_of(uint64_t key, const uint64_t* keys, int count) {
  int rank = 0;
  for (int i = 0; i < count; ++i) rank += keys[i] > key ? 1 : 0;
  return rank;
}

// Sets the bar to the k-th greatest key, if there are that many.
__device__ void set_bar(const Thread& thread, const uint64_t* keys, int count, int k,
                        uint64_t* bar) {
  for (int i = thread.index(); i < count; i += thread.threads())
    if (rank_of(keys[i], keys, count) == k - 1) *bar = keys[i];
}

// Memory for few_best().
struct Workspace {
  // Classes of a thread.
  static constexpr int64_t thread_classes(int64_t piece, int threads) {
    return round_up(piece, 4 * threads) / threads;
  }
  static constexpr int64_t listed_threads(int64_t k, int threads) {
    return k * kGroup < threads ? k * kGroup : threads;
  }
  static constexpr int64_t bytes(int64_t piece, int64_t k, int threads) {
    const int64_t keys =
        threads / kGroup + listed_threads(k, threads) + k * thread_classes(piece, threads) + 2;
    return keys * int64_t(sizeof(uint64_t)) + threads / kWarp * int64_t(sizeof(double)) + 5 * 16;
  }

  __device__ Workspace(const Thread& thread, int64_t piece, int64_t k) {
    SharedMemory shared(thread);
    sums = shared.take<double>(thread.warps());
    groups = shared.take<uint64_t>(thread.threads() / kGroup);
    threads = shared.take<uint64_t>(listed_threads(k, thread.threads()));
    classes = shared.take<uint64_t>(k * thread_classes(piece, thread.threads()));
    bars = shared.take<uint64_t>(2);
  }

  double* sums;
  uint64_t* groups;   // the greatest key of each group of threads
  uint64_t* threads;  // those of threads that reach the first bar
  uint64_t* classes;  // those of classes that reach the second one
  uint64_t* bars;
};

// Lists the keys of the piece that are among the k greatest, and few others, in no order. Returns
// their number: at least k, if there are so many. `best` is the greatest of this thread.
template <bool kAligned>
__device__ int list_candidates(const Thread& thread, const Piece& piece, int k, uint64_t best,
                               const Workspace& work) {
  auto* const partial = reinterpret_cast<int*>(work.sums);
  uint64_t group = best;
  for (int mask = kGroup / 2; mask > 0; mask /= 2) {
    const uint64_t other = thread.shuffle_xor(group, mask);
    if (other > group) group = other;
  }
  if (thread.index() % kGroup == 0) work.groups[thread.index() / kGroup] = group;
  if (thread.index() == 0) work.bars[0] = work.bars[1] = kNoKey;
  thread.barrier();
  set_bar(thread, work.groups, thread.threads() / kGroup, k, &work.bars[0]);
  thread.barrier();
  const bool is_listed = best != kNoKey && best >= work.bars[0];
  const Offset listed = offset_of(thread, is_listed ? 1 : 0, partial);
  if (is_listed) work.threads[listed.begin] = best;
  thread.barrier();
  set_bar(thread, work.threads, listed.total, k, &work.bars[1]);
  thread.barrier();
  const uint64_t bar = work.bars[1];
  // Calls f(key) for the classes of this thread that reach the bar.
  const auto for_each_reaching = [&](const auto& f) {
    if (best == kNoKey || best < bar) return;
    for_each_four<kAligned>(thread, piece.logits, piece.count, [&](const Four& x, int c, int n) {
      for (int i = 0; i < 4; ++i) {
        const uint64_t key = piece.key(x.values[i], c + i);
        if (i < n && key >= bar) f(key);
      }
    });
  };
  int count = 0;
  for_each_reaching([&](uint64_t) { ++count; });
  const Offset candidates = offset_of(thread, count, partial);
  int next = candidates.begin;
  for_each_reaching([&](uint64_t key) { work.classes[next++] = key; });
  thread.barrier();
  return candidates.total;
}

template <bool kAligned>
__device__ void best_of_piece(const Thread& thread, const TopKOperands& operands,
                              const RowPieces& pieces, const Piece& piece) {
  const auto k = int(operands.k);
  const Workspace work(thread, pieces.classes, k);
  const Scan scan = scan_piece<kAligned>(thread, piece);
  const float top = block_max(thread, scan.exponentials.top, reinterpret_cast<float*>(work.sums));
  const PieceSum sum = {block_sum(thread, scan.exponentials.sum_below(top), work.sums), top};
  if (operands.sums && thread.index() == 0) operands.sums[thread.block()] = sum;
  if (k == 0) return;
  const int count = list_candidates<kAligned>(thread, piece, k, scan.best, work);
  const double normalizer = normalizer_of(sum);
  for (int i = thread.index(); i < count; i += thread.threads()) {
    const uint64_t key = work.classes[i];
    const int rank = rank_of(key, work.classes, count);
    if (rank >= k) continue;
    if (pieces.count == 1)
      operands.best[thread.block() * k + rank] = class_of(key, normalizer);
    else
      operands.keys[thread.block() * k + rank] = key;
  }
}

// A block for each piece: its sum, and its best k, unless k is 0.
template <int kThreads>
void launch_pieces(const TopKOperands& operands, const RowPieces& pieces) {
  launch<kThreads>(
      operands.rows * pieces.count, Workspace::bytes(pieces.classes, operands.k, kThreads),
      [=] __device__(const Thread& thread) {
        const int64_t row = thread.block() / pieces.count;
        const int64_t first = thread.block() % pieces.count * pieces.classes;
        const int64_t left = operands.classes - first;
        const Piece piece = {operands.logits + row * operands.classes + first,
                             int(left < pieces.classes ? left : pieces.classes), first};
        if (is_aligned(piece.logits))
          best_of_piece<true>(thread, operands, pieces, piece);
        else
          best_of_piece<false>(thread, operands, pieces, piece);
      });
}

void launch_pieces_of(const TopKOperands& operands, const RowPieces& pieces) {
  if (operands.classes <= kShortRow)
    launch_pieces<kFewThreads>(operands, pieces);
  else
    launch_pieces<kManyThreads>(operands, pieces);
}

// The best of each row from those of its pieces.
void merge_pieces(const TopKOperands& operands, const RowPieces& pieces) {
  launch<kFewThreads>(operands.rows, 0, [=] __device__(const Thread& thread) {
    const int64_t row = thread.block();
    const auto k = int(operands.k), count = int(pieces.count) * k;
    const uint64_t* const keys = operands.keys + row * count;
    const double normalizer = normalizer_of(operands.sums + row * pieces.count, pieces.count);
    for (int i = thread.index(); i < count; i += thread.threads()) {
      const int rank = rank_of(keys[i], keys, count);
      if (rank < k) operands.best[row * k + rank] = class_of(keys[i], normalizer);
    }
  });
}

// Keys that a block sorts in shared memory.
constexpr int64_t kMostOfChunk = 4096;
constexpr int kSortThreads = 1024;

// A pair of the bitonic sort, in which runs of 2, 4, ... keys become sorted in turns descending and
// ascending, and all strides are powers of 2.
__device__ void order_pair(uint64_t* keys, int64_t i, int64_t stride, bool descending) {
  const uint64_t a = keys[i], b = keys[i + stride];
  if ((a < b) != descending) return;
  keys[i] = b;
  keys[i + stride] = a;
}
// The lower index of pair `number`, which is q * stride + r with r < stride: 2 q stride + r, since
// `stride` lower indices are followed by as many upper ones.
__device__ int64_t pair_begin(int64_t number, int64_t stride) {
  return 2 * number - (number & (stride - 1));
}

// Sorts runs of first_size, then 2 first_size, ... last_size keys, as far as strides are within a
// chunk. A row has `length` keys, and is in descending order when size is length.
void sort_chunks(uint64_t* all, int64_t total, int64_t length, int64_t first_size,
                 int64_t last_size) {
  const int64_t chunk = length < kMostOfChunk ? length : kMostOfChunk;
  launch<kSortThreads>(
      total / chunk, chunk * int64_t(sizeof(uint64_t)), [=] __device__(const Thread& thread) {
        SharedMemory shared(thread);
        auto* const keys = shared.take<uint64_t>(chunk);
        uint64_t* const own = all + thread.block() * chunk;
        const int64_t offset = thread.block() * chunk % length;
        for (int64_t i = thread.index(); i < chunk; i += kSortThreads) keys[i] = own[i];
        for (int64_t size = first_size; size <= last_size; size *= 2) {
          for (int64_t stride = (size < chunk ? size : chunk) / 2; stride > 0; stride /= 2) {
            thread.barrier();
            for (int64_t pair = thread.index(); pair < chunk / 2; pair += kSortThreads) {
              const int64_t i = pair_begin(pair, stride);
              order_pair(keys, i, stride, ((offset + i) & size) == 0);
            }
          }
        }
        thread.barrier();
        for (int64_t i = thread.index(); i < chunk; i += kSortThreads) own[i] = keys[i];
      });
}

// One step whose stride is not within a chunk.
void sort_step(uint64_t* all, int64_t total, int64_t length, int64_t size, int64_t stride) {
  launch<256>(blocks_for(total / 2, 256), 0, [=] __device__(const Thread& thread) {
    const int64_t pair = thread.block() * 256 + thread.index();
    if (pair >= total / 2) return;
    const int64_t i = pair_begin(pair, stride);
    order_pair(all, i, stride, (i & (length - 1) & size) == 0);
  });
}

// Sorts each row of `length` keys, a power of 2, in descending order.
void sort_rows(uint64_t* keys, int64_t rows, int64_t length) {
  const int64_t chunk = length < kMostOfChunk ? length : kMostOfChunk;
  sort_chunks(keys, rows * length, length, 2, chunk);
  for (int64_t size = 2 * chunk; size <= length; size *= 2) {
    for (int64_t stride = size / 2; stride >= chunk; stride /= 2)
      sort_step(keys, rows * length, length, size, stride);
    sort_chunks(keys, rows * length, length, size, size);
  }
}

}  // namespace

RowPieces row_pieces(int64_t classes) {
  const int64_t most = blocks_for(classes, kMostClassesOfPiece);
  const int64_t each = round_up(blocks_for(classes, most), 4);
  return {blocks_for(classes, each), each};
}

int64_t sorted_classes(int64_t classes) {
  int64_t length = 2;
  while (length < classes) length *= 2;
  return length;
}

void few_best(const TopKOperands& operands) {
  const RowPieces pieces = row_pieces(operands.classes);
  launch_pieces_of(operands, pieces);
  if (pieces.count > 1) merge_pieces(operands, pieces);
}

void many_best(const TopKOperands& operands) {
  const RowPieces pieces = row_pieces(operands.classes);
  TopKOperands sums_alone = operands;
  sums_alone.k = 0;
  launch_pieces_of(sums_alone, pieces);
  const int64_t length = sorted_classes(operands.classes);
  launch<256>(blocks_for(operands.rows * length, 256), 0, [=] __device__(const Thread& thread) {
    const int64_t i = thread.block() * 256 + thread.index();
    if (i >= operands.rows * length) return;
    const int64_t row = i / length, c = i % length;
    operands.keys[i] =
        c < operands.classes ? key_of(operands.logits[row * operands.classes + c], c) : kNoKey;
  });
  sort_rows(operands.keys, operands.rows, length);
  launch<256>(blocks_for(operands.rows * operands.k, 256), 0, [=] __device__(const Thread& thread) {
    const int64_t i = thread.block() * 256 + thread.index();
    if (i >= operands.rows * operands.k) return;
    const int64_t row = i / operands.k;
    const double normalizer = normalizer_of(operands.sums + row * pieces.count, pieces.count);
    operands.best[i] = class_of(operands.keys[row * length + i % operands.k], normalizer);
  });
}

}  // namespace heed::cuda
