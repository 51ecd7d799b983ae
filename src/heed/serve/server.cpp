#include "heed/serve/server.h"

#include <map>
#include <mutex>

#include "heed/core/ascii.h"
#include "heed/core/utf8.h"
#include "heed/pages/page.h"
#include "heed/pages/page_assets.h"
#include "heed/serve/api/access.h"
#include "heed/serve/api/handlers.h"
#include "heed/serve/api/metrics.h"
#include "heed/serve/api/parameters.h"
#include "heed/serve/http/server.h"
#include "heed/serve/page/page_files.h"

namespace heed {
namespace {

// The function of a path: either `get` or `post` is set. For POST, a key is needed where there are
// keys.
struct Route {
  std::function<HttpResponse(const HttpRequest&)> get = {};
  std::function<void(const ApiCall&)> post = {};
  bool needs_room = true;  // for POST, in the scheduler's queue
};

SchedulerOptions scheduler_options(const ServeOptions& options) {
  return {.threads = options.thread_count(),
          .batch_tokens = options.batch_tokens,
          .hypotheses = options.max_hypotheses,
          .waiting_requests = options.max_waiting,
          .waiting_time = std::chrono::milliseconds(int64_t(options.max_wait * 1000))};
}

HttpServerOptions http_options(const ServeOptions& options, const std::vector<int>& sockets) {
  HttpServerOptions http;
  http.listen = options.listen;
  if (http.listen.empty() && sockets.empty()) http.listen = {ServeOptions::kDefaultAddress};
  http.sockets = sockets;
  http.trusted_proxies = options.trusted_proxies;
  http.limits.connections = options.max_connections;
  http.limits.client_connections = options.client_connections();
  http.limits.body_bytes = options.max_body;
  http.limits.request_bytes = options.max_memory << 20;
  return http;
}

// A file of the page, or 304 where the client has it.
HttpResponse page_response(const EmbeddedFile& file, const HttpRequest& request,
                           const std::string& policy) {
  const std::string etag(file.etag);
  HttpResponse response{.content_type = std::string(file.content_type),
                        .body = std::string(file.content),
                        .headers = {{"ETag", etag},
                                    {"Cache-Control", "no-cache"},
                                    {"Content-Security-Policy", policy},
                                    {"Referrer-Policy", "no-referrer"}}};
  if (request.header("if-none-match") == etag) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

// The key that a request brings: "Authorization: Bearer KEY", or LibreTranslate's api_key.
std::string key_text(const HttpRequest& request, const Parameters& parameters) {
  static constexpr std::string_view kBearer = "bearer ";  // in any case
  const std::string_view authorization = request.header("authorization");
  if (lower_ascii(authorization.substr(0, kBearer.size())) == kBearer)
    return std::string(trim_blanks(authorization.substr(kBearer.size())));
  return parameters.text("api_key");
}

// Refuses options that would open the server to all, or that no request could ever match.
void check_access(const ServeOptions& options) {
  if (options.api_keys && options.api_keys->empty())
    fail_usage("--api-keys: expected a file, got ''");
  for (const std::string& name : options.allowed_hosts)
    if (!is_host_name(name))
      fail_usage(
          "--allowed-hosts: expected a name without scheme, port and path, such as "
          "translate.example.org, got '{}'",
          name);
  for (const std::string& origin : options.cors)
    if (!is_origin(origin))
      fail_usage(
          "--cors: expected an origin, which has no path, such as https://example.org, or *, got "
          "'{}'",
          origin);
}

// The characters of all texts of a request, whatever they are called.
int64_t characters_of(const Parameters& parameters) {
  int64_t characters = 0;
  for (const char* name : {"q", "text", "prompt", "source_text", "target_text"})
    if (const auto texts = parameters.texts(name))
      for (const std::string& text : texts->texts) characters += count_characters(text);
  return characters;
}

}  // namespace

struct Server::State {
  State(const ServeOptions& given, Log log, const std::vector<int>& sockets)
      : options(given),
        log(std::move(log)),
        models(options.model, {options.compute, options.device}),
        http(http_options(options, sockets),
             [this](const std::shared_ptr<HttpExchange>& exchange) { handle(exchange); }),
        origins(http.addresses(), options.allowed_hosts, options.cors),
        api{options, models, std::make_shared<Scheduler>(scheduler_options(options)),
            std::make_shared<std::counting_semaphore<>>(attention_slots(options))} {
    if (options.api_keys) keys = ApiKeys::load(*options.api_keys);
    add_routes();
  }

  void add_routes() {
    routes["/translate"].post = libretranslate::translate;
    routes["/detect"] = {.post = libretranslate::detect, .needs_room = false};
    routes["/v1/translate"].post = v1::translate;
    routes["/v1/score"].post = v1::score;
    routes["/v1/generate"].post = v1::generate;
    routes["/v1/parse"].post = v1::parse;
    routes["/v1/tag"].post = v1::tag;
    routes["/v1/classify"].post = v1::classify;
    routes["/v1/models"].get = [this](const HttpRequest&) { return v1::models(api); };
    if (options.max_attention > 0) routes["/v1/attention"].post = v1::attention;
    routes["/languages"].get = [this](const HttpRequest&) {
      return libretranslate::languages(api);
    };
    routes["/frontend/settings"].get = [this](const HttpRequest&) {
      return libretranslate::frontend_settings(api);
    };
    for (const char* path : {"/openapi.json", "/spec"})
      routes[path].get = [this](const HttpRequest&) { return json_answer(document); };
    routes["/health"].get = [](const HttpRequest&) { return json_answer({{"status", "ok"}}); };
    routes["/ready"].get = [this](const HttpRequest&) {
      if (draining) return error_response({503, "the server is stopping"});
      return json_answer({{"status", "ready"}});
    };
    routes["/metrics"].get = [this](const HttpRequest&) {
      return HttpResponse{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                          .body = metrics.text(api.scheduler->status(), http.counts())};
    };
    const auto add_file = [&](const EmbeddedFile& file) {
      const std::string name(file.name == "index.html" ? "" : file.name);
      routes["/" + name].get = [this, &file](const HttpRequest& request) {
        return page_response(file, request, page_policy);
      };
    };
    for (const EmbeddedFile& file : page_files()) add_file(file);
    add_file(page_asset("base.css"));
  }

  // On the thread of the HTTP server.
  void handle(const std::shared_ptr<HttpExchange>& exchange) {
    const HttpRequest& request = exchange->request();
    const auto found = routes.find(request.path);
    const Route* route = found == routes.end() ? nullptr : &found->second;
    auto record = std::make_shared<RequestRecord>();
    record->route = route ? request.path : "other";
    const bool usual = request.method == "GET" || request.method == "POST" ||
                       request.method == "HEAD" || request.method == "OPTIONS";
    record->method = usual ? request.method : "other";
    record->client = request.client;
    record->body_bytes = int64_t(request.body.size());
    std::vector<HttpHeader> headers = origins.headers(request);
    headers.push_back({"X-Content-Type-Options", "nosniff"});
    exchange->set_headers_and_callback(std::move(headers),
                                       [this, record](int status, double seconds) {
                                         record->status = status;
                                         record->seconds = seconds;
                                         metrics.count(record->route, status, seconds);
                                         std::lock_guard lock(log_mutex);
                                         if (log) log(*record);
                                       });
    try {
      answer(exchange, route, *record);
    } catch (const std::exception& error) {
      const bool is_error = dynamic_cast<const Error*>(&error) != nullptr;
      if (!is_error) record->error = error.what();
      exchange->respond(error_response(std::current_exception()));
    }
  }

  void answer(const std::shared_ptr<HttpExchange>& exchange, const Route* route,
              RequestRecord& record) {
    const HttpRequest& request = exchange->request();
    origins.check(request);
    if (OriginRules::is_preflight(request)) {
      exchange->respond({.status = 204, .content_type = "", .body = ""});
      return;
    }
    if (!route) throw HttpError(404, "no such path; see /openapi.json");
    const bool is_get = request.method == "GET" || request.method == "HEAD";
    const bool is_post = request.method == "POST";
    if (!(route->get ? is_get : is_post))
      throw HttpError(405, route->get ? "expected GET" : "expected POST",
                      {{"Allow", route->get ? "GET, HEAD" : "POST"}});
    if (route->get) {
      exchange->respond(route->get(request));
      return;
    }
    std::string client = request.client;
    // An overloaded server refuses most requests: it does not even read their parameters.
    if (!keys) check_room(*route, client);
    const Parameters parameters = Parameters::of(request, request_schema(document, request.path));
    if (keys) {
      const ApiKey& key = key_of(request, parameters);
      record.client = key.name;
      client = "key " + key.name;
      check_room(*route, client);
      keys->use(key, characters_of(parameters));
    }
    route->post({{api, client, exchange}, parameters});
  }

  // Overloaded if the queue has no room for a request.
  void check_room(const Route& route, const std::string& client) const {
    if (const auto wait = api.scheduler->retry_after(client); wait && route.needs_room)
      throw Overloaded(*wait);
  }

  const ApiKey& key_of(const HttpRequest& request, const Parameters& parameters) const {
    const std::string text = key_text(request, parameters);
    if (text.empty())
      throw HttpError(401, "this server needs an API key: Authorization: Bearer KEY, or api_key",
                      {{"WWW-Authenticate", "Bearer"}});
    const ApiKey* key = keys->find(text);
    if (!key) throw HttpError(403, "Invalid API key");
    return *key;
  }

  const ServeOptions options;
  const nlohmann::ordered_json document = openapi_document(options);
  const Log log;
  std::mutex log_mutex;
  ServedModels models;
  Metrics metrics;
  std::atomic<bool> draining = false;
  std::optional<ApiKeys> keys;
  std::map<std::string, Route> routes;  // by path
  HttpServer http;
  const OriginRules origins;
  const Api api;
  const std::string page_policy = content_security_policy(
      options.max_attention > 0 ? page_html({.kind = "attention"}) : std::string());
};

Server::Server(const ServeOptions& options, Log log, const std::vector<int>& sockets) {
  check_options(options.search);
  if (options.search.hypothesis_count() > options.max_hypotheses)
    fail_usage("--beam: expected at most --max-hypotheses, {}, got '{}'", options.max_hypotheses,
               options.search.hypothesis_count());
  check_access(options);
  // So that a body fits beside others and its translation (RequestMemory).
  if (options.max_body > (options.max_memory << 20) / 4)
    fail_usage("--max-body {} (bytes) needs a --max-memory of at least {} (MiB)", options.max_body,
               (4 * options.max_body + (1 << 20) - 1) >> 20);
  state_ = std::make_unique<State>(options, std::move(log), sockets);
}

Server::~Server() = default;

std::vector<std::string> Server::addresses() const {
  return state_->http.addresses();
}

MemoryBound Server::memory() const {
  return memory_bound(state_->options, state_->models);
}

const ServedModels& Server::models() const {
  return state_->models;
}

void Server::run() {
  state_->http.run();
}

void Server::drain(std::chrono::milliseconds timeout) {
  state_->draining = true;
  state_->http.drain(timeout);
}

void Server::stop() {
  state_->http.stop();
}

void Server::reload_keys() {
  if (!state_->options.api_keys) return;
  auto keys = std::make_shared<ApiKeys>(ApiKeys::load(*state_->options.api_keys));
  state_->http.post([this, keys] { state_->keys = std::move(*keys); });
}

std::vector<ModelReload> Server::reload(ServedModels::Which which) {
  std::vector<ModelReload> reloads = state_->models.reload(which);
  for (const ModelReload& reload : reloads) state_->metrics.count_reload(reload.error.empty());
  return reloads;
}

}  // namespace heed
