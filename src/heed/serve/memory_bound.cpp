#include "heed/serve/memory_bound.h"

#include <algorithm>

#include "heed/core/memory.h"
#include "heed/decode/search_memory.h"
#include "heed/model/cross_attention.h"
#include "heed/model/sequence_model.h"
#include "heed/serve/scheduling.h"

namespace heed {
namespace {

// Headers, and the bytes of the next request that were read ahead.
constexpr int64_t kBytesOfConnection = 64 << 10;
// Bytes of memory per byte of a body of many small JSON values. One body is parsed at a time.
constexpr int64_t kParsedPerByte = 48;

// The memory for opening a model: its packed weights, and its weights before they are packed.
int64_t bytes_to_open(const OpenedModel& model) {
  auto shapes = shapes_of(model.config());
  int64_t bytes = 0;
  for (const Parameter& p : parameters(shapes)) {
    bytes += p.tensor.byte_count();
    if (p.is_packed()) bytes += model.backend().packed_bytes(p.tensor, Purpose::inference);
  }
  return bytes;
}

}  // namespace

int64_t attention_slots(const ServeOptions& options) {
  return std::max<int64_t>(1, options.thread_count() / 2);
}

MemoryBound memory_bound(const ServeOptions& options, const ServedModels& models) {
  const int64_t threads = options.thread_count();
  const SearchLimits limits = {.hypotheses = options.max_hypotheses,
                               .batch_tokens = options.batch_tokens};
  MemoryBound bound;
  return_freed_memory();
  bound.resident = resident_bytes();
  int64_t of_turn = 0, of_one_line = 0;
  for (const auto& served : models.all()) {
    const OpenedModel& model = served->model;
    if (served->classifier) {
      const ModelConfig& config = model.config();
      of_turn = std::max(
          of_turn, labelling_memory(config, model.backend(), kTokensOfTurn + config.max_positions));
      bound.reload = std::max(bound.reload, bytes_to_open(model));
      continue;
    }
    const auto memory_of = [&](const SearchLimits& at_most) {
      const ModelParts parts = model.parts();
      return search_memory(parts.model.config(), parts.backend, at_most,
                           int64_t(alignment_heads_of(parts.model).layers().size()));
    };
    const SearchMemory memory = memory_of(limits);
    bound.decoding += threads * memory.total();
    if (served->task == LearningTask::translation) {
      of_turn = std::max(of_turn, memory.activations);  // of scores
      of_one_line =
          std::max(of_one_line,
                   memory_of({.hypotheses = options.max_hypotheses, .batch_tokens = 1}).total());
    }
    bound.reload = std::max(bound.reload, bytes_to_open(model) + threads * memory.total());
  }
  bound.decoding += threads * of_turn;  // a request for scores or labels, between two steps
  if (options.max_attention > 0) bound.decoding += attention_slots(options) * of_one_line;
  bound.requests = options.max_memory << 20;
  bound.connections =
      options.max_connections * kBytesOfConnection + kParsedPerByte * options.max_body;
  return bound;
}

std::string to_string(const MemoryBound& bound) {
  return fmt::format(
      "{} now, at most {}: decoding {}, requests {}, connections {}, opening a model again {}",
      memory_text(bound.resident), memory_text(bound.total()), memory_text(bound.decoding),
      memory_text(bound.requests), memory_text(bound.connections), memory_text(bound.reload));
}

}  // namespace heed
