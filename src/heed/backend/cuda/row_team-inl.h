// The threads that share a row, which they keep in their registers.
#pragma once

#include "heed/backend/cuda/chunk-inl.h"
#include "heed/backend/cuda/parts-inl.h"

namespace heed::cuda {

constexpr int kTeamBlock = 128;  // threads of a block of teams
constexpr int kTeamBlockWarps = kTeamBlock / kWarp;

// The threads that compute a row: a warp or, with kWarps > 1, a block of kWarps warps. Thread i has
// chunks i, i + kThreads and so on.
template <int kWarps>
class RowTeam {
 public:
  static_assert(kWarps == 1 || kWarps == kTeamBlockWarps);
  static constexpr int kThreads = kWarps * kWarp;
  static constexpr int kPerBlock = kTeamBlockWarps / kWarps;
  static constexpr int64_t kSharedBytes = kTeamBlockWarps * int64_t(sizeof(float));

  __device__ RowTeam(const Thread& thread, SharedMemory& shared)
      : thread_(thread), partial_(shared.take<float>(kTeamBlockWarps)) {}

  // The team's number in its block, and among all.
  __device__ int in_block() const { return kWarps == 1 ? thread_.warp() : 0; }
  __device__ int64_t number() const { return thread_.block() * kPerBlock + in_block(); }
  __device__ int index() const { return kWarps == 1 ? thread_.lane() : thread_.index(); }
  // The first column of this thread's chunk i.
  __device__ int column(int i) const { return (i * kThreads + index()) * kChunk; }

  // The sum over the team's threads, in each of them. All of them call it.
  __device__ float sum(float value) const {
    if constexpr (kWarps == 1)
      return warp_sum(thread_, value);
    else
      return block_sum(thread_, value, partial_);
  }

 private:
  const Thread& thread_;
  float* partial_;
};

// The width of the rows that a team of `warps` warps keeps with `chunks` chunks a thread.
constexpr int64_t team_columns(int warps, int chunks) {
  return int64_t(warps) * kWarp * chunks * kChunk;
}

// The teams for rows of some width, as a type.
template <int kRowWarps, int kRowChunks>
struct TeamShape {
  static constexpr int kWarps = kRowWarps, kChunks = kRowChunks;
};

// Calls f(TeamShape) with the shape for the width, on which alone it depends. False: no team keeps
// so wide a row.
template <class F>
bool with_team(int64_t columns, const F& f) {
  if (columns <= team_columns(1, 1))
    f(TeamShape<1, 1>());
  else if (columns <= team_columns(1, 2))
    f(TeamShape<1, 2>());
  else if (columns <= team_columns(1, 4))
    f(TeamShape<1, 4>());
  else if (columns <= team_columns(kTeamBlockWarps, 2))
    f(TeamShape<kTeamBlockWarps, 2>());
  else if (columns <= team_columns(kTeamBlockWarps, 4))
    f(TeamShape<kTeamBlockWarps, 4>());
  else
    return false;
  return true;
}

}  // namespace heed::cuda
