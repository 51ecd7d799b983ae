#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "heed/core/descriptor.h"
#include "heed/serve/http/activation.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

// Sets a variable of the environment for one test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

// A socket that receives notifications, at a path or at an abstract name ("@name").
class ServiceManager {
 public:
  explicit ServiceManager(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (name[0] == '@') address.sun_path[0] = '\0';
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address),
                     socklen_t(offsetof(sockaddr_un, sun_path) + name.size())),
              0);
  }
  std::string next() const {
    std::array<char, 1000> bytes{};
    const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    return size < 0 ? "" : std::string(bytes.data(), size_t(size));
  }

 private:
  Descriptor socket_;
};

TEST(ActivationTest, HasNoSocketsWithoutSystemd) {
  EXPECT_TRUE(inherited_sockets().empty());
  const Variable process("LISTEN_PID", "1");
  const Variable count("LISTEN_FDS", "1");
  EXPECT_TRUE(inherited_sockets().empty()) << "they are meant for another process";
}

TEST(ActivationTest, TakesItsSocketsOnce) {
  const Variable process("LISTEN_PID", std::to_string(::getpid()));
  const Variable count("LISTEN_FDS", "1");
  const Variable names("LISTEN_FDNAMES", "http");
  Descriptor made;
  if (::fcntl(3, F_GETFD) < 0) {
    made = Descriptor(::dup2(2, 3));
  }
  EXPECT_THAT(inherited_sockets(), ::testing::ElementsAre(3));
  EXPECT_NE(::fcntl(3, F_GETFD) & FD_CLOEXEC, 0);
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"})
    EXPECT_EQ(std::getenv(name), nullptr) << name;
  EXPECT_TRUE(inherited_sockets().empty());
}

TEST(ActivationTest, RefusesDamagedVariables) {
  for (const char* count : {"x", "-1", "1x", "", "100000", "1000"}) {
    const Variable process("LISTEN_PID", std::to_string(::getpid()));
    const Variable sockets("LISTEN_FDS", count);
    try {
      inherited_sockets();
      ADD_FAILURE() << "accepted: " << count;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasFacts("LISTEN_FDS"));
    }
  }
  const Variable process("LISTEN_PID", "me");
  EXPECT_THROW(inherited_sockets(), Error);
}

TEST(ActivationTest, NotifiesTheServiceManager) {
  EXPECT_FALSE(notify_service_manager(kServiceReady));
  const testing::TemporaryFolder folder;
  for (const std::string& name :
       {(folder.path() / "notify").string(), "@heed-test-" + std::to_string(::getpid())}) {
    const ServiceManager manager(name);
    const Variable variable("NOTIFY_SOCKET", name);
    EXPECT_TRUE(notify_service_manager(kServiceReady));
    EXPECT_EQ(manager.next(), "READY=1");
    EXPECT_TRUE(notify_service_manager(kServiceStopping));
    EXPECT_EQ(manager.next(), "STOPPING=1");
    EXPECT_TRUE(notify_service_manager(kServiceAlive));
    EXPECT_EQ(manager.next(), "WATCHDOG=1");
    EXPECT_TRUE(notify_service_manager(service_reloading()));
    EXPECT_THAT(manager.next(), ::testing::MatchesRegex("RELOADING=1\nMONOTONIC_USEC=[0-9]+"));
  }
}

TEST(ActivationTest, NamesASocketThatCannotBeReached) {
  for (const std::string& name :
       {std::string("relative"), std::string("/no/such/socket"), "/" + std::string(200, 'a')}) {
    const Variable variable("NOTIFY_SOCKET", name);
    try {
      notify_service_manager(kServiceReady);
      ADD_FAILURE() << "accepted: " << name;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasFacts("NOTIFY_SOCKET"));
      EXPECT_THAT(error.what(), ::testing::HasSubstr(name));
    }
  }
}

}  // namespace
}  // namespace heed
