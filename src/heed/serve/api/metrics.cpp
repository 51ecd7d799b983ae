#include "heed/serve/api/metrics.h"

#include <prometheus/text_serializer.h>

#include "heed/core/memory.h"

namespace heed {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

// A metric whose values are known elsewhere.
MetricFamily family_of(
    const char* name, const char* help, MetricType type,
    const std::vector<std::pair<std::vector<prometheus::ClientMetric::Label>, double>>& values) {
  MetricFamily family{name, help, type, {}};
  for (const auto& [labels, value] : values) {
    prometheus::ClientMetric& metric = family.metric.emplace_back();
    metric.label = labels;
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  }
  return family;
}

}  // namespace

void Metrics::count(const std::string& route, int status, double seconds) {
  static const prometheus::Histogram::BucketBoundaries kBounds = {
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
  requests_.Add({{"route", route}, {"status", std::to_string(status)}}).Increment();
  seconds_.Add({{"route", route}}, kBounds).Observe(seconds);
}

void Metrics::count_reload(bool succeeded) {
  reloads_.Add({{"result", succeeded ? "replaced" : "failed"}}).Increment();
}

std::string Metrics::text(const SchedulerStatus& scheduler, const HttpCounts& http) const {
  std::vector<MetricFamily> families = registry_.Collect();
  const auto gauge = [&](const char* name, const char* help, double value) {
    families.push_back(family_of(name, help, MetricType::Gauge, {{{}, value}}));
  };
  const auto counter = [&](const char* name, const char* help, double value) {
    families.push_back(family_of(name, help, MetricType::Counter, {{{}, value}}));
  };
  gauge("heed_waiting_lines", "Lines that wait for their turn", double(scheduler.waiting_lines));
  gauge("heed_waiting_bytes", "Text that waits for its turn", double(scheduler.waiting_bytes));
  gauge("heed_running_lines", "Lines that are being translated", double(scheduler.running_lines));
  gauge("heed_estimated_wait_seconds", "Estimated time until all requests that wait now have begun",
        double(scheduler.estimated_wait.count()) / 1000);
  families.push_back({"heed_decoding_step_sentences",
                      "Sentences that were decoded together, of each decoding step",
                      MetricType::Histogram,
                      {scheduler.step_sentences}});
  families.push_back(family_of("heed_tokens_total", "Tokens translated", MetricType::Counter,
                               {{{{"side", "source"}}, double(scheduler.source_tokens)},
                                {{{"side", "target"}}, double(scheduler.target_tokens)}}));
  gauge("heed_cache_rows", "Rows of the caches of keys and values", double(scheduler.cache_rows));
  gauge("heed_cache_rows_reserved",
        "Rows of the caches of keys and values that lines being translated have reserved",
        double(scheduler.reserved_rows));
  gauge("heed_connections", "Open connections", double(http.connections));
  counter("heed_connections_accepted_total", "Connections accepted", double(http.accepted));
  counter("heed_connections_refused_total", "Connections refused, since there were too many",
          double(http.refused));
  gauge("heed_request_bytes", "Memory held for requests, of at most --max-memory",
        double(http.held_bytes));
  gauge("heed_unsent_bytes", "Answers that clients have not read yet", double(http.unsent_bytes));
  gauge("heed_resident_bytes", "Memory of the process", double(resident_bytes()));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace heed
