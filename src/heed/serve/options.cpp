#include "heed/serve/options.h"

#include "heed/core/parallel.h"
#include "heed/decode/options.h"

namespace heed {
namespace {

void visit_limits(ServeOptions& self, OptionCollector& v) {
  v.group("Limits");
  v("max_hypotheses", self.max_hypotheses,
    {.help = "Maximum number of hypotheses (beam size or samples) of a request",
     .minimum = 1,
     .maximum = 1024});
  v("max_characters", self.max_characters,
    {.help =
         "Maximum number of characters in the texts of a request; 0: limited by --max-body only",
     .minimum = 0});
  v("max_body", self.max_body,
    {.help = "Maximum size of the body of a request",
     .unit = "bytes",
     .minimum = 1024,
     .maximum = 1 << 30});
  v("max_attention", self.max_attention,
    {.help = "Maximum number of characters of a text whose attention weights can be seen, on the "
             "web page or by POST /v1/attention; 0 disables this",
     .minimum = 0,
     .maximum = 1'000'000});
  v("timeout", self.timeout,
    {.help = "Time limit of a request, which is then answered with status 504; 0: no limit",
     .unit = "seconds",
     .minimum = 0,
     .maximum = 86400});
  v("max_connections", self.max_connections,
    {.help = "Maximum number of connections", .minimum = 1, .maximum = 1 << 20});
  v("max_client_connections", self.max_client_connections,
    {.help = "Maximum number of connections of one client (IPv6: of one /64 network); further ones "
             "are answered with status 429. Connections of --trusted-proxies count for the clients "
             "that they name",
     .default_text = "a quarter of --max-connections",
     .minimum = 1,
     .maximum = 1 << 20});
  v("max_waiting", self.max_waiting,
    {.help = "Maximum number of requests in the queue; further ones are answered with status 429",
     .minimum = 1,
     .maximum = 1 << 20});
  v("max_wait", self.max_wait,
    {.help =
         "Maximum estimated waiting time of a new request; if it is longer, the answer is status "
         "429",
     .unit = "seconds",
     .maximum = 86400,
     .above = 0});
  v("max_memory", self.max_memory,
    {.help = "Maximum memory for requests: their bodies, translations and unsent answers; requests "
             "beyond it are answered with status 503",
     .unit = "MiB",
     .minimum = 1,
     .maximum = 1 << 20});
}

void visit_access(ServeOptions& self, OptionCollector& v) {
  v.group("Access");
  v("allowed_hosts", self.allowed_hosts,
    {.help = "Host names, besides localhost, that requests may name in their Host header where the "
             "server listens on loopback addresses alone; needed behind a proxy that forwards the "
             "header of its clients, such as translate.example.org",
     .value = "NAME"});
  v("cors", self.cors,
    {.help = "Origins (https://example.org) whose web pages may use the API; moz-extension://*, "
             "chrome-extension://*: all extensions of a browser; *: all",
     .value = "ORIGIN",
     .default_text = "none"});
  v("api_keys", self.api_keys,
    {.help =
         "File of accepted API keys, one per line: a name, the SHA-256 of the key, and limits per "
         "minute (requests=60 characters=100000)",
     .value = "FILE",
     .default_text = "none: no key is needed"});
  v("trusted_proxies", self.trusted_proxies,
    {.help = "Addresses or networks (10.0.0.0/8) of proxies whose X-Forwarded-For header is "
             "trusted",
     .value = "ADDRESS",
     .default_text = "none"});
}

}  // namespace

int64_t ServeOptions::thread_count() const {
  return threads.value_or(device == Device::cpu ? available_threads() : 1);
}

void ServeOptions::visit(ServeOptions& self, OptionCollector& v) {
  v.group("Server");
  v("model", self.model,
    {.help = "Model directories, of any task. zh-en=DIR sets the languages of a model that "
             "translates if it does not name them, and overrides them if it does; NAME=DIR sets "
             "the name of another model, by default that of its directory",
     .value = "[NAME=]DIR",
     .required = true});
  v("listen", self.listen,
    {.help = "Addresses to listen on; [::1]:5000 for IPv6, port 0 for any free port",
     .value = "HOST:PORT",
     .default_text = kDefaultAddress});
  SearchOptions::visit_without_nbest(self.search, v,
                                     " (defaults for requests that do not set them)");
  v.group("Runtime");
  v("batch_tokens", self.batch_tokens, kBatchTokensOption);
  v("device", self.device, kDeviceOption);
  v("compute", self.compute,
    {.help = "Compute type of matrix products; auto: int8 if that is faster on this CPU, else "
             "fp32, and bf16 with --device cuda; fp32 for taggers and classifiers"});
  v("threads", self.threads, kThreadsOption);
  visit_limits(self, v);
  visit_access(self, v);
}

}  // namespace heed
