// Which client a request comes from.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/serve/http/message.h"

namespace heed::detail {

// IPv4 addresses are held as IPv6's "v4-mapped" ones, so that both forms of one address are equal.
using IpBytes = std::array<uint8_t, 16>;

// Reads "192.0.2.1" or "2001:db8::1" (also "::ffff:192.0.2.1", and in brackets); nothing if it is
// neither.
std::optional<IpBytes> parse_ip(std::string_view text);
// The usual form of it; a v4-mapped one as IPv4.
std::string ip_text(const IpBytes& address);

// The machine that has an address: the address itself, in IPv6 its network of 64 bits, of which a
// machine can use every address.
IpBytes client_network(IpBytes address);

// Addresses and networks whose X-Forwarded-For is believed.
class TrustedProxies {
 public:
  // UsageError naming an entry that is neither an address nor a network.
  explicit TrustedProxies(const std::vector<std::string>& entries);

  bool contains(const IpBytes& address) const;

  // The client of a request that came from the address `peer` (or "unix", a proxy on this machine,
  // which is believed if any proxy is): the last address of X-Forwarded-For that is no trusted
  // proxy. A damaged entry ends the search at the one after it.
  std::string client(const std::string& peer, const HttpRequest& request) const;

 private:
  struct Network {
    IpBytes address;
    int bits;
  };
  std::vector<Network> networks_;
};

}  // namespace heed::detail
