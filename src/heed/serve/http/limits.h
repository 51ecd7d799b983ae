// What clients may make the server hold.
#pragma once

#include <chrono>
#include <cstdint>

namespace heed {

// Bounds for what clients can make the server hold, and for how long.
struct HttpLimits {
  int64_t connections = 1024;
  // Of one client (IPv6: of one network of 64 bits). Those of a trusted proxy count for the clients
  // that it names, while their requests are answered.
  int64_t client_connections = 256;
  int64_t header_bytes = 16 << 10;  // request line and headers
  int64_t body_bytes = 1 << 20;     // of one request
  // Of all requests: bodies, what handlers make of them (HttpExchange::hold()), unsent answers. One
  // request can take half of what the others leave, so that large ones leave room for small ones.
  // Of unsent answers, those whose clients have not read them for longest are dropped beyond half.
  int64_t request_bytes = 512 << 20;
  int64_t unsent_bytes = 4 << 20;          // of a streamed answer that its client does not read
  std::chrono::milliseconds idle{60'000};  // between requests
  std::chrono::milliseconds headers{
      10'000};  // from the first byte of a request to the end of its headers
  std::chrono::milliseconds body{30'000};   // from there to the end of its body
  std::chrono::milliseconds write{30'000};  // without progress in sending an answer
};

}  // namespace heed
