// The maximum memory of a server.
#pragma once

#include <cstdint>
#include <string>

#include "heed/serve/models.h"
#include "heed/serve/options.h"

namespace heed {

// In bytes.
struct MemoryBound {
  int64_t resident = 0;  // now: the program and its models
  int64_t reload = 0;    // while the largest model is opened again, and the old one has requests
  // Caches and activations, of each thread for each model; of labels and of explanations.
  int64_t decoding = 0;
  int64_t requests = 0;     // ServeOptions::max_memory
  int64_t connections = 0;  // their headers and buffers, and a body while it is parsed
  int64_t total() const { return resident + reload + decoding + requests + connections; }
};

// The number of requests to /v1/attention that are computed at a time: half of the threads, but at
// least one.
int64_t attention_slots(const ServeOptions& options);

MemoryBound memory_bound(const ServeOptions& options, const ServedModels& models);

// "85 MiB now, at most 1.2 GiB: decoding 0.6 GiB, ...": one line for a log.
std::string to_string(const MemoryBound& bound);

}  // namespace heed
