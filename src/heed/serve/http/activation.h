// Sockets from systemd and notifications to it, without libsystemd: sd_listen_fds(3) and
// sd_notify(3) are environment variables and a datagram.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// The sockets that systemd opened for this process (LISTEN_PID, LISTEN_FDS); none if there are no
// such variables or if they are meant for another process. Marks the sockets to be closed on exec
// and removes the variables from the environment: call it once, before other threads begin. Error
// if the variables are damaged.
std::vector<int> inherited_sockets();

// Sends lines such as "READY=1" to the service manager (NOTIFY_SOCKET); returns false if there is
// none. Error if the socket cannot be reached. From any thread.
bool notify_service_manager(std::string_view lines);

// Common lines.
inline constexpr std::string_view kServiceReady = "READY=1";
inline constexpr std::string_view kServiceStopping = "STOPPING=1";
inline constexpr std::string_view kServiceAlive = "WATCHDOG=1";
// The lines for a reload of the configuration; kServiceReady must follow when it is complete.
std::string service_reloading();

}  // namespace heed
