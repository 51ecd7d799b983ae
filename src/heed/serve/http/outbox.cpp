#include "heed/serve/http/outbox.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace heed::detail {

void Outbox::add(std::string bytes, size_t payload) {
  if (bytes.empty()) return;
  bytes_ += bytes.size();
  segments_.push_back({std::move(bytes), payload});
  payload_ += payload;
}

Outbox::Progress Outbox::send(int socket) {
  Progress progress;
  while (!segments_.empty()) {
    std::array<iovec, 16> parts{};
    const size_t count = std::min(parts.size(), segments_.size());
    for (size_t i = 0; i < count; ++i) {
      const size_t begin = i == 0 ? offset_ : 0;
      parts[i] = {segments_[i].bytes.data() + begin, segments_[i].bytes.size() - begin};
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      progress.failed = errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS;
      return progress;
    }
    progress.sent_bytes += size_t(sent);
    bytes_ -= size_t(sent);
    offset_ += size_t(sent);
    while (!segments_.empty() && offset_ >= segments_.front().bytes.size()) {
      offset_ -= segments_.front().bytes.size();
      progress.sent_payload += segments_.front().payload;
      payload_ -= segments_.front().payload;
      segments_.pop_front();
    }
  }
  return progress;
}

}  // namespace heed::detail
