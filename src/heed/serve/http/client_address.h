// The client that a request comes from.
#pragma once

#include <boost/asio/ip/network_v6.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/serve/http/message.h"

namespace heed::detail {

// IPv4 addresses are held as IPv6's "v4-mapped" ones, so that both forms of one address are equal.
using IpAddress = boost::asio::ip::address_v6;

// Reads "192.0.2.1" or "2001:db8::1" (also "::ffff:192.0.2.1", and in brackets); nothing if it is
// neither.
std::optional<IpAddress> parse_ip(std::string_view text);
// The usual form of it; a v4-mapped one as IPv4.
std::string ip_text(const IpAddress& address);

// The network of a client: its address itself, in IPv6 the first 64 bits, of which one machine can
// use every address.
IpAddress client_network(const IpAddress& address);

// Addresses and networks of proxies whose X-Forwarded-For is trusted.
class TrustedProxies {
 public:
  // UsageError naming an entry that is neither an address nor a network.
  explicit TrustedProxies(const std::vector<std::string>& entries);

  bool contains(const IpAddress& address) const;

  // The client of a request that came from the address `peer` (or "unix", a proxy on this machine,
  // which is trusted if any proxy is): the last address of X-Forwarded-For that is no trusted
  // proxy. The header is read from its end; a damaged entry ends the search, and the entry to its
  // right is the client.
  std::string client(const std::string& peer, const HttpRequest& request) const;

 private:
  std::vector<boost::asio::ip::network_v6> networks_;
};

// A bound for the connections of each client, told apart by client_network(). Used by one thread.
class ClientConnectionSlots {
 public:
  explicit ClientConnectionSlots(int64_t each) : each_(each) {}

  // A slot of the client at this address, which is free again when it is destroyed; null if the
  // client has as many as it may. Text that is no address ("unix") always has one.
  std::shared_ptr<void> take(const std::string& address);

 private:
  const int64_t each_;
  const std::shared_ptr<std::map<IpAddress, int64_t>> taken_ =
      std::make_shared<std::map<IpAddress, int64_t>>();
};

}  // namespace heed::detail
