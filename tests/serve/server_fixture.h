// A whole server with a small model, and requests to it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "heed/decode/model.h"
#include "heed/serve/server.h"
#include "support/folder_test.h"
#include "support/http_client.h"
#include "support/small_translator.h"

namespace heed::testing {

// A server on a free port, on a thread of its own.
class RunningTranslationServer {
 public:
  explicit RunningTranslationServer(ServeOptions options) {
    if (options.listen.empty()) options.listen = {"127.0.0.1:0"};
    if (!options.threads) options.threads = 2;
    server_ = std::make_unique<Server>(options, [this](const RequestRecord& record) {
      std::lock_guard lock(mutex_);
      log_.push_back(record);
    });
    thread_ = std::thread([this] { server_->run(); });
  }
  ~RunningTranslationServer() {
    server_->stop();
    thread_.join();
  }
  RunningTranslationServer(const RunningTranslationServer&) = delete;
  RunningTranslationServer& operator=(const RunningTranslationServer&) = delete;

  Server& operator*() { return *server_; }
  HttpClient client() const { return HttpClient(server_->addresses().front()); }
  std::vector<RequestRecord> log() {
    std::lock_guard lock(mutex_);
    return log_;
  }

 private:
  std::mutex mutex_;
  std::vector<RequestRecord> log_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

inline std::string post_text(const std::string& path, const std::string& body,
                             const std::string& headers = "",
                             const std::string& type = "application/json") {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {}\r\n{}"
      "Content-Length: {}\r\n\r\n{}",
      path, type, headers, body.size(), body);
}

inline HttpReply post(const RunningTranslationServer& server, const std::string& path,
                      const std::string& body, const std::string& headers = "",
                      const std::string& type = "application/json") {
  HttpClient client = server.client();
  client.send(post_text(path, body, headers, type));
  HttpReply reply = client.reply();
  EXPECT_TRUE(reply.complete);
  return reply;
}

inline HttpReply get(const RunningTranslationServer& server, const std::string& path,
                     const std::string& host = "localhost", const std::string& headers = "") {
  HttpClient client = server.client();
  client.send(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", path, host, headers));
  return client.reply();
}

// The answer to POST /v1/translate.
inline nlohmann::json v1(const RunningTranslationServer& server, const nlohmann::json& request,
                         int status = 200) {
  const HttpReply reply = post(server, "/v1/translate", request.dump());
  EXPECT_EQ(reply.status, status) << reply.body;
  return nlohmann::json::parse(reply.body);
}

// Tests with a small model.
class ServerTest : public FolderTest {
 protected:
  void SetUp() override { write_small_translator(folder_ / "model"); }

  ServeOptions options() const {
    ServeOptions options;
    options.model = {"zh-en=" + (folder_ / "model").string()};
    options.search.beam = 2;
    options.search.max_length = 12;
    return options;
  }

  // Of the whole library, for the same options.
  std::vector<Translation> expected(const std::vector<std::string>& lines,
                                    const SearchOptions& search) const {
    const Model model(folder_ / "model");
    DecodeOptions decode;
    decode.search = search;
    decode.threads = 1;
    return model.translator(decode).translate(lines);
  }
  std::string expected(const std::string& line) const {
    return expected({line}, options().search).front().hypotheses.front().text;
  }
};

}  // namespace heed::testing
