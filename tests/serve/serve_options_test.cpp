// Every option of the server against its default: with the row's value something else happens.
#include <gtest/gtest.h>

#include <set>

#include "heed/serve/options.h"
#include "serve/server_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

using testing::get;
using testing::HttpClient;
using testing::HttpReply;
using testing::post;
using testing::post_text;
using testing::RunningTranslationServer;

class ServeOptionsTest : public FolderTest {
 protected:
  // What happens, as text.
  using Trace = std::function<std::string(const ServeOptions&)>;
  struct Row {
    std::vector<std::string> assignment;  // the option and its value or values
    Trace trace;
  };

  void SetUp() override {
    testing::write_small_translator(folder_ / "model");
    write("keys", "a 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae\n");
  }

  ServeOptions base() const {
    ServeOptions options;
    options.model = {"zh-en=" + (folder_ / "model").string()};
    options.compute = ComputeChoice::fp32;
    options.threads = 1;
    options.search.max_length = 12;
    options.max_wait = 10'000;
    return options;
  }

  static std::string text_of(const HttpReply& reply) {
    return fmt::format("{} {}", reply.status, reply.body);
  }
  // The answer to a request of /v1/translate, with these options before its text.
  static Trace translated(const std::string& named = "",
                          const std::string& text = "the quick brown fox jumps") {
    return [=](const ServeOptions& options) {
      const RunningTranslationServer server(options);
      return text_of(post(server, "/v1/translate", "{" + named + "\"text\": \"" + text + "\"}"));
    };
  }
  static Trace sampled() {
    return [](ServeOptions options) {
      options.search.sample = true;
      return translated()(options);
    };
  }
  // Many lines.
  static std::string long_request() {
    std::string texts;
    for (int i = 0; i < 400; ++i) texts += std::string(i > 0 ? "," : "") + "\"the lazy dog\"";
    return R"({"beam": 16, "max_length": 0, "text": [)" + texts + "]}";
  }
  // The status of a request that comes while a long one waits.
  static std::string status_of_second(ServeOptions options) {
    const RunningTranslationServer server(options);
    post(server, "/v1/translate", R"({"text": "fox"})");  // the speed is known
    HttpClient first = server.client();
    first.send(post_text("/v1/translate", long_request()));
    testing::becomes_true([&] {
      return get(server, "/metrics").body.find("heed_running_lines 0\n") == std::string::npos;
    });
    return std::to_string(post(server, "/v1/translate", long_request()).status);
  }

  // Whether a request is refused while many others wait, once their speed has been measured.
  static std::string refused_after_others(const ServeOptions& options) {
    const RunningTranslationServer server(options);
    std::vector<HttpClient> others;
    const auto send = [&] {
      others.push_back(server.client());
      others.back().send(post_text("/v1/translate", long_request()));
    };
    for (int i = 0; i < 100; ++i) send();
    EXPECT_TRUE(testing::becomes_true([&] {
      return get(server, "/metrics").body.find("heed_estimated_wait_seconds 0\n") ==
             std::string::npos;
    }));
    send();
    pollfd answer{others.back().descriptor(), POLLIN, 0};
    const bool refused = poll(&answer, 1, 100) == 1 && others.back().reply().status == 429;
    return refused ? "refused" : "waits";
  }

  std::vector<Row> rows() const {
    const auto languages = [](const ServeOptions& options) {
      return text_of(get(RunningTranslationServer(options), "/languages"));
    };
    return {
        {{"model", "de-fr=" + (folder_ / "model").string()}, languages},
        {{"listen", "127.0.0.2:0"},
         [](const ServeOptions& options) {
           RunningTranslationServer server(options);
           const std::string address = (*server).addresses().front();
           return address.substr(0, address.find(':'));
         }},
        {{"beam", "1"}, translated()},
        {{"length_penalty", "5"}, translated()},
        {{"extra_length", "0"}, translated(R"("max_length": 0, "min_length": 30, )", "fox")},
        {{"max_length", "2"}, translated(R"("min_length": 2, )")},
        {{"min_length", "11"}, translated()},
        {{"no_repeat_ngram_size", "1"}, translated(R"("min_length": 11, )")},
        {{"sample", "true"}, translated()},
        {{"temperature", "3"}, sampled()},
        {{"top_k", "1"}, sampled()},
        {{"top_p", "0.01"}, sampled()},
        {{"seed", "7"}, sampled()},
        {{"batch_tokens", "20"},
         [](const ServeOptions& options) {
           const RunningTranslationServer server(options);
           post(server, "/v1/translate", long_request());
           const std::string metrics = get(server, "/metrics").body;
           const size_t at = metrics.find("\nheed_decoding_step_sentences_count");
           return metrics.substr(at, metrics.find('\n', at + 1) - at);
         }},
        {{"compute", "bf16"},
         [](const ServeOptions& options) {
           RunningTranslationServer server(options);
           return std::string((*server).models().all()[0]->model.backend().name());
         }},
        {{"device", "cuda"},
         [](const ServeOptions& options) -> std::string {
           try {
             RunningTranslationServer server(options);
             return (*server).models().all()[0]->model.backend().name();
           } catch (const UsageError& error) {  // there is no GPU
             return error.what();
           }
         }},
        {{"threads", "5"},
         [](const ServeOptions& options) {
           const RunningTranslationServer server(options);
           const auto begin = std::filesystem::directory_iterator("/proc/self/task");
           return std::to_string(std::distance(begin, std::filesystem::directory_iterator()));
         }},
        {{"max_memory", "16"},
         [](const ServeOptions& options) {
           RunningTranslationServer server(options);
           return std::to_string((*server).memory().requests);
         }},
        {{"max_hypotheses", "4"}, translated(R"("beam": 5, )")},
        {{"max_characters", "9"}, translated()},
        {{"max_attention", "5"},
         [](const ServeOptions& options) {
           const RunningTranslationServer server(options);
           return std::to_string(post(server, "/v1/attention", R"({"text": "the fox"})").status);
         }},
        {{"max_body", "1024"},
         [](const ServeOptions& options) {
           const RunningTranslationServer server(options);
           return text_of(post(server, "/v1/translate", long_request()));
         }},
        {{"timeout", "0.001"},
         [](const ServeOptions& options) {
           const RunningTranslationServer server(options);
           return std::to_string(post(server, "/v1/translate", long_request()).status);
         }},
        {{"max_connections", "1"},
         [](const ServeOptions& options) {
           const RunningTranslationServer server(options);
           // A connection counts as idle until the first byte of a request is read.
           for (int i = 0; i < 50; ++i) {
             const HttpClient slow = server.client();
             slow.send("GET /health HTTP/1.1\r\n");
             std::this_thread::sleep_for(std::chrono::milliseconds(1));
             if (get(server, "/health").status == 503) return "refused";
           }
           return "never refused";
         }},
        {{"max_client_connections", "1"},
         [](const ServeOptions& options) {
           const RunningTranslationServer server(options);
           for (int i = 0; i < 50; ++i) {
             const HttpClient slow = server.client();
             slow.send("GET /health HTTP/1.1\r\n");
             std::this_thread::sleep_for(std::chrono::milliseconds(1));
             if (get(server, "/health").status == 429) return "refused";
           }
           return "never refused";
         }},
        {{"max_waiting", "1"}, status_of_second},
        {{"max_wait", "0.001"}, refused_after_others},
        {{"allowed_hosts", "some.example"},
         [](const ServeOptions& options) {
           return std::to_string(
               get(RunningTranslationServer(options), "/health", "some.example").status);
         }},
        {{"cors", "https://some.example"},
         [](const ServeOptions& options) {
           return std::to_string(get(RunningTranslationServer(options), "/health", "localhost",
                                     "Origin: https://some.example\r\n")
                                     .status);
         }},
        {{"api_keys", (folder_ / "keys").string()}, translated()},
        {{"trusted_proxies", "127.0.0.1"},
         [](const ServeOptions& options) {
           RunningTranslationServer server(options);
           get(server, "/health", "localhost", "X-Forwarded-For: 10.1.2.3\r\n");
           testing::becomes_true([&] { return !server.log().empty(); });
           return server.log().front().client;
         }},
    };
  }
};

TEST_F(ServeOptionsTest, EveryOptionHasARow) {
  std::set<std::string> listed;
  for (const Row& row : rows()) listed.insert(row.assignment[0]);
  ServeOptions options;
  for (const Option& option : options_of(options))
    EXPECT_TRUE(listed.count(option.name)) << option.name;
}

TEST_F(ServeOptionsTest, SlowAreFelt) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.assignment[0]);
    ServeOptions with = base();
    const Options options = options_of(with);
    assign(*find_option(options, row.assignment[0]),
           {row.assignment.begin() + 1, row.assignment.end()}, "a row");
    EXPECT_NE(row.trace(with), row.trace(base()));
  }
}

TEST_F(ServeOptionsTest, OptionsThatCannotBeMeantAreRefused) {
  const auto expect_refusal = [&](const auto& change, const std::string& facts) {
    ServeOptions changed = base();
    change(changed);
    expect_usage([&] { const RunningTranslationServer server(changed); }, facts);
  };
  expect_refusal(
      [](ServeOptions& o) {
        o.search.beam = 5;
        o.max_hypotheses = 4;
      },
      "--beam --max-hypotheses 4 5");
  // A variable of a shell that is not set must not open the server to all.
  expect_refusal([](ServeOptions& o) { o.api_keys = ""; }, "--api-keys");
  for (const char* name : {"https://a.example", "a.example:80", "*", "a.example/", ""})
    expect_refusal([&](ServeOptions& o) { o.allowed_hosts = {name}; }, "--allowed-hosts");
  for (const char* origin : {"a.example", "https://a.example/", "https://*.a.example", "https://"})
    expect_refusal([&](ServeOptions& o) { o.cors = {origin}; }, "--cors");
}

}  // namespace
}  // namespace heed
