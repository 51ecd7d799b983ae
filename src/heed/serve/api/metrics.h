// Metrics in Prometheus' text format.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "heed/serve/http/server.h"
#include "heed/serve/scheduler.h"

namespace heed {

// Any number of threads may use one.
class Metrics {
 public:
  Metrics();
  ~Metrics();

  // A request that was answered, or abandoned by its client (status 499). `route` is one of the
  // server's own paths, or "other".
  void count(const std::string& route, int status, double seconds);
  void count_reload(bool succeeded);

  // Everything, with the present state of the queue and of the connections.
  std::string text(const SchedulerStatus& scheduler, const HttpCounts& http) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heed
