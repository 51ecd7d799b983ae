#include "heed/backend/cuda/norm.h"
#include "heed/backend/cuda/row_team-inl.h"

namespace heed::cuda {
namespace {

// The threads of a block for rows that are too wide for the registers of a team (row_team-inl.h):
// it reads such a row several times.
constexpr int kWideThreads = 256;
constexpr int64_t kWideShared = kWideThreads / kWarp * int64_t(sizeof(float));

__device__ float inverse_deviation(float squares, int64_t columns, float epsilon) {
  return 1 / sqrtf(squares / float(columns) + epsilon);
}

__device__ void put_statistics(float mean, float inverse, float* statistics, int64_t row) {
  statistics[2 * row] = mean;
  statistics[2 * row + 1] = inverse;
}

// The columns of a row that one thread of a team has.
template <int kChunks>
struct RowPart {
  Chunk chunk[kChunks];
};

// This thread's part of the row x + dropout(sublayer), which is written to `sum`.
template <int kChunks, class Team>
__device__ RowPart<kChunks> add_row(const Team& team, const NormOperands& o, int64_t row,
                                    const DropoutFactors& factor, const Columns& columns) {
  const int64_t first = row * columns.count;
  RowPart<kChunks> part;
  for (int i = 0; i < kChunks; ++i)
    part.chunk[i] = load_chunk(o.x + first, team.column(i), columns);
  if (!o.sublayer) return part;
  RowPart<kChunks> added;
  for (int i = 0; i < kChunks; ++i)
    added.chunk[i] = load_chunk(o.sublayer + first, team.column(i), columns);
  for (int i = 0; i < kChunks; ++i) {
    const int64_t c = team.column(i);
    for (int j = 0; j < kChunk; ++j)
      part.chunk[i].value[j] =
          fmaf(factor(first + c + j), added.chunk[i].value[j], part.chunk[i].value[j]);
    store_chunk(part.chunk[i], o.sum + first, c, columns);
  }
  return part;
}

// y = gain * (row - mean) * inverse + bias.
template <int kChunks, class Team>
__device__ void normalize_row(const Team& team, const NormOperands& o, int64_t row,
                              const RowPart<kChunks>& part, float mean, float inverse,
                              const Columns& columns) {
  for (int i = 0; i < kChunks; ++i) {
    const int64_t c = team.column(i);
    const Chunk gain = load_chunk(o.gain, c, columns);
    Chunk y = {};
    if (o.bias) y = load_chunk(o.bias, c, columns);
    for (int j = 0; j < kChunk; ++j)
      y.value[j] = fmaf(gain.value[j], (part.chunk[i].value[j] - mean) * inverse, y.value[j]);
    store_chunk(y, o.y + row * columns.count, c, columns);
    if (o.rounded) store_chunk(y, o.rounded + row * columns.count, c, columns);
  }
}

template <class Shape>
void add_norm_of(Shape, const NormOperands& o, const NormSettings& s) {
  using Team = RowTeam<Shape::kWarps>;
  const DropoutFactors factor(s.dropout);
  const Columns columns = columns_of(o.columns, o.x, o.sublayer, o.gain, o.bias,
                                     o.sublayer ? o.sum : nullptr, o.y, o.rounded);
  const float epsilon = s.epsilon;
  const bool centred = s.kind == NormKind::layer;
  launch<kTeamBlock>(blocks_for(o.rows, Team::kPerBlock), Team::kSharedBytes,
                     [=] __device__(const Thread& thread) {
                       SharedMemory shared(thread);
                       const Team team(thread, shared);
                       const int64_t row = team.number();
                       if (row >= o.rows) return;  // a whole team
                       const auto part = add_row<Shape::kChunks>(team, o, row, factor, columns);
                       float total = 0, squares = 0;
                       for (const Chunk& chunk : part.chunk)
                         for (int j = 0; j < kChunk; ++j) total += chunk.value[j];
                       const float mean = centred ? team.sum(total) / float(columns.count) : 0;
                       for (int i = 0; i < Shape::kChunks; ++i) {
                         for (int j = 0; j < kChunk; ++j) {
                           const float distance = part.chunk[i].value[j] - mean;
                           if (columns.has(team.column(i) + j))
                             squares = fmaf(distance, distance, squares);
                         }
                       }
                       const float inverse =
                           inverse_deviation(team.sum(squares), columns.count, epsilon);
                       if (team.index() == 0) put_statistics(mean, inverse, o.statistics, row);
                       normalize_row(team, o, row, part, mean, inverse, columns);
                     });
}

// A block for each row. A thread reads no column but its own.
void add_norm_wide(const NormOperands& o, const NormSettings& s) {
  const DropoutFactors factor(s.dropout);
  const float epsilon = s.epsilon;
  const bool centred = s.kind == NormKind::layer;
  launch<kWideThreads>(o.rows, kWideShared, [=] __device__(const Thread& thread) {
    SharedMemory shared(thread);
    float* const partial = shared.take<float>(thread.warps());
    const int64_t row = thread.block(), d = o.columns, first = row * d;
    const float* const from = (o.sublayer ? o.sum : o.x) + first;
    float total = 0, squares = 0;
    for (int64_t c = thread.index(); c < d; c += kWideThreads) {
      float value = o.x[first + c];
      if (o.sublayer) {
        value = fmaf(factor(first + c), o.sublayer[first + c], value);
        o.sum[first + c] = value;
      }
      total += value;
    }
    const float mean = centred ? block_sum(thread, total, partial) / float(d) : 0;
    for (int64_t c = thread.index(); c < d; c += kWideThreads)
      squares = fmaf(from[c] - mean, from[c] - mean, squares);
    const float inverse = inverse_deviation(block_sum(thread, squares, partial), d, epsilon);
    if (thread.index() == 0) put_statistics(mean, inverse, o.statistics, row);
    for (int64_t c = thread.index(); c < d; c += kWideThreads) {
      const float y = fmaf(o.gain[c], (from[c] - mean) * inverse, o.bias ? o.bias[c] : 0);
      o.y[first + c] = y;
      if (o.rounded) o.rounded[first + c] = to_bf16(y);
    }
  });
}

}  // namespace

void add_norm(const NormOperands& operands, const NormSettings& settings) {
  if (!with_team(operands.columns, [&](auto shape) { add_norm_of(shape, operands, settings); }))
    add_norm_wide(operands, settings);
}

}  // namespace heed::cuda
