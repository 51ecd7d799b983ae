// Serves models by HTTP: LibreTranslate's API, heed's own, metrics, and a web page.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/serve/memory_bound.h"
#include "heed/serve/models.h"
#include "heed/serve/options.h"

namespace heed {

// The log record of an answered request. It contains nothing of the request's texts.
struct RequestRecord {
  std::string route;   // one of the server's paths, or "other"
  std::string method;  // "GET", "POST", or "other"
  std::string client;  // an address, or the name of an API key
  int status = 0;      // of HTTP; 499: the client went away before the answer was complete
  double seconds =
      0;  // from the last byte of the request to the finished answer, without sending it
  int64_t body_bytes = 0;
  std::string error;  // the message of a bug
};

class Server {
 public:
  // Called from several threads, one call at a time.
  using Log = std::function<void(const RequestRecord&)>;

  // Opens the models and listens. `sockets` are listening sockets of another process, which are
  // used instead of the default address; the server closes them. Errors are those of ServedModels,
  // of API keys, and of addresses.
  Server(const ServeOptions& options, Log log, const std::vector<int>& sockets = {});
  ~Server();

  std::vector<std::string> addresses() const;
  const ServedModels& models() const;
  // To be called before the first request: all resident memory counts as that of the program and
  // its models.
  MemoryBound memory() const;

  // Serves on the calling thread, until drain() is complete or stop() is called.
  void run();
  // These may be called from any thread. drain(): no new connections, and every request whose
  // headers were read is answered; after the timeout, as stop(): everything ends at once.
  void drain(std::chrono::milliseconds timeout);
  void stop();
  // As ServedModels::reload().
  std::vector<ModelReload> reload(ServedModels::Which which);
  // Reads the file of API keys again, if there is one; their limits start anew.
  // Errors are those of ApiKeys; the old keys are then still accepted.
  void reload_keys();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heed
