#include <gtest/gtest.h>

#include "heed/serve/http/client_address.h"
#include "support/facts.h"

namespace heed::detail {
namespace {

std::string client_of(const std::vector<std::string>& trusted, const std::string& peer,
                      const std::vector<std::string>& forwarded) {
  HttpRequest request;
  for (const std::string& value : forwarded) request.headers.push_back({"x-forwarded-for", value});
  return TrustedProxies(trusted).client(peer, request);
}

TEST(ClientAddressTest, TrustsNoProxyByDefault) {
  EXPECT_EQ(client_of({}, "192.0.2.1", {"10.0.0.1"}), "192.0.2.1");
  EXPECT_EQ(client_of({}, "unix", {"10.0.0.1"}), "unix");
  EXPECT_EQ(client_of({"10.0.0.0/8"}, "192.0.2.1", {"10.0.0.1"}), "192.0.2.1");
}

TEST(ClientAddressTest, TakesTheLastAddressThatIsNoTrustedProxy) {
  const std::vector<std::string> trusted{"10.0.0.0/8", "::1"};
  EXPECT_EQ(client_of(trusted, "10.1.2.3", {"192.0.2.1"}), "192.0.2.1");
  EXPECT_EQ(client_of(trusted, "10.1.2.3", {"198.51.100.1, 192.0.2.1, 10.9.9.9"}), "192.0.2.1");
  EXPECT_EQ(client_of(trusted, "::1", {"198.51.100.1,192.0.2.1", "10.9.9.9"}), "192.0.2.1");
  EXPECT_EQ(client_of(trusted, "10.1.2.3", {"10.0.0.2, 10.0.0.3"}), "10.0.0.2");
  EXPECT_EQ(client_of(trusted, "10.1.2.3", {}), "10.1.2.3");
  EXPECT_EQ(client_of(trusted, "unix", {"192.0.2.1"}), "192.0.2.1");
}

TEST(ClientAddressTest, StopsAtADamagedEntry) {
  const std::vector<std::string> trusted{"10.0.0.0/8"};
  for (const char* damaged :
       {"", "unknown", "1.2.3", "1.2.3.4.5", "_hidden", "1.2.3.4 x", ":", "["})
    EXPECT_EQ(client_of(trusted, "10.1.2.3", {"192.0.2.1, " + std::string(damaged) + ", 10.0.0.7"}),
              "10.0.0.7")
        << damaged;
  EXPECT_EQ(client_of(trusted, "10.1.2.3", {"192.0.2.1", "damaged, 10.0.0.7"}), "10.0.0.7");
}

TEST(ClientAddressTest, ReadsAllFormsOfAddresses) {
  const std::vector<std::string> trusted{"127.0.0.1"};
  EXPECT_EQ(client_of(trusted, "127.0.0.1", {"::ffff:192.0.2.1"}), "192.0.2.1");
  EXPECT_EQ(client_of(trusted, "127.0.0.1", {"192.0.2.1:8080"}), "192.0.2.1");
  EXPECT_EQ(client_of(trusted, "127.0.0.1", {"[2001:DB8::1]:8080"}), "2001:db8::1");
  EXPECT_EQ(client_of(trusted, "127.0.0.1", {"[2001:db8::1]"}), "2001:db8::1");
  EXPECT_EQ(client_of(trusted, "127.0.0.1", {"2001:db8:0::1"}), "2001:db8::1");
  EXPECT_EQ(client_of({"::ffff:127.0.0.1"}, "127.0.0.1", {"192.0.2.1"}), "192.0.2.1");
}

TEST(ClientAddressTest, MatchesNetworksByTheirBits) {
  const TrustedProxies proxies({"10.0.0.0/9", "2001:db8::/33", "192.0.2.1"});
  const auto trusts = [&](std::string_view text) { return proxies.contains(*parse_ip(text)); };
  EXPECT_TRUE(trusts("10.127.255.255"));
  EXPECT_FALSE(trusts("10.128.0.0"));
  EXPECT_TRUE(trusts("2001:db8:7fff::1"));
  EXPECT_FALSE(trusts("2001:db8:8000::1"));
  EXPECT_TRUE(trusts("192.0.2.1"));
  EXPECT_FALSE(trusts("192.0.2.2"));
  EXPECT_TRUE(TrustedProxies({"0.0.0.0/0"}).contains(*parse_ip("8.8.8.8")));
  EXPECT_FALSE(TrustedProxies({"0.0.0.0/0"}).contains(*parse_ip("2001:db8::1")));
}

TEST(ClientAddressTest, RefusesWhatIsNoNetwork) {
  for (const char* entry : {"", "10.0.0.0/33", "::1/129", "10.0.0.0/", "10.0.0.0/-1", "proxy", "/8",
                            "10.0.0.0/8/8", "10.0.0.0/ 8"})
    expect_usage([&] { TrustedProxies({entry}); }, "proxy");
}

}  // namespace
}  // namespace heed::detail
