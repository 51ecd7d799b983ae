#include "heed/serve/api/access.h"

#include <sodium.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "heed/core/ascii.h"
#include "heed/core/files.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

// "localhost" of "localhost:5000", "[::1]" of "[::1]:5000".
std::string_view host_of(std::string_view address) {
  if (address.starts_with('[')) return address.substr(0, address.find(']') + 1);
  return address.substr(0, address.find(':'));
}

// "example.org" of "example.org:443" where 443 is the port of the scheme.
std::string_view without_port(std::string_view address, std::string_view port) {
  if (address.ends_with(port)) address.remove_suffix(port.size());
  return address;
}

bool same_text(std::string_view a, std::string_view b) {
  return lower_ascii(a) == lower_ascii(b);
}

// Whether it names all extensions of a browser: "moz-extension://*". No web page has such an
// origin.
bool is_all_extensions(std::string_view text) {
  constexpr std::string_view kEnd = "-extension://*";
  return text.size() > kEnd.size() && text.ends_with(kEnd) &&
         text.find_first_of(":/*?#@") == text.size() - std::string_view("://*").size();
}

// Whether an origin is the one of --cors, or among those.
bool fits(std::string_view origin, std::string_view allowed) {
  if (!is_all_extensions(allowed)) return allowed == "*" || same_text(allowed, origin);
  allowed.remove_suffix(1);
  return origin.size() > allowed.size() && same_text(allowed, origin.substr(0, allowed.size()));
}

auto sha256(std::string_view text) {
  decltype(ApiKey::hash) hash;
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  return hash;
}

// Reads "requests=60" into its field; false if the word is no limit.
bool read_limit(std::string_view word, ApiKey& key) {
  const size_t at = word.find('=');
  const std::string_view name = word.substr(0, at);
  std::optional<int64_t>& field = name == "requests" ? key.requests : key.characters;
  if (at == word.npos || field || (name != "requests" && name != "characters")) return false;
  field = whole_number(word.substr(at + 1), int64_t(1), std::numeric_limits<int64_t>::max());
  return field.has_value();
}

ApiKey read_key(const std::string& line, const std::string& where) {
  std::istringstream words(line);
  ApiKey key;
  std::string digits;
  words >> key.name >> digits;
  size_t size = 0;
  if (sodium_hex2bin(key.hash.data(), key.hash.size(), digits.data(), digits.size(), nullptr, &size,
                     nullptr) != 0 ||
      size != key.hash.size())
    fail("{}: expected NAME and a SHA-256 of 64 hexadecimal digits", where);
  if (key.hash == sha256("")) fail("{}: this is the SHA-256 of an empty key", where);
  for (std::string word; words >> word;)
    if (!read_limit(word, key))
      fail("{}: expected requests=N or characters=N, each once, got '{}'", where, word);
  return key;
}

// Whether an address ("127.0.0.1:5000", "[::1]:80", "localhost", "unix") is of this machine alone.
bool is_loopback(std::string_view address) {
  const std::string_view host = host_of(address);
  return host == "unix" || same_text(host, "localhost") || host == "[::1]" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos);
}

}  // namespace

bool is_host_name(std::string_view name) {
  if (name.starts_with('[')) return name.find(']') == name.size() - 1;
  return !name.empty() && name.find_first_of(":/*?#@") == name.npos;
}

bool is_origin(std::string_view text) {
  if (text == "*" || text == "null" || is_all_extensions(text)) return true;
  const size_t at = text.find("://");
  if (at == text.npos || at == 0 || at + 3 == text.size()) return false;
  return text.find_first_of("/*?#@", at + 3) == text.npos;
}

OriginRules::OriginRules(const std::vector<std::string>& addresses,
                         std::vector<std::string> allowed_hosts, std::vector<std::string> cors)
    : loopback_(std::ranges::all_of(addresses, is_loopback)),
      allowed_hosts_(std::move(allowed_hosts)),
      cors_(std::move(cors)) {}

void OriginRules::check(const HttpRequest& request) const {
  const std::string_view host = request.header("host");
  const auto is_host = [&](const std::string& name) { return same_text(name, host_of(host)); };
  const bool allowed = std::ranges::any_of(allowed_hosts_, is_host);
  // Clients of HTTP/1.0 may leave it out; browsers never do.
  if (loopback_ && !host.empty() && !is_loopback(host) && !allowed)
    throw HttpError(403, fmt::format("requests to the host '{}' are not accepted: expected "
                                     "localhost, or a name that --allowed-hosts adds",
                                     excerpt(host_of(host))));
  const std::string_view origin = request.header("origin");
  if (!origin.empty() && !is_same_origin(request) && !allows(origin))
    throw HttpError(
        403, fmt::format("pages of '{}' may not use this server (Host: '{}'): allow the origin by "
                         "--cors; if a proxy serves the page, let it forward the Host header, and "
                         "add that name by --allowed-hosts",
                         excerpt(origin), excerpt(host)));
}

bool OriginRules::is_same_origin(const HttpRequest& request) const {
  const std::string_view origin = request.header("origin");
  const size_t at = origin.find("://");
  if (at == origin.npos) return false;
  const std::string_view port = same_text(origin.substr(0, at), "https") ? ":443" : ":80";
  return same_text(without_port(origin.substr(at + 3), port),
                   without_port(request.header("host"), port));
}

bool OriginRules::allows(std::string_view origin) const {
  return std::ranges::any_of(cors_, [&](const std::string& one) { return fits(origin, one); });
}

std::vector<HttpHeader> OriginRules::headers(const HttpRequest& request) const {
  const std::string_view origin = request.header("origin");
  if (origin.empty() || !allows(origin)) return {};
  std::vector<HttpHeader> headers = {{"Access-Control-Allow-Origin", std::string(origin)},
                                     {"Vary", "Origin"}};
  if (is_preflight(request)) {
    headers.push_back({"Access-Control-Allow-Methods", "GET, POST"});
    headers.push_back({"Access-Control-Allow-Headers", "Authorization, Content-Type"});
    headers.push_back({"Access-Control-Max-Age", "600"});
  }
  return headers;
}

bool OriginRules::is_preflight(const HttpRequest& request) {
  return request.method == "OPTIONS" && !request.header("origin").empty() &&
         !request.header("access-control-request-method").empty();
}

ApiKeys ApiKeys::load(const std::string& path) {
  if (sodium_init() < 0) fail("{}: the library libsodium cannot begin", path);
  std::istringstream lines(read_file(path, 16 << 20));
  std::vector<ApiKey> keys;
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = fmt::format("{}:{}", path, ++number);
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == line.npos || line[begin] == '#') continue;
    if (find_invalid_utf8(line)) fail("{}: not UTF-8", where);
    ApiKey key = read_key(line, where);
    for (const ApiKey& other : keys)
      if (other.name == key.name || other.hash == key.hash)
        fail("{}: the same name or key as '{}' above", where, other.name);
    keys.push_back(std::move(key));
  }
  if (keys.empty()) fail("{}: no key: expected a line for each: NAME SHA256", path);
  return ApiKeys(std::move(keys));
}

const ApiKey* ApiKeys::find(std::string_view key) const {
  const auto hash = sha256(key);
  const ApiKey* found = nullptr;
  for (const ApiKey& one : keys_)
    if (sodium_memcmp(one.hash.data(), hash.data(), hash.size()) == 0) found = &one;
  return found;
}

void ApiKeys::use(const ApiKey& key, int64_t characters, Time now) {
  const double max_requests = double(key.requests.value_or(0)),
               max_characters = double(key.characters.value_or(0));
  auto [found, fresh] =
      buckets_.try_emplace(key.name, TokenBuckets{max_requests, max_characters, now});
  TokenBuckets& left = found->second;
  const double minutes = std::chrono::duration<double>(now - left.when).count() / 60;
  left.requests = std::min(max_requests, left.requests + minutes * max_requests);
  left.characters = std::min(max_characters, left.characters + minutes * max_characters);
  left.when = now;
  if (key.characters && characters > *key.characters)
    throw HttpError(413, fmt::format("{} characters: the key allows {} in a minute", characters,
                                     *key.characters));
  double seconds = 0;
  if (key.requests && left.requests < 1) seconds = (1 - left.requests) * 60 / max_requests;
  if (key.characters && left.characters < double(characters))
    seconds = std::max(seconds, (double(characters) - left.characters) * 60 / max_characters);
  if (seconds > 0)
    throw HttpError(429, "the limit of this key is reached",
                    {{"Retry-After", std::to_string(int64_t(std::ceil(seconds)))}});
  left.requests -= 1;
  left.characters -= double(characters);
}

}  // namespace heed
