#include "heed/serve/http/client_address.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "heed/core/ascii.h"
#include "heed/core/error.h"

namespace heed::detail {
namespace {

namespace ip = boost::asio::ip;

// An entry of X-Forwarded-For, which may have a port: "192.0.2.1:80", "[2001:db8::1]:80".
std::optional<IpAddress> parse_forwarded(std::string_view entry) {
  if (auto address = parse_ip(entry)) return address;
  const size_t colon = entry.rfind(':');
  if (colon == entry.npos) return std::nullopt;
  const std::string_view host = entry.substr(0, colon), port = entry.substr(colon + 1);
  if (host.find(':') != host.npos && host.front() != '[') return std::nullopt;
  if (port.size() > 5 || !is_digits(port)) return std::nullopt;
  return parse_ip(host);
}

}  // namespace

std::optional<IpAddress> parse_ip(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']')
    text = text.substr(1, text.size() - 2);
  if (text.find_first_of(std::string_view("%\0", 2)) != text.npos) return {};  // a zone, or a NUL
  boost::system::error_code error;
  const ip::address address = ip::make_address(std::string(text), error);
  if (error) return {};
  return address.is_v4() ? ip::make_address_v6(ip::v4_mapped, address.to_v4()) : address.to_v6();
}

std::string ip_text(const IpAddress& address) {
  return address.is_v4_mapped() ? ip::make_address_v4(ip::v4_mapped, address).to_string()
                                : address.to_string();
}

IpAddress client_network(const IpAddress& address) {
  return address.is_v4_mapped() ? address : ip::network_v6(address, 64).network();
}

TrustedProxies::TrustedProxies(const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    const size_t slash = entry.find('/');
    const auto address = parse_ip(entry.substr(0, slash));
    if (!address)
      fail_usage("trusted proxy '{}': expected an address or a network, such as 10.0.0.0/8 or ::1",
                 entry);
    const int bits = address->is_v4_mapped() ? 32 : 128;
    const auto prefix = slash == entry.npos
                            ? bits
                            : whole_number(std::string_view(entry).substr(slash + 1), 0, bits);
    if (!prefix) fail_usage("trusted proxy '{}': expected 0 to {} bits after '/'", entry, bits);
    networks_.push_back(ip::network_v6(*address, uint16_t(*prefix + 128 - bits)).canonical());
  }
}

bool TrustedProxies::contains(const IpAddress& address) const {
  return std::ranges::any_of(networks_, [&](const ip::network_v6& network) {
    return ip::network_v6(address, network.prefix_length()).network() == network.address();
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
          parse_forwarded(trim_blanks(comma == list.npos ? list : list.substr(comma + 1)));
      if (!forwarded) return client;
      client = ip_text(*forwarded);
      if (!contains(*forwarded)) return client;
      if (comma == list.npos) break;
      list = list.substr(0, comma);
    }
  }
  return client;
}

std::shared_ptr<void> ClientConnectionSlots::take(const std::string& address) {
  const auto ip = parse_ip(address);
  if (!ip) return std::make_shared<int>();
  const IpAddress client = client_network(*ip);
  int64_t& taken = (*taken_)[client];
  if (taken >= each_) return nullptr;
  ++taken;
  return {taken_.get(), [all = taken_, client](void*) {
            if (--all->at(client) == 0) all->erase(client);
          }};
}

}  // namespace heed::detail
