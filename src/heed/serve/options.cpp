#include "heed/serve/options.h"

#include "heed/core/parallel.h"
#include "heed/decode/options.h"

namespace heed {
namespace {

void visit_limits(ServeOptions& self, OptionCollector& v) {
  v.group("Limits");
  v("max_hypotheses", self.max_hypotheses,
    {.help = "Most hypotheses (beam size or samples) that a request may ask for",
     .minimum = 1,
     .maximum = 1024});
  v("max_characters", self.max_characters,
    {.help = "Most characters of the texts of a request; 0: as many as --max-body holds",
     .minimum = 0});
  v("max_body", self.max_body,
    {.help = "Largest body of a request", .unit = "bytes", .minimum = 1024, .maximum = 1 << 30});
  v("max_attention", self.max_attention,
    {.help = "Most characters of a text whose attention a request may ask for, which the page then "
             "offers to show; 0: none",
     .minimum = 0,
     .maximum = 1'000'000});
  v("timeout", self.timeout,
    {.help = "Time after which an unfinished request is answered with an error; 0: no limit",
     .unit = "seconds",
     .minimum = 0,
     .maximum = 86400});
  v("max_connections", self.max_connections,
    {.help = "Most connections at a time", .minimum = 1, .maximum = 1 << 20});
  v("max_client_connections", self.max_client_connections,
    {.help = "Most connections of one client at a time (IPv6: of one network of 64 bits); those of "
             "--trusted-proxies count for the clients that they name. Others are answered with "
             "status 429",
     .default_text = "a quarter of --max-connections",
     .minimum = 1,
     .maximum = 1 << 20});
  v("max_waiting", self.max_waiting,
    {.help = "Most requests that wait for their turn; others are answered with status 429",
     .minimum = 1,
     .maximum = 1 << 20});
  v("max_wait", self.max_wait,
    {.help = "Longest time that a new request may have to wait for its turn, as estimated from the "
             "present speed; if it is longer, the answer is status 429",
     .unit = "seconds",
     .maximum = 86400,
     .above = 0});
  v("max_memory", self.max_memory,
    {.help = "Most memory for requests: their bodies, translations, and answers that are not sent "
             "yet; what exceeds it is answered with status 503",
     .unit = "MiB",
     .minimum = 1,
     .maximum = 1 << 20});
}

void visit_access(ServeOptions& self, OptionCollector& v) {
  v.group("Access");
  v("allowed_hosts", self.allowed_hosts,
    {.help = "Names by which clients reach the server on a loopback address, besides localhost: "
             "those that a proxy forwards in the Host header",
     .value = "NAME"});
  v("cors", self.cors,
    {.help = "Origins (https://example.org) whose pages may use the API from a browser; *: all",
     .value = "ORIGIN",
     .default_text = "none"});
  v("api_keys", self.api_keys,
    {.help =
         "File of the API keys that the server accepts, a line each: a name, the key's SHA-256, "
         "and limits (requests=60 and characters=100000, both for a minute)",
     .value = "FILE",
     .default_text = "none: no key is needed"});
  v("trusted_proxies", self.trusted_proxies,
    {.help = "Addresses or networks (10.0.0.0/8) of proxies, whose X-Forwarded-For header says who "
             "the client is",
     .value = "ADDRESS",
     .default_text = "none"});
}

}  // namespace

int64_t ServeOptions::thread_count() const {
  return threads.value_or(available_threads());
}

void ServeOptions::visit(ServeOptions& self, OptionCollector& v) {
  v.group("Server");
  v("model", self.model,
    {.help =
         "Model directories, one for each pair of languages; zh-en=DIR where the directory does "
         "not say which, or says another",
     .value = "[zh-en=]DIR",
     .required = true});
  v("listen", self.listen,
    {.help = "Addresses to listen on; [::1]:5000 for IPv6, port 0 for any free port",
     .value = "HOST:PORT",
     .default_text = kDefaultAddress});
  SearchOptions::visit_without_nbest(self.search, v, " (for requests that do not say it)");
  v.group("Runtime");
  v("batch_tokens", self.batch_tokens, kBatchTokensOption);
  v("compute", self.compute,
    {.help = "Compute type of matrix products; auto: int8 if that is faster on this CPU, else "
             "fp32"});
  v("threads", self.threads, kThreadsOption);
  visit_limits(self, v);
  visit_access(self, v);
}

}  // namespace heed
