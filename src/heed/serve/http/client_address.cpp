#include "heed/serve/http/client_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "heed/core/error.h"
#include "heed/serve/http/header_text.h"

namespace heed::detail {
namespace {

constexpr IpBytes kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr size_t kMappedBytes = 12;

bool is_mapped(const IpBytes& address) {
  return std::equal(kMapped.begin(), kMapped.begin() + kMappedBytes, address.begin());
}

// An entry of X-Forwarded-For, which may have a port: "192.0.2.1:80", "[2001:db8::1]:80".
std::optional<IpBytes> parse_forwarded(std::string_view entry) {
  if (const auto address = parse_ip(entry)) return address;
  const size_t colon = entry.rfind(':');
  if (colon == entry.npos) return std::nullopt;
  const std::string_view host = entry.substr(0, colon), port = entry.substr(colon + 1);
  if (host.find(':') != host.npos && host.front() != '[') return std::nullopt;
  if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != port.npos)
    return std::nullopt;
  return parse_ip(host);
}

}  // namespace

std::optional<IpBytes> parse_ip(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']')
    text = text.substr(1, text.size() - 2);
  if (text.size() >= INET6_ADDRSTRLEN) return std::nullopt;
  const std::string address(text);
  IpBytes bytes = kMapped;
  if (inet_pton(AF_INET, address.c_str(), bytes.data() + kMappedBytes) == 1) return bytes;
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) return bytes;
  return std::nullopt;
}

std::string ip_text(const IpBytes& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_mapped(address))
    inet_ntop(AF_INET, address.data() + kMappedBytes, text.data(), text.size());
  else
    inet_ntop(AF_INET6, address.data(), text.data(), text.size());
  return text.data();
}

IpBytes client_network(IpBytes address) {
  if (!is_mapped(address)) std::fill(address.begin() + 8, address.end(), uint8_t(0));
  return address;
}

TrustedProxies::TrustedProxies(const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    const size_t slash = entry.find('/');
    const auto address = parse_ip(entry.substr(0, slash));
    if (!address)
      fail_usage("trusted proxy '{}': expected an address or a network, such as 10.0.0.0/8 or ::1",
                 entry);
    const int most = is_mapped(*address) ? 32 : 128;
    int bits = most;
    if (slash != entry.npos) {
      const char* const end = entry.data() + entry.size();
      const auto read = std::from_chars(entry.data() + slash + 1, end, bits);
      if (read.ec != std::errc{} || read.ptr != end || bits < 0 || bits > most)
        fail_usage("trusted proxy '{}': expected 0 to {} bits after '/'", entry, most);
    }
    networks_.push_back({*address, bits + 128 - most});
  }
}

bool TrustedProxies::contains(const IpBytes& address) const {
  return std::any_of(networks_.begin(), networks_.end(), [&](const Network& network) {
    const size_t whole = size_t(network.bits) / 8;
    if (!std::equal(address.begin(), address.begin() + whole, network.address.begin()))
      return false;
    const int rest = network.bits % 8;
    return rest == 0 || (address[whole] ^ network.address[whole]) >> (8 - rest) == 0;
  });
}

std::string TrustedProxies::client(const std::string& peer, const HttpRequest& request) const {
  const auto address = parse_ip(peer);
  if (networks_.empty() || (address && !contains(*address))) return peer;
  std::string client = peer;
  for (size_t at = request.headers.size(); at-- > 0;) {
    if (request.headers[at].name != "x-forwarded-for") continue;
    std::string_view list = request.headers[at].value;
    while (true) {
      const size_t comma = list.rfind(',');
      const auto forwarded =
          parse_forwarded(trimmed(comma == list.npos ? list : list.substr(comma + 1)));
      if (!forwarded) return client;
      client = ip_text(*forwarded);
      if (!contains(*forwarded)) return client;
      if (comma == list.npos) break;
      list = list.substr(0, comma);
    }
  }
  return client;
}

}  // namespace heed::detail
