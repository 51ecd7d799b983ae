// Options of the server.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/backend/compute.h"
#include "heed/decode/search_options.h"

namespace heed {

struct ServeOptions {
  std::vector<std::string> model;   // directories, with their languages where those do not say them
  std::vector<std::string> listen;  // kDefaultAddress if empty and no socket is inherited

  // Default search options.
  SearchOptions search;

  int64_t batch_tokens = SearchLimits().batch_tokens;  // in the batch of each thread
  Device device = Device::cpu;
  ComputeChoice compute = ComputeChoice::automatic;
  std::optional<int64_t> threads;

  // Limits of a request.
  int64_t max_hypotheses = 16;
  int64_t max_characters = 0;    // 0: as many as fit into max_body
  int64_t max_body = 1 << 20;    // bytes
  int64_t max_attention = 1000;  // characters of a text for /v1/attention; 0: no such path
  double timeout = 60;           // seconds for a request; 0: no limit
  // Limits of all requests.
  int64_t max_connections = 1024;
  std::optional<int64_t> max_client_connections;  // a quarter of max_connections
  int64_t max_waiting = 1000;                     // requests
  double max_wait = 10;      // seconds that a new request would wait, as estimated
  int64_t max_memory = 512;  // MiB, of all requests

  std::vector<std::string> allowed_hosts;    // besides the loopback names
  std::vector<std::string> cors;             // origins whose pages may use the API, or "*"
  std::optional<std::string> api_keys;       // a file; see ApiKeys
  std::vector<std::string> trusted_proxies;  // proxies with a trusted X-Forwarded-For

  int64_t thread_count() const;
  int64_t client_connections() const {
    return max_client_connections.value_or(std::max<int64_t>(1, max_connections / 4));
  }

  static constexpr const char* kDefaultAddress = "127.0.0.1:5000";

  static void visit(ServeOptions& self, OptionCollector& v);
};

}  // namespace heed
