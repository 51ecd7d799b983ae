// Sockets that wait for connections.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <string>
#include <vector>

#include "heed/core/descriptor.h"

namespace heed::detail {

using Endpoint = boost::asio::generic::stream_protocol::endpoint;

// A listening socket, not blocking and closed on exec.
struct ListenSocket {
  Descriptor descriptor;
  bool adopted = false;  // another process opened it, and keeps it open
};

// Listens on "HOST:PORT" (server.h). A host name may have several addresses: one socket for each.
// Error if it cannot, UsageError if it is no address.
std::vector<ListenSocket> listen_on(const std::string& address);

// Takes over a socket that another process opened. Error if it is not a listening stream socket.
ListenSocket adopt_socket(int descriptor);

// "127.0.0.1:5000", "[::1]:5000", "unix:/run/heed.socket".
std::string bound_address(const Endpoint& endpoint);
// The address of the other end of a connection, without its port; "unix" for a local one.
std::string peer_address(const Endpoint& endpoint);

}  // namespace heed::detail
