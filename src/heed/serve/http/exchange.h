// A request and the answer to it.
#pragma once

#include <functional>
#include <memory>

#include "heed/serve/http/message.h"

namespace heed {

// Answered once: by respond(), or by begin(), any number of write() and end(). All functions may be
// called from any thread and return at once; what is sent after the client has gone is discarded.
// One that is destroyed without an answer answers with status 500; one that is destroyed within a
// stream closes the connection, so that the client sees that the answer is incomplete.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual const HttpRequest& request() const = 0;

  virtual void respond(HttpResponse response) = 0;

  // How much memory the request's handler holds for it now, besides its body and its answer. False,
  // and nothing changes, if that is more than HttpLimits::request_bytes leave to it. Released when
  // the exchange is destroyed. Called by one thread at a time.
  virtual bool hold(size_t bytes) = 0;

  // A streamed answer (chunked). `head.body` is its first chunk, which may be empty. A client of
  // HTTP/1.0 gets the whole as one answer at end().
  virtual void begin(HttpResponse head) = 0;
  // Bytes given to write() and not sent yet; 0 once the client has gone. A producer waits while
  // there are many: beyond HttpLimits::unsent_bytes the connection is closed.
  virtual size_t unsent() const = 0;
  virtual void write(std::string chunk) = 0;
  virtual void end() = 0;

  // Calls `gone` once, from the server's thread, if the client goes away before the answer is
  // complete; at once if it already has. Replaces an earlier one. A client that closes its sending
  // side counts as gone, as for nginx and Go. The function is released when the answer is complete.
  virtual void on_gone(std::function<void()> gone) = 0;
};

// Called on the server's thread, which it must not block.
using HttpHandler = std::function<void(std::shared_ptr<HttpExchange>)>;

}  // namespace heed
