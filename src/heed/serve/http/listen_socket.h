// Sockets that wait for connections.
#pragma once

#include <string>
#include <vector>

#include "heed/core/descriptor.h"

namespace heed::detail {

// A listening socket, not blocking and closed on exec.
struct ListenSocket {
  Descriptor descriptor;
  std::string address;   // "127.0.0.1:5000", "[::1]:5000", "unix:/run/heed.socket"
  bool adopted = false;  // another process opened it, and keeps it open
};

// Listens on "HOST:PORT" (server.h). A host name may have several addresses: one socket for each.
// Error if it cannot, UsageError if it is no address.
std::vector<ListenSocket> listen_on(const std::string& address);

// Takes over a socket that another process opened. Error if it is not a listening stream socket.
ListenSocket adopt_socket(int descriptor);

// The address of the other end of a connection, without its port; "unix" for a local one.
std::string peer_address(int descriptor);

}  // namespace heed::detail
