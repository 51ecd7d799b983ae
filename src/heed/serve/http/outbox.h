// Bytes on their way to a client.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace heed::detail {

class Outbox {
 public:
  // Appends bytes, of which `payload` count as unsent until all bytes of this call are sent.
  void add(std::string bytes, size_t payload = 0);
  bool empty() const { return segments_.empty(); }
  size_t bytes() const { return bytes_; }
  size_t payload() const { return payload_; }

  struct Progress {
    bool failed = false;    // the connection is broken
    size_t sent_bytes = 0;  // 0: the client reads too slowly
    size_t sent_payload = 0;
  };
  // Sends as much as the socket takes without blocking.
  Progress send(int socket);

 private:
  struct Segment {
    std::string bytes;
    size_t payload;
  };
  std::deque<Segment> segments_;
  size_t offset_ = 0;  // sent bytes of the first
  size_t bytes_ = 0, payload_ = 0;
};

}  // namespace heed::detail
