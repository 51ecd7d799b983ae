#include <algorithm>

#include "heed/backend/cuda/norm.h"
#include "heed/backend/cuda/row_team-inl.h"

namespace heed::cuda {
namespace {

// The gradients of the gain and the bias are sums over all rows: each block adds the rows that it
// computes, in their order, and then the sums of the blocks are added in the order of the blocks.
// The number of blocks depends on the shape alone; at most it is what the 132 processors of an H100
// hold at the same time, given the registers of a thread.
constexpr int64_t kMaxTeams = 132 * 16;
constexpr int64_t kMaxBlockTeams = 132 * 8;  // where each team is a whole block

constexpr int kWideThreads = 256;
constexpr int kSumThreads = 512;
constexpr int kSumGroups = kSumThreads / kWarp;

// The mean and the inverse deviation that a row was normalized by.
struct RowStatistics {
  __device__ RowStatistics(const float* statistics, int64_t row)
      : mean(statistics[2 * row]), inverse(statistics[2 * row + 1]) {}
  __device__ float normal(float value) const { return (value - mean) * inverse; }
  // The gradient of an element of the sum, given g, that of its normalized value, and the row's
  // means of g and of g * normal.
  __device__ float gradient(float g, float normal, float mean_g, float mean_g_normal) const {
    return inverse * fmaf(-normal, mean_g_normal, g - mean_g);
  }

  float mean, inverse;
};

// How many rows a block works on at the same time.
int64_t teams_of(int64_t columns) {
  return columns <= team_columns(1, 4) ? kTeamBlockWarps : 1;
}

int64_t gradient_blocks(int64_t rows, int64_t columns) {
  const int64_t teams = teams_of(columns);
  const int64_t most = teams == 1 ? kMaxBlockTeams : kMaxTeams / teams;
  return std::min(most, blocks_for(rows, teams));
}

// This thread's part of the sums over rows.
template <int kChunks>
struct ColumnSums {
  Chunk dgain[kChunks], dbias[kChunks];
};

// Writes dx and dsublayer of a chunk from c on.
__device__ void put_gradient(const NormGradientOperands& o, Chunk dx, int64_t first, int64_t c,
                             const DropoutFactors& factor, const Columns& columns) {
  if (o.dsublayer) {
    Chunk dropped;
    for (int j = 0; j < kChunk; ++j) dropped.value[j] = dx.value[j] * factor(first + c + j);
    store_chunk(dropped, o.dsublayer + first, c, columns);
  }
  if (o.mode == WriteMode::accumulate) {
    const Chunk before = load_chunk(o.dx + first, c, columns);
    for (int j = 0; j < kChunk; ++j) dx.value[j] += before.value[j];
  }
  store_chunk(dx, o.dx + first, c, columns);
}

// The gradient of one row; its terms of the sums over rows are added to `sums`.
template <int kChunks, class Team>
__device__ void row_gradient(const Team& team, const NormGradientOperands& o, int64_t row,
                             bool centred, const DropoutFactors& factor, const Columns& columns,
                             ColumnSums<kChunks>& sums) {
  const int64_t first = row * columns.count;
  const RowStatistics statistics(o.statistics, row);
  Chunk g[kChunks], normal[kChunks];
  for (int i = 0; i < kChunks; ++i) g[i] = load_chunk(o.dy + first, team.column(i), columns);
  for (int i = 0; i < kChunks; ++i) normal[i] = load_chunk(o.sum + first, team.column(i), columns);
  float total = 0, weighted = 0;
  for (int i = 0; i < kChunks; ++i) {
    const Chunk gain = load_chunk(o.gain, team.column(i), columns);
    for (int j = 0; j < kChunk; ++j) {
      const float dy = g[i].value[j];  // 0 beyond the row's end, and so are all products with it
      normal[i].value[j] = statistics.normal(normal[i].value[j]);
      sums.dgain[i].value[j] = fmaf(dy, normal[i].value[j], sums.dgain[i].value[j]);
      sums.dbias[i].value[j] += dy;
      g[i].value[j] = dy * gain.value[j];
      total += g[i].value[j];
      weighted = fmaf(g[i].value[j], normal[i].value[j], weighted);
    }
  }
  // The mean of an RMSNorm is a constant.
  const float mean_g = centred ? team.sum(total) / float(columns.count) : 0;
  const float mean_g_normal = team.sum(weighted) / float(columns.count);
  for (int i = 0; i < kChunks; ++i) {
    Chunk dx;
    for (int j = 0; j < kChunk; ++j)
      dx.value[j] = statistics.gradient(g[i].value[j], normal[i].value[j], mean_g, mean_g_normal);
    put_gradient(o, dx, first, team.column(i), factor, columns);
  }
}

// Adds the teams' sums over rows in their order, for one of the two gradients: to[c] for each
// column. `all` is shared memory for one row a team.
template <int kChunks, class Team>
__device__ void put_sums(const Thread& thread, const Team& team, const Chunk (&sums)[kChunks],
                         const Columns& columns, float* all, float* to) {
  constexpr int kWidth = kChunks * Team::kThreads * kChunk;
  thread.barrier();
  for (int i = 0; i < kChunks; ++i)
    *reinterpret_cast<Chunk*>(all + team.in_block() * kWidth + team.column(i)) = sums[i];
  thread.barrier();
  for (int64_t c = thread.index(); c < columns.count; c += kTeamBlock) {
    float sum = 0;
    for (int k = 0; k < Team::kPerBlock; ++k) sum += all[k * kWidth + c];
    to[c] = sum;
  }
}

template <class Shape>
void add_norm_gradient_of(Shape, const NormGradientOperands& o, const NormSettings& s) {
  using Team = RowTeam<Shape::kWarps>;
  constexpr int kChunks = Shape::kChunks;
  // The floats of one row for each team of the block.
  constexpr int64_t kTeamRowFloats = team_columns(kTeamBlockWarps, kChunks);
  const DropoutFactors factor(s.dropout);
  const Columns columns = columns_of(o.columns, o.dy, o.sum, o.gain, o.dx, o.dsublayer);
  const bool centred = s.kind == NormKind::layer;
  launch<kTeamBlock>(gradient_blocks(o.rows, o.columns),
                     Team::kSharedBytes + kTeamRowFloats * int64_t(sizeof(float)),
                     [=] __device__(const Thread& thread) {
                       SharedMemory shared(thread);
                       const Team team(thread, shared);
                       float* const all = shared.take<float>(kTeamRowFloats);
                       ColumnSums<kChunks> sums = {};
                       for (int64_t row = team.number(); row < o.rows;
                            row += thread.blocks() * Team::kPerBlock)
                         row_gradient(team, o, row, centred, factor, columns, sums);
                       float* const partial = o.partials + thread.block() * 2 * columns.count;
                       put_sums(thread, team, sums.dgain, columns, all, partial);
                       put_sums(thread, team, sums.dbias, columns, all, partial + columns.count);
                     });
}

// The same for rows wider than a team keeps: they are read twice, and a block's sums are kept in
// its part of the partial sums. A thread reads and writes no column but its own.
void add_norm_gradient_wide(const NormGradientOperands& o, const NormSettings& s) {
  const DropoutFactors factor(s.dropout);
  const bool centred = s.kind == NormKind::layer;
  launch<kWideThreads>(
      gradient_blocks(o.rows, o.columns), kWideThreads / kWarp * int64_t(sizeof(float)),
      [=] __device__(const Thread& thread) {
        SharedMemory shared(thread);
        float* const scratch = shared.take<float>(thread.warps());
        const int64_t d = o.columns;
        float* const partial = o.partials + thread.block() * 2 * d;
        for (int64_t row = thread.block(); row < o.rows; row += thread.blocks()) {
          const RowStatistics statistics(o.statistics, row);
          const bool is_first = row == thread.block();
          float total = 0, weighted = 0;
          for (int64_t c = thread.index(); c < d; c += kWideThreads) {
            const float dy = o.dy[row * d + c], g = dy * o.gain[c];
            const float normal = statistics.normal(o.sum[row * d + c]);
            partial[c] = fmaf(dy, normal, is_first ? 0 : partial[c]);
            partial[d + c] = dy + (is_first ? 0 : partial[d + c]);
            total += g;
            weighted = fmaf(g, normal, weighted);
          }
          const float mean_g = centred ? block_sum(thread, total, scratch) / float(d) : 0;
          const float mean_g_normal = block_sum(thread, weighted, scratch) / float(d);
          for (int64_t c = thread.index(); c < d; c += kWideThreads) {
            const int64_t i = row * d + c;
            const float dx = statistics.gradient(o.dy[i] * o.gain[c], statistics.normal(o.sum[i]),
                                                 mean_g, mean_g_normal);
            if (o.dsublayer) o.dsublayer[i] = dx * factor(i);
            put(dx, o.dx + i, o.mode);
          }
        }
      });
}

// Adds the blocks' sums to the gradients: a block for each kWarp columns, whose warps each add
// every kSumGroups-th block's, in order.
void add_partials(const NormGradientOperands& o, int64_t partials) {
  const int64_t width = 2 * o.columns;
  launch<kSumThreads>(blocks_for(width, kWarp), kSumThreads * int64_t(sizeof(float)),
                      [=] __device__(const Thread& thread) {
                        SharedMemory shared(thread);
                        float* const sums = shared.take<float>(kSumThreads);
                        const int64_t c = thread.block() * kWarp + thread.lane();
                        float sum = 0;
                        if (c < width)
                          for (int64_t k = thread.warp(); k < partials; k += kSumGroups)
                            sum += o.partials[k * width + c];
                        sums[thread.index()] = sum;
                        thread.barrier();
                        if (thread.warp() > 0 || c >= width) return;
                        for (int k = 1; k < kSumGroups; ++k) sum += sums[k * kWarp + thread.lane()];
                        if (c < o.columns)
                          o.dgain[c] += sum;
                        else if (o.dbias)
                          o.dbias[c - o.columns] += sum;
                      });
}

}  // namespace

int64_t norm_partials(int64_t rows, int64_t columns) {
  return gradient_blocks(rows, columns) * 2 * columns;
}

void add_norm_gradient(const NormGradientOperands& operands, const NormSettings& settings) {
  if (operands.rows == 0) return;
  if (!with_team(operands.columns,
                 [&](auto shape) { add_norm_gradient_of(shape, operands, settings); }))
    add_norm_gradient_wide(operands, settings);
  add_partials(operands, gradient_blocks(operands.rows, operands.columns));
}

}  // namespace heed::cuda
