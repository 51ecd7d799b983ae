// Metrics in Prometheus' text format. Private to the sources of the server.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>

#include "heed/serve/http/server.h"
#include "heed/serve/scheduler.h"

namespace heed {

// Any number of threads may use one.
class Metrics {
 public:
  // A request that was answered, or abandoned by its client (status 499). `route` is one of the
  // server's own paths, or "other".
  void count(const std::string& route, int status, double seconds);
  void count_reload(bool succeeded);

  // Everything, with the present state of the queue and of the connections.
  std::string text(const SchedulerStatus& scheduler, const HttpCounts& http) const;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& requests_ =
      prometheus::BuildCounter()
          .Name("heed_requests_total")
          .Help("Requests by route and HTTP status; 499: the client went away")
          .Register(registry_);
  prometheus::Family<prometheus::Histogram>& seconds_ =
      prometheus::BuildHistogram()
          .Name("heed_request_seconds")
          .Help("Time to answer a request, without receiving it and sending the answer")
          .Register(registry_);
  prometheus::Family<prometheus::Counter>& reloads_ = prometheus::BuildCounter()
                                                          .Name("heed_model_reloads_total")
                                                          .Help("Models that were read again")
                                                          .Register(registry_);
};

}  // namespace heed
