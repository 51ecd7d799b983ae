#include "heed/serve/api/access.h"

#include <gtest/gtest.h>

#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

// The status with which a request is refused; 0 if it is not.
template <class Action>
int refusal_of(Action action) {
  try {
    action();
  } catch (const HttpError& error) {
    return error.status;
  }
  return 0;
}

int refusal_by(const OriginRules& rules, std::vector<HttpHeader> headers) {
  HttpRequest request;
  request.method = "POST";
  request.path = "/translate";
  request.headers = std::move(headers);
  return refusal_of([&] { rules.check(request); });
}

TEST(OriginRulesTest, LoopbackServersAreReachedByLoopbackNames) {
  const OriginRules rules({"127.0.0.1:5000", "[::1]:5000"}, {"translate.example.org"}, {});
  for (const char* host : {"localhost", "LOCALHOST:5000", "127.0.0.1:5000", "127.1.2.3",
                           "[::1]:5000", "translate.example.org", "Translate.Example.org:443"})
    EXPECT_EQ(refusal_by(rules, {{"host", host}}), 0) << host;
  for (const char* host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example",
                           "example.org", "[::2]:5000", "10.0.0.1"})
    EXPECT_EQ(refusal_by(rules, {{"host", host}}), 403) << host;
  EXPECT_EQ(refusal_by(rules, {}), 0) << "HTTP/1.0 has no Host";
}

TEST(OriginRulesTest, RefusalsNameTheOption) {
  const OriginRules rules({"127.0.0.1:5000"}, {}, {});
  const auto error = [&](std::vector<HttpHeader> headers) {
    HttpRequest request;
    request.headers = std::move(headers);
    return error_of([&] { rules.check(request); });
  };
  // As a page behind a proxy asks for its own server.
  const std::string host =
      error({{"host", "translate.example.org"}, {"origin", "https://translate.example.org"}});
  EXPECT_THAT(host, HasFacts("translate.example.org --allowed-hosts"));
  EXPECT_EQ(host.find("--cors"), host.npos);
  EXPECT_THAT(error({{"host", "localhost"}, {"origin", "https://a.example"}}),
              HasFacts("https://a.example localhost --cors --allowed-hosts"));
  EXPECT_LT(error({{"host", std::string(10'000, 'a')}}).size(), 400U);
  EXPECT_LT(error({{"host", "localhost"}, {"origin", std::string(10'000, 'a')}}).size(), 600U);
}

TEST(OriginRulesTest, ThePortOfASchemeMayBeLeftOut) {
  const OriginRules rules({"0.0.0.0:5000"}, {}, {});
  for (const auto& [host, origin] :
       std::vector<std::pair<std::string, std::string>>{{"a.example:443", "https://a.example"},
                                                        {"a.example", "https://a.example:443"},
                                                        {"a.example:80", "http://a.example"},
                                                        {"A.example", "HTTP://a.example:80"}})
    EXPECT_EQ(refusal_by(rules, {{"host", host}, {"origin", origin}}), 0) << host << origin;
  EXPECT_EQ(refusal_by(rules, {{"host", "a.example:80"}, {"origin", "https://a.example"}}), 403);
  EXPECT_EQ(refusal_by(rules, {{"host", "a.example"}, {"origin", "http://a.example:443"}}), 403);
}

TEST(OriginRulesTest, NamesAndOriginsMayFitARequest) {
  for (const char* name : {"localhost", "translate.example.org", "10.0.0.1", "[2001:db8::1]"})
    EXPECT_TRUE(is_host_name(name)) << name;
  for (const char* name : {"", "example.org:80", "2001:db8::1", "[::1]:80", "[", "*"})
    EXPECT_FALSE(is_host_name(name)) << name;
  for (const char* origin : {"*", "null", "http://localhost:5000", "https://example.org",
                             "http://[::1]:80", "moz-extension://some-id", "chrome-extension://*"})
    EXPECT_TRUE(is_origin(origin)) << origin;
  for (const char* origin : {"", "example.org", "://example.org", "https://example.org/",
                             "https://*", "-extension://*", "https://a-extension://*"})
    EXPECT_FALSE(is_origin(origin)) << origin;
}

TEST(OriginRulesTest, OtherServersAreReachedByAnyName) {
  const OriginRules rules({"127.0.0.1:5000", "0.0.0.0:80"}, {}, {});
  EXPECT_EQ(refusal_by(rules, {{"host", "anything.example"}}), 0);
}

TEST(OriginRulesTest, PagesOfOtherOriginsNeedPermission) {
  const OriginRules closed({"127.0.0.1:5000"}, {}, {});
  EXPECT_EQ(refusal_by(closed, {{"host", "localhost:5000"}, {"origin", "http://localhost:5000"}}),
            0);
  EXPECT_EQ(refusal_by(closed, {{"host", "localhost:5000"}, {"origin", "http://localhost:80"}}),
            403);
  EXPECT_EQ(refusal_by(closed, {{"host", "localhost:5000"}, {"origin", "https://a.example"}}), 403);
  EXPECT_EQ(refusal_by(closed, {{"host", "localhost:5000"}, {"origin", "null"}}), 403);

  const OriginRules open({"127.0.0.1:5000"}, {}, {"https://a.example"});
  EXPECT_EQ(refusal_by(open, {{"host", "localhost"}, {"origin", "https://a.example"}}), 0);
  EXPECT_EQ(refusal_by(open, {{"host", "localhost"}, {"origin", "https://b.example"}}), 403);
}

TEST(OriginRulesTest, AllExtensionsOfABrowserMayBePermitted) {
  const OriginRules rules({"127.0.0.1:5000"}, {}, {"moz-extension://*"});
  const auto refusal = [&](const std::string& origin) {
    return refusal_by(rules, {{"host", "localhost"}, {"origin", origin}});
  };
  EXPECT_EQ(refusal("moz-extension://299e1ee4-f8e4-4422-8383-4ce247fa92f4"), 0);
  for (const char* other : {"chrome-extension://a", "https://moz-extension", "moz-extension://"})
    EXPECT_EQ(refusal(other), 403) << other;
}

TEST(OriginRulesTest, AnswersNameThePermittedOrigin) {
  const OriginRules rules({"127.0.0.1:5000"}, {}, {"https://a.example"});
  HttpRequest request;
  request.method = "OPTIONS";
  request.path = "/translate";
  request.headers = {{"origin", "https://a.example"}, {"access-control-request-method", "POST"}};
  EXPECT_TRUE(OriginRules::is_preflight(request));
  std::string all;
  for (const HttpHeader& header : rules.headers(request))
    all += header.name + ": " + header.value + "; ";
  EXPECT_THAT(all, HasFacts("Access-Control-Allow-Origin https://a.example POST Authorization"));
  request.headers[0].value = "https://b.example";
  EXPECT_TRUE(rules.headers(request).empty());
  request.headers.clear();
  EXPECT_TRUE(rules.headers(request).empty());
  EXPECT_FALSE(OriginRules::is_preflight(request));
}

class ApiKeysTest : public FolderTest {
 protected:
  // printf %s secret | sha256sum
  static constexpr const char* kSecret =
      "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
  ApiKeys load(const std::string& text) const {
    return ApiKeys::load(write("keys", text).string());
  }
};

TEST_F(ApiKeysTest, AreFoundByTheirHash) {
  const ApiKeys keys =
      load(fmt::format("# ours\n\nalice {} requests=2\nbob {:0>64}\n", kSecret, "a"));
  ASSERT_NE(keys.find("secret"), nullptr);
  EXPECT_EQ(keys.find("secret")->name, "alice");
  EXPECT_EQ(keys.find("Secret"), nullptr);
  EXPECT_EQ(keys.find(""), nullptr);
  EXPECT_EQ(keys.find(kSecret), nullptr) << "the hash is not the key";
}

TEST_F(ApiKeysTest, LimitsHoldForAMinute) {
  ApiKeys keys = load(fmt::format("alice {} requests=2 characters=100\n", kSecret));
  const ApiKey& key = *keys.find("secret");
  using namespace std::chrono_literals;
  const ApiKeys::Time start{};
  const auto use = [&](int64_t characters, std::chrono::seconds later) {
    return refusal_of([&] { keys.use(key, characters, start + later); });
  };
  EXPECT_EQ(use(10, 0s), 0);
  EXPECT_EQ(use(101, 0s), 413) << "it would never be possible";
  EXPECT_EQ(use(91, 0s), 429);
  EXPECT_EQ(use(90, 0s), 0) << "what was refused is not counted";
  EXPECT_EQ(use(0, 0s), 429) << "a third request";
  EXPECT_EQ(use(0, 29s), 429);
  EXPECT_EQ(use(50, 30s), 0) << "half of the limits is back";
  EXPECT_EQ(use(1, 59s), 429);
  EXPECT_EQ(use(100, 600s), 0);
}

TEST_F(ApiKeysTest, RefusalsSayWhen) {
  ApiKeys keys = load(fmt::format("alice {} requests=2\n", kSecret));
  const ApiKeys::Time now{};
  keys.use(*keys.find("secret"), 1, now);
  keys.use(*keys.find("secret"), 1, now);
  try {
    keys.use(*keys.find("secret"), 1, now);
    FAIL();
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status, 429);
    ASSERT_EQ(error.headers.size(), 1U);
    EXPECT_EQ(error.headers[0].name + ": " + error.headers[0].value, "Retry-After: 30");
  }
}

TEST_F(ApiKeysTest, DamagedFilesAreNamed) {
  const auto error = [&](const std::string& text) { return error_of([&] { load(text); }); };
  EXPECT_THAT(error("alice secret\n"), HasFacts("keys:1 NAME SHA-256"));
  EXPECT_THAT(error(fmt::format("\nalice {} requests=no\n", kSecret)),
              HasFacts("keys:2 requests=no"));
  EXPECT_THAT(error(fmt::format("alice {} requests=1 requests=2\n", kSecret)), HasFacts("keys:1"));
  EXPECT_THAT(error(fmt::format("alice {0}\nbob {0}\n", kSecret)), HasFacts("keys:2 alice"));
  EXPECT_THAT(error("# nothing\n"), HasFacts("keys"));
  // printf %s "$KEY" | sha256sum, without a KEY
  EXPECT_THAT(error("a e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n"),
              HasFacts("keys:1 empty"));
  EXPECT_THAT(error_of([&] { ApiKeys::load((folder_ / "none").string()); }), HasFacts("none"));
}

}  // namespace
}  // namespace heed
