// A bound for the connections of each client.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "heed/serve/http/client_address.h"

namespace heed::detail {

// Used by one thread. Clients are told apart by client_network().
class ClientPlaces {
 public:
  explicit ClientPlaces(int64_t each) : each_(each) {}

  // A place of the client at this address, which is free again when it is destroyed; null if the
  // client has as many as it may. What is no address ("unix") always has one.
  std::shared_ptr<void> take(const std::string& address) {
    const auto bytes = parse_ip(address);
    if (!bytes) return std::make_shared<int>();
    const IpBytes client = client_network(*bytes);
    int64_t& taken = (*taken_)[client];
    if (taken >= each_) return nullptr;
    ++taken;
    return {taken_.get(), [all = taken_, client](void*) {
              if (--all->at(client) == 0) all->erase(client);
            }};
  }

 private:
  const int64_t each_;
  const std::shared_ptr<std::map<IpBytes, int64_t>> taken_ =
      std::make_shared<std::map<IpBytes, int64_t>>();
};

}  // namespace heed::detail
