// Access to the API: rules for origins, and keys.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heed/serve/http/message.h"

namespace heed {

// Rules about the headers Host and Origin.
class OriginRules {
 public:
  // `addresses` are those that the server listens on. If all are loopback addresses, the Host
  // header must name one or be among `allowed_hosts`: otherwise any web page could reach the server
  // by a name of its own that resolves to 127.0.0.1 (DNS rebinding). `cors` are origins
  // ("https://example.org") whose pages may use the API, "moz-extension://*" for all extensions of
  // a browser, or "*".
  OriginRules(const std::vector<std::string>& addresses, std::vector<std::string> allowed_hosts,
              std::vector<std::string> cors);

  // Throws HttpError 403 where the request breaks the rules. A request without a Host header
  // passes: it can only be one of HTTP/1.0, since RequestReader requires the header of HTTP/1.1.
  void check(const HttpRequest& request) const;
  // The headers that let a page of the request's origin read the answer; none for other requests.
  std::vector<HttpHeader> headers(const HttpRequest& request) const;
  // Whether the request is a CORS preflight: a browser asks whether a page may send another one.
  static bool is_preflight(const HttpRequest& request);

 private:
  bool is_same_origin(const HttpRequest& request) const;
  bool allows(std::string_view origin) const;

  bool loopback_ = true;
  const std::vector<std::string> allowed_hosts_, cors_;
};

// Whether it may be a Host header without its port: "example.org", "[::1]".
bool is_host_name(std::string_view name);
// Whether it may be an Origin header ("https://example.org:8000", "null"), or is "*" or names all
// extensions of a browser ("moz-extension://*").
bool is_origin(std::string_view text);

// A key that a client may use. Its text is not kept.
struct ApiKey {
  std::string name;
  std::array<unsigned char, 32> hash = {};  // SHA-256
  // Bounds for a minute; none: no limit.
  std::optional<int64_t> requests, characters;
};

// The keys that a server accepts, and how much of their limits is left.
class ApiKeys {
 public:
  // A line for each key: NAME SHA256 [requests=N] [characters=N]; empty lines and those that begin
  // with '#' say nothing. Error, naming file and line, where one is damaged.
  static ApiKeys load(const std::string& path);
  explicit ApiKeys(std::vector<ApiKey> keys) : keys_(std::move(keys)) {}

  // Null if it is none of them. Takes the same time for every key.
  const ApiKey* find(std::string_view key) const;

  using Time = std::chrono::steady_clock::time_point;
  // Counts a request and its characters. Throws HttpError 429 with Retry-After if a limit of the
  // key is reached, 413 if the request alone exceeds one; then nothing is counted.
  void use(const ApiKey& key, int64_t characters, Time now = std::chrono::steady_clock::now());

 private:
  // A token bucket for each limit: it holds at most the limit, and is refilled by it in a minute.
  struct TokenBuckets {
    double requests = 0, characters = 0;
    Time when;
  };
  std::vector<ApiKey> keys_;
  std::map<std::string, TokenBuckets> buckets_;  // by name
};

}  // namespace heed
